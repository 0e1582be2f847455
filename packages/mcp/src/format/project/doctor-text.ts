/** Formats the checks of doctor for the terminal. */

import { withCommands } from '../commands.ts';
import { paint, table } from '../terminal.ts';

export interface Check {
  name: string;
  /** `note`: it works, but the reader may want to know. */
  state: 'ok' | 'note' | 'problem';
  detail: string;
}

const MARKS = { ok: paint.green('✓'), note: paint.yellow('•'), problem: paint.red('✗') };

export function formatChecks(checks: readonly Check[]): string {
  return table(checks.map(({ name, state, detail }) => [`${MARKS[state]} ${name}`, withCommands(detail)]));
}
