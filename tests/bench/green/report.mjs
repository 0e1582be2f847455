// Writes the tables from the results in the work folder.
import { bootstrapInterval, formatGoal, formatTable, mean, median, wilsonInterval } from '../measure.mjs';
import { createGenerator } from '../memory/incidents.mjs';
import { readLines } from './checkout.mjs';
import { PAIRS_FILE } from './mine.mjs';
import { resultsFile } from './project.mjs';
import { REPOSITORIES } from './repositories.mjs';

const LIMITS = `A scripted repairer is not an agent: it tries whole files in the order of a list, owns the original code, and
understands nothing. The faults are reversed commits and single exchanged operators. A memory holds at most five fixes, all
of which were right. A pair runs only the tests that its commit changed. Seconds are those of a busy machine. Argus knows
what one user recorded with \`argus run\` and the hook, and the commits of \`argus learn --from-git\`; its suspects and edits
since the last green run do not count as hints. The files of the diagnosis come without symbols if the fix was an edit.`;

const SPLITS = ['development', 'held out'];
const KINDS = { identical: ['identical'], siblings: ['operator', 'call site'], unrelated: ['unrelated'] };
/** Parts of the results that are shown apart. */
const PARTS = {
  'identical, 0 commits later': ({ kind, advance }) => kind === 'identical' && advance === 0,
  'identical, 5 commits later': ({ kind, advance }) => kind === 'identical' && advance === 5,
  'identical, 50 commits later': ({ kind, advance }) => kind === 'identical' && advance === 50,
  'sibling: another operator': ({ kind }) => kind === 'operator',
  'sibling: a call site': ({ kind }) => kind === 'call site',
  'sibling: with a test of the pair': ({ kind, sameTest }) => KINDS.siblings.includes(kind) && sameTest,
  'sibling: only other tests': ({ kind, sameTest }) => KINDS.siblings.includes(kind) && !sameTest,
};

const formatInterval = (value, [low, high]) => `${value.toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;

function formatShare(rows, field) {
  const hits = rows.filter((row) => row[field]).length;
  return rows.length === 0 ? '-' : formatInterval(hits / rows.length, wilsonInterval(hits, rows.length));
}

function formatMean(rows, field) {
  const names = [...new Set(rows.map(({ repository }) => repository))];
  const values = names.map((name) => rows.filter(({ repository }) => repository === name).map((row) => row[field]));
  return rows.length === 0 ? '-' : formatInterval(mean(values.flat()), bootstrapInterval(values, createGenerator(1)));
}

/** Returns the answers of a condition to these queries, compared with having no memory. */
function selectRows(queries, condition) {
  return queries.map(({ repository, answers, testSeconds }) => {
    const answer = answers.find((one) => one.condition === condition);
    const lost = Math.max(0, answer.runs - answers[0].runs);
    return { ...answer, repository, lost, isHarmed: lost > 0, seconds: answer.runs * testSeconds + answer.seconds };
  });
}

function formatConditions(queries, conditions, isUnrelated) {
  const head = ['condition', 'n', 'hit@1 file', 'hit@1 symbol', 'test runs', 'seconds, median', 'tokens', 'silent'];
  const lines = conditions.map((condition) => {
    const rows = selectRows(queries, condition);
    const seconds = rows.length === 0 ? '-' : median(rows.map((row) => row.seconds)).toFixed(1);
    return [
      ...[
        condition,
        rows.length,
        formatShare(rows, 'hitFile'),
        formatShare(rows, 'hitSymbol'),
        formatMean(rows, 'runs'),
      ],
      ...[seconds, mean(rows.map(({ tokens }) => tokens)).toFixed(0), formatShare(rows, 'silent')],
      ...(isUnrelated ? [formatShare(rows, 'isHarmed'), formatMean(rows, 'lost')] : []),
    ];
  });
  return formatTable([[...head, ...(isUnrelated ? ['harmed', 'runs lost'] : [])], ...lines]);
}

function formatGoals(queries) {
  const share = (kind, condition, field = 'hitFile') => {
    const chosen = queries.filter((query) => KINDS[kind].includes(query.kind) && query.split === 'held out');
    return mean(selectRows(chosen, condition).map((row) => Number(row[field])));
  };
  const conditions = ['Argus hook', 'Argus diagnose'];
  const goals = [
    ['hit@1 file, identical', (condition) => share('identical', condition), '>=', 0.9],
    ['hit@1 file, siblings', (condition) => share('siblings', condition), '>=', 0.6],
    ...['identical', 'siblings'].flatMap((kind) =>
      Object.entries({ BM25: 0.15, notes: 0 }).map(([other, least]) => {
        return [`${kind}, above ${other}`, (condition) => share(kind, condition) - share(kind, other), '>=', least];
      }),
    ),
    ['silent, unrelated', (condition) => share('unrelated', condition, 'silent'), '>=', 0.99],
    ['harmed, unrelated', (condition) => share('unrelated', condition, 'isHarmed'), '<=', 0.01],
  ];
  const lines = goals.map(([name, measure, sign, limit]) => {
    const values = conditions.map(measure);
    return [name, ...values.map((value) => `${value.toFixed(2)}, ${formatGoal(value, sign, limit)}`)];
  });
  return formatTable([['goal, held out', ...conditions], ...lines]);
}

function formatDrops(drops) {
  const pairsOf = new Map();
  for (const { kind, advance = '', drop, repository, pair = '' } of drops) {
    const key = [kind, advance, drop].join(' | ');
    pairsOf.set(key, [...(pairsOf.get(key) ?? []), `${repository.split('/')[1]}@${pair.slice(0, 7)}`]);
  }
  const lines = [...pairsOf].sort().map(([key, pairs]) => [key, pairs.length, pairs.join(' ')]);
  return formatTable([['kind', 'commits later', 'reason', 'count', 'pairs'], ...lines]);
}

/** Returns the parts of the report. */
export function formatReport() {
  const lines = REPOSITORIES.flatMap(({ repository }) => readLines(resultsFile(repository)));
  // A pair that was interrupted was played again.
  const key = ({ repository, pair, kind, advance, number }) => [repository, pair, kind, advance, number].join(' ');
  const results = [...new Map(lines.map((line) => [key(line), line])).values()];
  const queries = results.filter(({ answers }) => answers !== undefined);
  const pairs = readLines(PAIRS_FILE);
  const played = results.filter(({ kind }) => kind === 'end').length;
  const repositories = new Set(pairs.map(({ repository }) => repository)).size;
  const conditions = queries[0]?.answers.map(({ condition }) => condition) ?? [];
  const repaired = queries.filter(({ verified }) => verified !== undefined);
  const known = conditions.slice(0, -1);
  const parts = Object.entries(PARTS).map(([name, test]) => {
    const chosen = queries.filter(test);
    return [name, chosen.length, ...known.map((condition) => formatShare(selectRows(chosen, condition), 'hitFile'))];
  });
  return [
    LIMITS,
    `${pairs.length} frozen pairs in ${repositories} repositories, ${played} of them played. ${repaired.length} repairs really ran, ${repaired.filter(({ verified }) => verified).length} were green. Shares have Wilson intervals and means bootstrap intervals over repositories, 95 %.`,
    formatGoals(queries),
    ...SPLITS.flatMap((split) =>
      Object.entries(KINDS).flatMap(([name, kinds]) => {
        const chosen = queries.filter((query) => query.split === split && kinds.includes(query.kind));
        return [`### ${name}, ${split}`, formatConditions(chosen, conditions, name === 'unrelated')];
      }),
    ),
    '### Parts, both splits',
    formatTable([['hit@1 file', 'n', ...known], ...parts]),
    '### Drops',
    'Here the oracle has nothing to repair either, so that these count for no condition, except errors.',
    formatDrops(results.filter(({ drop }) => drop !== undefined)),
  ];
}
