/** Shows failures at their place in the code: one annotation for each cause. Reasons why the gate fails come first. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { EngineError, QUARANTINE_FILE } from 'argus-engine';
import { verdictText } from '../../format/failures/evidence-text.ts';
import { type GatedFailure, type GateResult, quarantineChangeText } from '../../format/report/gate-result.ts';
import type { Session } from '../../sessions/session.ts';
import { isWithin } from '../../system/files/way.ts';
import { io } from '../../system/io.ts';
import { clipped } from '../../text/untrusted.ts';
import { type Annotation, MAX_ANNOTATIONS } from './github/workflow-commands.ts';

const MAX_NAMES = 5;
const MAX_HEADLINE_CHARS = 500;

export async function annotationsOf(
  session: Session,
  gate: GateResult,
  unwritten: readonly string[],
): Promise<Annotation[]> {
  const { runId, failing, problems, reported, quarantined } = gate;
  const changes = quarantineChangeText(gate);
  const about = (level: Annotation['level'], title: string) => (message: string) => ({ level, title, message });
  const of = async (level: Annotation['level'], failures: readonly GatedFailure[]) =>
    Promise.all(byCause(failures).map((cause) => ofCause(session, runId, level, cause)));
  return [
    ...problems.map(about('error', 'Argus: gate')),
    ...(await of('error', failing)),
    ...(changes.length === 0
      ? []
      : [{ ...about('warning', 'Argus: the quarantine changes')(changes.join('\n')), file: QUARANTINE_FILE, line: 1 }]),
    ...(await of('warning', reported)),
    ...(await of('warning', quarantined)),
    ...[...gate.notes, ...unwritten].map(about('warning', 'Argus')),
  ];
}

function byCause(failures: readonly GatedFailure[]): GatedFailure[][] {
  const causes = new Map<string, GatedFailure[]>();
  for (const one of failures) {
    const key = one.causeId ?? JSON.stringify([one.headline, one.category]);
    const cause = causes.get(key);
    if (cause === undefined) causes.set(key, [one]);
    else cause.push(one);
  }
  return [...causes.values()].slice(0, MAX_ANNOTATIONS);
}

async function ofCause(
  session: Session,
  runId: string,
  level: Annotation['level'],
  failures: readonly GatedFailure[],
): Promise<Annotation> {
  const [first] = failures;
  const { verdict = null, headline = '', caseName = '' } = first ?? {};
  const names = failures.slice(0, MAX_NAMES).map((one) => one.caseName);
  const more = failures.length > MAX_NAMES ? [`and ${failures.length - MAX_NAMES} more`] : [];
  return {
    level,
    title: `Argus: ${verdict === null ? 'failed' : verdictText(verdict)}`,
    message: [clipped(headline, MAX_HEADLINE_CHARS), ...names, ...more].join('\n'),
    ...(await placeOf(session, runId, caseName)),
  };
}

/** Returns a place in the project's own code, otherwise in the test. Empty if neither is a file of the repository. */
async function placeOf(session: Session, runId: string, caseName: string): Promise<{ file?: string; line?: number }> {
  for (const place of await placesOf(session, runId, caseName)) {
    const [, file = '', line] = /^(.+?)(?::(\d+))?(?::\d+)?$/u.exec(place ?? '') ?? [];
    const found = file === '' ? undefined : inRepository(session.project.top, file);
    if (found !== undefined) return { file: found, ...(line === undefined ? {} : { line: Number(line) }) };
  }
  return {};
}

/** Returns an empty list for a run that is not recorded yet. */
async function placesOf(session: Session, runId: string, caseName: string): Promise<(string | null)[]> {
  try {
    const { value } = await session.withEngine((engine) => engine.viewCase({ runId, caseName }));
    return [value.place, value.testPlace];
  } catch (thrown) {
    if (thrown instanceof EngineError) return [];
    throw thrown;
  }
}

/** Returns the path from the workspace, because GitHub resolves annotations from the root of the checkout. */
function inRepository(top: string, file: string): string | undefined {
  const whole = path.resolve(top, file);
  if (!isWithin(whole, top) || !existsSync(whole)) return undefined;
  const { GITHUB_WORKSPACE: workspace } = io().env;
  const root = workspace !== undefined && isWithin(top, workspace) ? workspace : top;
  return path.relative(root, whole).replaceAll(path.sep, '/');
}
