/**
 * Decides about an earlier loop of the same command: it is moved aside, or stays until a human decides.
 */

import type { FixState } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { oneLine } from '../report/markdown.ts';
import { keptFixes } from '../report/summary.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import type { StateFolder } from './state-folder.ts';

/** True for a loop that ended by itself. */
export function mayBeginAnew({ status, escalation, circuit_breaker }: FixState): boolean {
  const hasEnded = status === 'escalated' && escalation !== 'no_change_made' && circuit_breaker.state === 'CLOSED';
  return status === 'success' || hasEnded;
}

/** Archives the earlier loop. Returns a sentence about it. */
export async function putAside(found: FixState, folder: StateFolder, snapshots: Snapshots): Promise<string> {
  await snapshots.archive(found.started.replaceAll(/[^\w-]/gu, '-'));
  const name = folder.archive(found.started);
  const { attempts, started, status } = found;
  const ended = status === 'success' ? 'with success' : 'without success';
  const tried = keptFixes(found).map(({ fix_applied, fix_worked }) => {
    return `${oneLine(fix_applied ?? '', 120)} (${fix_worked === false ? 'it still failed' : 'the last one'})`;
  });
  const fixes = tried.length === 0 ? '' : ` Its fixes: ${tried.join('; ')}.`;
  return `The loop begun ${started} ended ${ended} after ${attempts.length} attempts; it is in ${name}.${fixes}`;
}

/** The error for a hash of eight digits that belongs to another command. */
export function notOurs(folder: StateFolder): ArgusError {
  const advice = 'Move the folder away to begin anew.';
  return new ArgusError('STATE_UNREADABLE', `${folder.file('state.json')} belongs to another command. ${advice}`);
}

/** Returns a sentence to print before the old result of a loop that waits for a human. Null for other loops. */
export function undecided({ status, circuit_breaker, started }: FixState): string | null {
  const isOpen = circuit_breaker.state === 'OPEN';
  if (status !== 'suspicious' && !isOpen) return null;
  const stays = isOpen
    ? 'It stays, for its circuit is open, until a human decides: argus-mcp fix-problem --reset-circuit.'
    : 'It stays, for its green run is suspicious. Restore the tests, or state why an expectation changed: argus-mcp fix-problem --resume --fix TEXT. A person may decide with --accept or --reject.';
  return `Nothing was run now: this is the result of the loop begun ${started}. ${stays}`;
}
