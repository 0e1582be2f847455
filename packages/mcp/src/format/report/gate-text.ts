/** Formats the result of the gate for the terminal. */

import { count } from '../../text/count.ts';
import { verdictText } from '../failures/evidence-text.ts';
import { indented, lines, paint } from '../terminal.ts';
import { type GatedFailure, type GateResult, quarantineChangeText } from './gate-result.ts';

/** The limit of cases of each kind. `argus gate --json` has all. */
const MAX_CASES = 20;

export function formatGate(gate: GateResult): string {
  const { passes, failing, problems, reported, quarantined, missing, notes, runId } = gate;
  const changes = quarantineChangeText(gate);
  return lines([
    passes ? paint.green(`gate passed: ${runId}`) : paint.red(`gate failed: ${runId}`),
    ...problems.map((problem) => indented(problem, 2)),
    ...listed(`${count(failing.length, 'failure')} to mend:`, failing, foundText),
    ...listed(`${count(reported.length, 'failure')} not of this change:`, reported, foundText),
    ...listed(
      `${count(quarantined.length, 'failure')} quarantined:`,
      quarantined,
      ({ until, owner, reason }) => `until ${until}, ${owner}: ${oneLine(reason)}`,
    ),
    missing.length > 0 && `${count(missing.length, 'test')} of the base did not run:`,
    ...missing.slice(0, MAX_CASES).map((name) => indented(oneLine(name), 2)),
    missing.length > MAX_CASES && `  and ${missing.length - MAX_CASES} more: argus gate --json`,
    changes.length > 0 && paint.yellow('this change changes the quarantine:'),
    ...changes.slice(0, MAX_CASES).map((change) => indented(oneLine(change), 2)),
    changes.length > MAX_CASES && `  and ${changes.length - MAX_CASES} more`,
    ...notes.map((note) => paint.yellow(`warning: ${note}`)),
  ]);
}

function listed<T extends GatedFailure>(title: string, failures: readonly T[], text: (one: T) => string): string[] {
  if (failures.length === 0) return [];
  const more = failures.length > MAX_CASES ? [`  and ${failures.length - MAX_CASES} more: argus gate --json`] : [];
  const rows = failures.slice(0, MAX_CASES).map((one) => `  ${oneLine(one.caseName)}: ${text(one)}`);
  return [title, ...rows, ...more];
}

function foundText({ verdict, headline, refused = '' }: GatedFailure): string {
  return [verdict === null ? 'no verdict' : verdictText(verdict), refused, oneLine(headline)]
    .filter((part) => part !== '')
    .join('; ');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
