// Picks failures of the history that can recur, and writes the runs that repeat them.
import { Chance } from './chance.mjs';
import { met } from './failures.mjs';
import { REPORTS } from './reports.mjs';

/** Upper bound for the failures of a run. */
const CASES_PER_RUN = 10;

/** Runners that accept any text as the name of a test. */
const NAMED_IN_WORDS = /^(?:vitest|jest|playwright|mocha|rspec|node-test)$/;

/**
 * Recurrences of the failures, each as a case of a report or as the output of a command. `kind` is `exact` for the same
 * text, `circumstances` for other volatile values, `another test` for a test that never failed, and `command`.
 */
export function candidates(shop, seed) {
  const chance = new Chance(seed + 4);
  const all = [...shop.fates].flatMap(([failure, fate]) => {
    if (fate === 'failed' || fate === 'unsolved') return [];
    const { source, report, caseName, texts } = failure;
    // A fork, because a run of the project itself would refute a claimed fix.
    const common = { source, report, caseName, foreign: fate === 'claimed' || fate === 'superseded' };
    const again = met(failure, texts === undefined ? 0 : texts.length - 1, chance.below(2 ** 31));
    if (source === 'command')
      return [{ ...common, kind: 'command', command: failure.command, printed: again.text, exitCode: failure.exit }];
    const isExact = chance.below(8) === 0 || texts?.length === 1;
    const one = {
      ...common,
      ...(isExact ? { kind: 'exact', met: failure.first } : { kind: 'circumstances', met: again }),
    };
    if (!NAMED_IN_WORDS.test(source) || chance.below(3) > 0) return [one];
    const name = `${failure.name} ${chance.of(['again', 'in bulk', 'at night'])}`;
    const there = caseName.slice(0, -failure.name.length) + name;
    return [one, { ...common, kind: 'another test', caseName: there, met: { ...again, name } }];
  });
  return chance.shuffled(all);
}

/** Groups recurrences into runs with one report each; `order` lists them as the runs do. */
export function recurrences(asked, { root, at }) {
  const runs = [];
  for (const one of asked) {
    const fits = (run) =>
      run.length < CASES_PER_RUN &&
      one.kind !== 'command' &&
      run[0].kind !== 'command' &&
      run[0].foreign === one.foreign &&
      run[0].report === one.report &&
      run[0].source === one.source &&
      run.every(({ caseName }) => caseName !== one.caseName);
    const open = runs.find(fits);
    if (open === undefined) runs.push([one]);
    else open.push(one);
  }
  return { order: runs.flat(), runs: runs.map((run, index) => recurrence(run, `${index}`, { root, at })) };
}

function recurrence(run, number, { root, at }) {
  const [{ report, foreign, command, printed, exitCode }] = run;
  const cases = run.map(({ caseName }) => caseName);
  if (command !== undefined) return { command, printed, exitCode, foreign, cases };
  const { extension, write } = REPORTS[report];
  const text = write({ cases: run.map((one) => one.met), root, at });
  return { report: { name: `${number}-${report}.${extension}`, text }, foreign, cases };
}

/** Picks `count` entries, one from each source in turn. */
export function spread(asked, count) {
  const bySource = new Map();
  for (const one of asked) bySource.set(one.source, [...(bySource.get(one.source) ?? []), one]);
  const chosen = [];
  for (let at = 0; chosen.length < count; at += 1) {
    const some = [...bySource.values()].flatMap((list) => list.slice(at, at + 1));
    if (some.length === 0) throw new Error(`only ${chosen.length} failures get a fix`);
    chosen.push(...some.slice(0, count - chosen.length));
  }
  return chosen;
}

/** Counts the entries by name, as text. */
export function tally(list, name) {
  const counts = new Map();
  for (const one of list) counts.set(name(one), (counts.get(name(one)) ?? 0) + 1);
  return [...counts].map(([key, count]) => `${key} ${count}`).join(', ');
}
