/**
 * Checks that a reported fix did not change the test. It compares the commit on which the test failed with the work
 * tree by the same rule as the fix loop (`crates/core/src/fix_loop/weakened.rs`). The diff never leaves this machine.
 */

import { createFixLoop, type RunRecord, type Weakening } from 'argus-engine';
import { ArgusError } from '../errors.ts';
import { asText, Git } from '../git/git.ts';
import { NOT_OURS } from '../git/settings.ts';
import type { Session } from './session.ts';

/** A larger diff is not examined. */
const LIMITS = { timeoutMs: 5_000, maxBytes: 16 * 1024 * 1024 };

/** Throws if the test, or the way in which tests are run, has changed since the failure. */
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
  // The state of the test at the failure is unknown if the work tree had uncommitted changes.
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
  // Other tests may be added or removed between the two states.
  const isOfTest = ({ file, kind }: Weakening) => file.endsWith(ownFile) || ABOUT_ALL.has(kind);
  return found.filter(isOfTest);
}

/** Returns nulls for a run that cannot be read, for example a run that still waits for the database. */
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
