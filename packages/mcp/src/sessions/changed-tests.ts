/**
 * Whether a reported fix left the test as it was: what differs between the commit on which it failed and the work tree.
 * The same rule as in the fix loop: crates/core/src/fix_loop/weakened.rs. Nothing of the diff leaves this machine.
 */

import { createFixLoop, type RunRecord, type Weakening } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import { asText, Git } from '../git/git.ts';
import { NOT_OURS } from '../git/settings.ts';
import type { Session } from './session.ts';

/** Of more nobody says what it changed. */
const LIMITS = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024 };

/** Throws where the test, or how tests are run, is another than when it failed. */
export async function requireSameTest(session: Session, runId: string, caseName: string): Promise<void> {
  const [first] = await changesOfTest(session, runId, caseName);
  if (first === undefined) return;
  const { file, line, kind, text } = first;
  const where = `${file}:${line} (${kind.replaceAll('_', ' ')}: ${text})`;
  const advice = 'Restore it and run it again, or report with success: false.';
  throw new ArgusError(
    'INVALID_INPUT',
    `The test is not as it was when it failed, at ${where}. A fix leaves it as it is, so nothing was learned. ${advice}`,
  );
}

async function changesOfTest(session: Session, runId: string, caseName: string): Promise<Weakening[]> {
  const { gitCommit, dirty } = await stateOfRun(session, runId);
  // What was edited then is not known whole.
  if (gitCommit === null || dirty !== false) return [];
  const git = new Git(session.root);
  const paths = [gitCommit, '--', ':(top)', ...NOT_OURS];
  const options = { ...LIMITS, encoding: 'latin1' } as const;
  const diff = await git.run(['diff-index', '-p', '--no-renames', '-U1000000', ...paths], options);
  if (diff.problem !== null || diff.cut) return [];
  const { classify, redact } = session.config;
  const rules = createFixLoop({ rules: classify?.rules ?? [], secrets: redact?.patterns ?? [] });
  const found = rules.weakened([], asText(diff.stdout), [caseName]);
  const [ownFile = ''] = caseName.split(' > ');
  // Other tests may come and go between the two.
  const isOfTest = ({ file, kind }: Weakening) => file.endsWith(ownFile) || ABOUT_ALL.has(kind);
  return found.filter(isOfTest);
}

/** Of a run that is not to be read, as one that waits for the database, nothing is known. */
async function stateOfRun(session: Session, runId: string): Promise<Pick<RunRecord, 'gitCommit' | 'dirty'>> {
  try {
    return (await session.withEngine((engine) => engine.runDetail({ runId, limit: 1 }))).value.run;
  } catch {
    return { gitCommit: null, dirty: null };
  }
}

const ABOUT_ALL: ReadonlySet<Weakening['kind']> = new Set([
  'test_changed',
  'hook_changed',
  'mocked',
  'failure_ignored',
]);
