// Writes the tables from the results in the work folder.
import { join } from 'node:path';
import { formatGoal, formatTable, median } from '../measure.mjs';
import { readLines, WORK } from './checkout.mjs';
import { PAIRS_FILE } from './mine.mjs';
import { REPOSITORIES } from './repositories.mjs';
import { bootstrapInterval, mean, wilsonInterval } from './statistics.mjs';

const LIMITS = `A scripted repairer is not an agent: it tries whole files in the order of a list, has the original code, and recognizes
nothing. The faults are reversed commits and mutations, and each memory is a few pairs old and has never been wrong. The
tests of a pair are the files that its commit changed. Bare seconds are those of a busy machine. Siblings and unrelated
failures are single-operator mutations. The memory of Argus holds what one user recorded with \`argus run\` and the hook,
and the fix commits of \`argus learn --from-git\`; suspects and edits since the last green run are not counted as hints.`;

const SPLITS = ['development', 'held out'];
const SIBLINGS = ['operator', 'call site'];
export const KINDS = { identical: ['identical'], siblings: SIBLINGS, unrelated: ['unrelated'] };

const formatShare = (hits, count) => {
  const [low, high] = wilsonInterval(hits, count);
  return count === 0 ? '-' : `${(hits / count).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
};

const groupBy = (items, key) => {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
};

const formatMean = (rows, value) => {
  const [low, high] = bootstrapInterval(
    [...groupBy(rows, (row) => row.repository).values()].map((group) => group.map(value)),
  );
  return rows.length === 0 ? '-' : `${mean(rows.map(value)).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
};

/** Returns a row per query of the condition. `runs` and `seconds` include the failed tries. */
function selectRows(results, condition, split, kinds) {
  return results
    .filter((result) => result.answers !== undefined && result.split === split && kinds.includes(result.kind))
    .map((result) => {
      const answer = result.answers.find((one) => one.condition === condition);
      const without = result.answers.find((one) => one.condition === 'no memory');
      const seconds = answer.runs * result.testSeconds + answer.seconds;
      return { ...answer, repository: result.repository, lost: Math.max(0, answer.runs - without.runs), seconds };
    });
}

const countOf = (rows, field) => rows.filter((row) => row[field]).length;

function formatConditions(results, split, kinds, isUnrelated) {
  const conditions =
    results.find(({ answers }) => answers !== undefined)?.answers.map(({ condition }) => condition) ?? [];
  const head = [
    'condition',
    'n',
    'hit@1 file',
    'hit@1 symbol',
    'test runs to green',
    'seconds, median',
    'tokens',
    'silent',
  ];
  const rows = conditions.map((condition) => {
    const rows = selectRows(results, condition, split, kinds);
    const harmed = rows.filter(({ lost }) => lost > 0);
    return [
      ...[condition, rows.length, formatShare(countOf(rows, 'hitFile'), rows.length)],
      ...[formatShare(countOf(rows, 'hitSymbol'), rows.length), formatMean(rows, (row) => row.runs)],
      rows.length === 0 ? '-' : median(rows.map((row) => row.seconds)).toFixed(1),
      ...[mean(rows.map((row) => row.tokens)).toFixed(0), formatShare(countOf(rows, 'silent'), rows.length)],
      ...(isUnrelated ? [formatShare(harmed.length, rows.length), formatMean(rows, (row) => row.lost)] : []),
    ];
  });
  return formatTable([[...head, ...(isUnrelated ? ['harmed', 'runs lost'] : [])], ...rows]);
}

function formatGoals(results) {
  const select = (condition, kinds) => selectRows(results, condition, 'held out', kinds);
  const share = (condition, kinds, field = 'hitFile') =>
    mean(select(condition, kinds).map((row) => (row[field] ? 1 : 0)));
  return ['Argus hook', 'Argus diagnose'].map((condition) => {
    const [identical, siblings] = [KINDS.identical, KINDS.siblings].map((kinds) => share(condition, kinds));
    const above = (other) => [identical - share(other, KINDS.identical), siblings - share(other, KINDS.siblings)];
    const harm = mean(select(condition, KINDS.unrelated).map(({ lost }) => (lost > 0 ? 1 : 0)));
    return [
      condition,
      ...[
        `${identical.toFixed(2)} ${formatGoal(identical, '>=', 0.9)}`,
        `${siblings.toFixed(2)} ${formatGoal(siblings, '>=', 0.6)}`,
      ],
      ...above('BM25').map((value) => `${value.toFixed(2)} ${formatGoal(value, '>=', 0.15)}`),
      ...above('notes').map((value) => `${value.toFixed(2)} ${formatGoal(value, '>=', 0)}`),
      `${share(condition, KINDS.unrelated, 'silent').toFixed(3)} ${formatGoal(share(condition, KINDS.unrelated, 'silent'), '>=', 0.99)}`,
      `${harm.toFixed(3)} ${formatGoal(harm, '<=', 0.01)}`,
    ];
  });
}

function formatDrops(results) {
  const drops = results.filter(({ drop }) => drop !== undefined);
  const groups = groupBy(
    drops,
    ({ kind, drop, advance }) => `${kind}${kind === 'identical' ? ` +${advance}` : ''} | ${drop}`,
  );
  const rows = [...groups].sort().map(([name, group]) => {
    const named = group.map(({ repository, pair }) => `${repository.split('/')[1]}@${pair?.slice(0, 7)}`);
    return [...name.split(' | '), group.length, name.startsWith('unrelated') ? '' : named.join(' ')];
  });
  return formatTable([['kind', 'reason', 'count', 'pairs'], ...rows]);
}

function formatParts(results) {
  const select = (test) => results.filter((one) => one.answers !== undefined && test(one));
  const parts = [
    ...[0, 5, 50].map((advance) => [
      `identical, ${advance} commits later`,
      (one) => one.kind === 'identical' && one.advance === advance,
    ]),
    ...SIBLINGS.map((kind) => [`sibling: another ${kind}`, (one) => one.kind === kind]),
    ['sibling: a test that failed in the pair', (one) => SIBLINGS.includes(one.kind) && one.sameTest],
    ['sibling: only other tests', (one) => SIBLINGS.includes(one.kind) && !one.sameTest],
  ];
  const conditions = ['no memory', 'BM25', 'notes', 'Argus hook', 'Argus diagnose'];
  const rows = parts.map(([name, test]) => {
    const chosen = select(test);
    const hits = (condition) =>
      chosen.filter(({ answers }) => answers.find((one) => one.condition === condition).hitFile).length;
    return [name, chosen.length, ...conditions.map((condition) => formatShare(hits(condition), chosen.length))];
  });
  return formatTable([['hit@1 file, both splits', 'n', ...conditions], ...rows]);
}

/** Returns the parts of the report. */
export function formatReport() {
  const names = REPOSITORIES.map(({ repository }) => repository);
  const results = names.flatMap((name) => readLines(join(WORK, `${name.replace('/', '+')}.jsonl`)));
  const pairs = readLines(PAIRS_FILE);
  const ended = results.filter(({ kind }) => kind === 'end').length;
  const verified = results.filter((one) => one.verified !== undefined);
  const count = (kind) => results.filter((one) => one.answers !== undefined && KINDS[kind].includes(one.kind)).length;
  const heldOut = REPOSITORIES.filter(({ split }) => split === 'held out').map(({ repository }) => repository);
  return [
    LIMITS,
    `${pairs.length} frozen pairs in ${new Set(pairs.map((pair) => pair.repository)).size} repositories, ${ended} recorded; ${count('identical')} identical faults, ${count('siblings')} siblings, ${count('unrelated')} unrelated failures. Held out: ${heldOut.join(', ')}. Really repaired and run: ${verified.length}, green: ${countOf(verified, 'verified')}.`,
    'Shares with 95 % Wilson intervals, means with 95 % bootstrap intervals over repositories.',
    ...SPLITS.flatMap((split) =>
      Object.entries(KINDS).flatMap(([name, kinds]) => [
        `### ${name}, ${split}`,
        formatConditions(results, split, kinds, name === 'unrelated'),
      ]),
    ),
    '### Goals, held out',
    formatTable([
      [
        'condition',
        'identical, file',
        'siblings, file',
        'identical over BM25',
        'siblings over BM25',
        'identical over notes',
        'siblings over notes',
        'silent',
        'harmed',
      ],
      ...formatGoals(results),
    ]),
    '### Parts',
    formatParts(results),
    '### Drops',
    'In each of these the oracle has nothing to repair either, so that they count for no condition, except errors.',
    formatDrops(results),
  ];
}
