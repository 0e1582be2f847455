/** The score of the hook: how often it reported something, was right or wrong, and whether it should be silent. */

import type { HookState, Line } from './state.ts';

/** Number of the newest messages with a known outcome that the precision covers. */
const WINDOW = 20;
const MIN_PRECISION = 0.5;

export interface Score {
  /** Number of messages. */
  said: number;
  /** Messages after which the same command passed in the session, on a tree that changed after the message. */
  used: number;
  /** Messages after which the same failure occurred again on such a tree. */
  wrong: number;
  tokens: number;
  /** Precision over the newest 20 messages with an outcome. Null if there are none. */
  precision: number | null;
  /** True if the precision stays below one half even if all further messages up to 20 are right. */
  muted: boolean;
}

type Said = Extract<Line, { t: 'said' }>;

export function scoreOf({ lines }: Pick<HookState, 'lines'>): Score {
  const from = lines.findLastIndex(({ t }) => t === 'reset') + 1;
  const counted = lines.slice(from);
  const said = counted.filter((line): line is Said => line.t === 'said');
  const ids = new Set(said.map(({ id }) => id));
  const came = counted.filter((line) => line.t === 'came').filter(({ id }) => ids.has(id));
  const newest = came.slice(-WINDOW);
  const wrongOf = (some: typeof came) => some.filter(({ of }) => of === 'wrong').length;
  return {
    said: said.length,
    used: came.length - wrongOf(came),
    wrong: wrongOf(came),
    tokens: said.reduce((sum, { tokens }) => sum + tokens, 0),
    precision: newest.length === 0 ? null : 1 - wrongOf(newest) / newest.length,
    muted: wrongOf(newest) > WINDOW * (1 - MIN_PRECISION),
  };
}

/**
 * Outcomes of earlier messages in the session, from the end of a command. Each message is judged once, on a changed
 * tree.
 */
export function judged(
  { lines }: Pick<HookState, 'lines'>,
  ended: {
    session: string;
    key: string;
    tree: string | null;
    ending: 'passed' | 'failed';
    families: readonly string[];
  },
  at: number,
): Line[] {
  const decided = new Set(lines.flatMap((line) => (line.t === 'came' ? [line.id] : [])));
  const treeOf = new Map(lines.flatMap((line) => (line.t === 'on' ? [[line.id, line.tree] as const] : [])));
  const open = lines.filter((line): line is Said => line.t === 'said' && !decided.has(line.id));
  return open
    .filter(({ session, key }) => session === ended.session && key === ended.key)
    .filter(({ id }) => {
      const before = treeOf.get(id) ?? null;
      return before !== null && ended.tree !== null && before !== ended.tree;
    })
    .filter(({ family }) => ended.ending === 'passed' || ended.families.includes(family))
    .map(({ id }) => ({ t: 'came', id, of: ended.ending === 'passed' ? 'used' : 'wrong', at }));
}

/** Returns true if a message about this error was already printed in this session. */
export function wasSaid({ lines }: Pick<HookState, 'lines'>, session: string, family: string): boolean {
  return lines.some((line) => line.t === 'said' && line.session === session && line.family === family);
}
