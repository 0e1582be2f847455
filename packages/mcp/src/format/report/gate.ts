/** The result of argus gate, and its text for the terminal. */

import type { BriefVerdict, PreviousFix } from 'argus-engine';
import { formatCount } from '../../text/count.ts';
import { toSingleLine } from '../../text/untrusted-text.ts';
import { describePreviousFix, formatVerdict } from '../failures/verdict-text.ts';
import { indentLines, joinLines, paint } from '../terminal.ts';

export interface GateFailure {
  caseName: string;
  /** Null if the run was recorded without verdicts. */
  verdict: BriefVerdict | null;
  headline: string;
  category: string;
  causeId: string | null;
  /** Reason why the gate does not excuse the failure, although its verdict does not blame the change. */
  refused?: string;
  /** Change that fixed this failure before. Only the first failures have it. */
  mendedBefore?: PreviousFix;
}

export interface GateResult {
  runId: string;
  commit: string | null;
  passes: boolean;
  /** Failures that make the gate fail. */
  failing: GateFailure[];
  /** Other problems that make the gate fail. */
  problems: string[];
  /** Failures that the gate only reports. */
  reported: GateFailure[];
  quarantined: (GateFailure & { reason: string; owner: string; until: string })[];
  /** Name of the version whose quarantine counts, and the cases whose entries the change adds, changes or removes. */
  quarantine: { from: string | null; added: string[]; changed: string[]; removed: string[] };
  /** Tests of the base that did not run, because they were deleted, renamed or skipped. */
  missing: string[];
  notes: string[];
}

/**
 * Lists the entries of the quarantine that the change edits. A reviewer must see them, because they take effect only
 * after the merge.
 */
export function formatQuarantineChanges({ quarantine }: Pick<GateResult, 'quarantine'>): string[] {
  const { added, changed, removed } = quarantine;
  return [
    ...added.map((name) => `added: ${name}`),
    ...changed.map((name) => `changed: ${name}`),
    ...removed.map((name) => `removed: ${name}`),
  ];
}

/** How the step that ran the tests ended, in GitHub's terms. */
export const STEP_OUTCOMES = ['success', 'failure', 'cancelled', 'skipped'] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

/** Maximum number of listed cases of each kind. `argus gate --json` lists all cases. */
export const MAX_LISTED_CASES = 20;

/** Formats the result of the gate for the terminal. */
export function formatGate(gate: GateResult): string {
  const { passes, failing, problems, reported, quarantined, missing, notes, runId } = gate;
  const changes = formatQuarantineChanges(gate);
  return joinLines([
    passes ? paint.green(`gate passed: ${runId}`) : paint.red(`gate failed: ${runId}`),
    ...problems.map((problem) => indentLines(problem, 2)),
    ...formatFailures(`Blocked by ${formatCount(failing.length, 'failure')}:`, failing, formatFailure),
    ...formatFailures(`${formatCount(reported.length, 'failure')} not caused by this change:`, reported, formatFailure),
    ...formatFailures(
      `${formatCount(quarantined.length, 'failure')} quarantined:`,
      quarantined,
      ({ until, owner, reason }) => `until ${until}, ${owner}: ${toSingleLine(reason)}`,
    ),
    missing.length > 0 && `${formatCount(missing.length, 'test')} of the base did not run:`,
    ...missing.slice(0, MAX_LISTED_CASES).map((name) => indentLines(toSingleLine(name), 2)),
    missing.length > MAX_LISTED_CASES && `  and ${missing.length - MAX_LISTED_CASES} more: argus gate --json`,
    changes.length > 0 && paint.yellow('this change edits the quarantine:'),
    ...changes.slice(0, MAX_LISTED_CASES).map((change) => indentLines(toSingleLine(change), 2)),
    changes.length > MAX_LISTED_CASES && `  and ${changes.length - MAX_LISTED_CASES} more`,
    ...notes.map((note) => paint.yellow(`warning: ${note}`)),
  ]);
}

function formatFailures<T extends GateFailure>(
  title: string,
  failures: readonly T[],
  text: (one: T) => string,
): string[] {
  if (failures.length === 0) return [];
  const more =
    failures.length > MAX_LISTED_CASES ? [`  and ${failures.length - MAX_LISTED_CASES} more: argus gate --json`] : [];
  const rows = failures.slice(0, MAX_LISTED_CASES).map((one) => `  ${toSingleLine(one.caseName)}: ${text(one)}`);
  return [title, ...rows, ...more];
}

function formatFailure({ verdict, headline, refused = '', mendedBefore }: GateFailure): string {
  const judged = verdict === null ? 'no verdict' : formatVerdict(verdict);
  return [judged, refused, toSingleLine(headline), ...listPreviousFix(mendedBefore)]
    .filter((part) => part !== '')
    .join('; ');
}

/** Returns what fixed the failure before, and the command that applies a lost change again. */
export function listPreviousFix(mended: PreviousFix | undefined): string[] {
  if (mended === undefined) return [];
  const reapply = mended.presence?.reapply;
  return [describePreviousFix(mended), ...(reapply === undefined ? [] : [`reapply: ${reapply}`])].map((text) =>
    toSingleLine(text),
  );
}
