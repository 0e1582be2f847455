/**
 * The score of the hook: how many messages it printed, how many of them were right or wrong, and whether it should stop
 * printing messages.
 */

import type { HookState, StateLine } from './state.ts';

/** Number of the newest messages with an outcome from which the precision is computed. */
const PRECISION_WINDOW = 20;
const MIN_PRECISION = 0.5;

export interface Score {
  /** Number of printed messages. */
  said: number;
  /**
   * Number of messages after which the same command passed in the same session, with files that changed after the
   * message.
   */
  used: number;
  /** Number of messages after which the same failure occurred again with such files. */
  wrong: number;
  tokens: number;
  /** Precision of the newest 20 messages with an outcome. Null if there are none. */
  precision: number | null;
  /** True if the precision stays below one half even if all further messages up to 20 are right. */
  muted: boolean;
}

type PrintedMessage = Extract<StateLine, { t: 'said' }>;

export function computeScore({ lines }: Pick<HookState, 'lines'>): Score {
  const from = lines.findLastIndex(({ t }) => t === 'reset') + 1;
  const counted = lines.slice(from);
  const said = counted.filter((line): line is PrintedMessage => line.t === 'said');
  const ids = new Set(said.map(({ id }) => id));
  const outcomes = counted.filter((line) => line.t === 'came').filter(({ id }) => ids.has(id));
  const newest = outcomes.slice(-PRECISION_WINDOW);
  const countWrong = (some: typeof outcomes) => some.filter(({ of }) => of === 'wrong').length;
  return {
    said: said.length,
    used: outcomes.length - countWrong(outcomes),
    wrong: countWrong(outcomes),
    tokens: said.reduce((sum, { tokens }) => sum + tokens, 0),
    precision: newest.length === 0 ? null : 1 - countWrong(newest) / newest.length,
    muted: countWrong(newest) > PRECISION_WINDOW * (1 - MIN_PRECISION),
  };
}

/**
 * Returns lines with the outcomes of earlier messages in the session, judged by how a command ended. Each message is
 * judged once, after the files changed.
 */
export function judgeMessages(
  { lines }: Pick<HookState, 'lines'>,
  ended: {
    session: string;
    key: string;
    tree: string | null;
    ending: 'passed' | 'failed';
    families: readonly string[];
  },
  at: number,
): StateLine[] {
  const decided = new Set(lines.flatMap((line) => (line.t === 'came' ? [line.id] : [])));
  const treeOf = new Map(lines.flatMap((line) => (line.t === 'on' ? [[line.id, line.tree] as const] : [])));
  const open = lines.filter((line): line is PrintedMessage => line.t === 'said' && !decided.has(line.id));
  return open
    .filter(({ session, key }) => session === ended.session && key === ended.key)
    .filter(({ id }) => {
      const before = treeOf.get(id) ?? null;
      return before !== null && ended.tree !== null && before !== ended.tree;
    })
    .filter(({ family }) => ended.ending === 'passed' || ended.families.includes(family))
    .map(({ id }) => ({ t: 'came', id, of: ended.ending === 'passed' ? 'used' : 'wrong', at }));
}

/** True if a message about this error was already printed in this session. */
export function wasPrinted({ lines }: Pick<HookState, 'lines'>, session: string, family: string): boolean {
  return lines.some((line) => line.t === 'said' && line.session === session && line.family === family);
}
