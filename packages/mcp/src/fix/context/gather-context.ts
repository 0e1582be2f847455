/**
 * Collects the context of an error: the fifteen questions of the contract, which are answered by programs if possible.
 * It changes nothing and does not use the network. A missing program is a reason, not an error.
 */

import { messageOf } from '../../errors.ts';
import { cancelled } from '../../system/ask.ts';
import { clipped, visible } from '../../text/untrusted.ts';
import { behaviour, interfaceOf } from './code/code.ts';
import { errorType, functionOf, ownFrames, whereOf } from './code/source-location.ts';
import { environmentName, techStack } from './code/stack.ts';
import { testExpectations } from './code/tests.ts';
import { recentChanges, similarIssues, startedWhen } from './commit-history.ts';
import type { Answer, ContextRequest, Finding, FixContext, Layer } from './context-model.ts';
import { hypothesisOf } from './hypothesis.ts';
import { openScope } from './open-scope.ts';
import type { ContextScope } from './scope.ts';
import { similarCode } from './similar.ts';
import { clusterState, deploymentState } from './system/cluster.ts';
import { dependencies } from './system/dependencies.ts';
import { logEntries } from './system/logs.ts';
import { environmentVariables } from './system/variables.ts';
import { uncommittedDiff } from './uncommitted.ts';

export type { Answer, ContextRequest, FixContext } from './context-model.ts';

/** Fifteen answers must stay readable, and short for an agent. */
const MAX_ANSWER_CHARACTERS = 2_400;

/**
 * Limit for all questions. Each program has a limit of its own, but in a huge repository several programs in a row take
 * too long.
 */
const MAX_WAIT_MS = 25_000;
const TOO_LATE: Finding = { why_not: 'The programs that would know took too long.' };

/** In the order and the words of the contract. The position is the number. */
const QUESTIONS: readonly [Layer, string, (scope: ContextScope) => Promise<Finding> | Finding][] = [
  ['Error Context', 'What is the exact error type? (syntax, runtime, timeout, permission, etc.)', errorType],
  ['Error Context', 'What file/line is the error occurring in?', whereOf],
  ['Error Context', 'What function/method is involved?', functionOf],
  ['Error Context', 'When did this start happening?', startedWhen],
  ['Code Context', 'What does the failing code do?', behaviour],
  ['Code Context', 'What are the inputs/outputs expected?', interfaceOf],
  ['Code Context', 'What dependencies are involved?', dependencies],
  ['Code Context', 'Are there similar patterns elsewhere that work?', similarCode],
  ['Environment Context', 'What K8s resources are involved? (if applicable)', clusterState],
  ['Environment Context', 'What environment variables are relevant?', environmentVariables],
  ['Environment Context', 'What is the deployment state?', deploymentState],
  ['Environment Context', 'Are there related log entries?', logEntries],
  ['Historical Context', 'Has this code been modified recently?', recentChanges],
  ['Historical Context', 'Are there similar past issues in git history?', similarIssues],
  ['Historical Context', 'What do the tests expect?', testExpectations],
];

/** Rejects only with CANCELLED, if the caller gave up. */
export async function gatherContext(request: ContextRequest): Promise<FixContext> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), MAX_WAIT_MS);
  try {
    const signal = request.signal ? AbortSignal.any([late.signal, request.signal]) : late.signal;
    return await gathered(await openScope({ ...request, signal }), request);
  } finally {
    clearTimeout(timer);
  }
}

async function gathered(scope: ContextScope, request: ContextRequest): Promise<FixContext> {
  const clean = (text: string) =>
    clipped(scope.redact(visible(text)).replace(/^\s*\n|\s+$/gu, ''), MAX_ANSWER_CHARACTERS);
  const answers = await Promise.all(
    QUESTIONS.map(async ([layer, question, answer], index): Promise<Answer> => {
      const found = await findingOf(scope, answer);
      const known = 'answer' in found;
      return {
        number: index + 1,
        layer,
        question,
        answer: known ? clean(found.answer) : null,
        why_not: known ? null : clean(found.why_not),
        source: known ? clean(found.source) : null,
      };
    }),
  );
  const uncommitted = await uncommittedDiff(scope).catch(() => null);
  if (request.signal?.aborted) throw cancelled();
  return {
    answers,
    error_type: request.error.error_type,
    location: scope.place === null ? null : clean(`${scope.place.file}:${scope.place.line}`),
    function: scope.place?.function == null ? null : clean(scope.place.function),
    frames: ownFrames(scope).map(clean),
    uncommitted: uncommitted === null ? null : clean(uncommitted),
    hypothesis: clean(hypothesisOf(scope)),
    tech_stack: techStack(scope),
    environment: environmentName(scope),
  };
}

async function findingOf(scope: ContextScope, answer: (typeof QUESTIONS)[number][2]): Promise<Finding> {
  try {
    return await answer(scope);
  } catch (thrown) {
    return scope.request.signal?.aborted ? TOO_LATE : { why_not: `It could not be answered: ${messageOf(thrown)}.` };
  }
}
