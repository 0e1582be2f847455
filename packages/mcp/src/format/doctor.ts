/**
 * The checks of doctor, for people at the terminal.
 */

import type { Check } from '../cli/doctor.ts';
import { paint, table } from './text.ts';

const MARKS = { ok: paint.green('✓'), note: paint.yellow('•'), problem: paint.red('✗') };

export function formatChecks(checks: readonly Check[]): string {
  return table(checks.map(({ name, state, detail }) => [`${MARKS[state]} ${name}`, detail]));
}
