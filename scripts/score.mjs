// `npm run score`: measures the built engine on generated everyday histories and on the development data next to the
// project, and prints each score with its goal. The goals apply to a sealed data set of the same kind; these scores
// show what to improve. `npm run score -- --data DIR` reads another folder, and `-- --show` lists wrong answers. If the
// data or python3 is missing, the command reports that and does not fail.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { build } from './build.mjs';
import { findProgram, root, run } from './lib/exec.mjs';
import { buildTeeCommand, drawReliability } from './lib/reliability.mjs';
import { scoreDailyHistories } from './lib/simulated-histories.mjs';
import { requireSuccess, runMain, runStep } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const CLI_PATH = join(root, 'packages', 'mcp', 'dist', 'cli.mjs');
const isShowingErrors = process.argv.includes('--show');

/**
 * Each scorer has a script, the field of `inspect --jsonl` that the script reads, and the numbers to extract with their
 * goals. A scorer without a field queries the memory.
 */
const SCORERS = [
  {
    script: 'score_classify.py',
    field: 'category',
    filled: { file: 'failures.jsonl.gz', columns: ['origin', 'ecosystem'] },
    showErrors: ['--errors', '400'],
    scores: [
      ['classify strict', /^ALL .*strict=([\d.]+)/m, 0.92],
      ['classify lenient', /^ALL .*lenient=([\d.]+)/m, 0.96],
      ['lowest precision of a category', createLowestReader(0), 0.8],
      ['lowest recall of a category', createLowestReader(1), 0.8],
    ],
  },
  {
    script: 'score_pairs.py',
    field: 'familySignature',
    scores: [
      ['pairs that must match', /^must match .*= ([\d.]+)/m, 0.95],
      ['pairs that must differ', /^must differ .*= ([\d.]+)/m, 0.95],
    ],
  },
  {
    script: 'score_grouping.py',
    field: 'familySignature',
    args: ['--file', 'failure_groups.jsonl.gz', '--group', 'set', '--label', 'group', '--text', 'text'],
    scores: [
      ['groups generated, GA', /^generated\S* +\d+ +\d+ +\d+ +([\d.]+)/m, 0.985],
      ['groups real, GA', /^real\S* +\d+ +\d+ +\d+ +([\d.]+)/m, 0.85],
    ],
  },
  {
    script: 'score_normalize.py',
    field: 'normalized',
    showErrors: ['--show'],
    scores: [
      ['placeholders, skeleton', /^ALL standard +\d+ +([\d.]+)/m, 0.88],
      ['placeholders, masked', /^ALL standard +\d+ +[\d.]+ +[\d.]+ +([\d.]+)/m, 0.96],
      ['texts without placeholder kept', /\/kept +\d+ +[\d.]+ +[\d.]+ +([\d.]+)/m, 1],
    ],
  },
  {
    script: 'score_grouping.py',
    field: 'familySignature',
    scores: [
      ['loghub, GA', /^MEAN +([\d.]+)/m, 0.72],
      ['loghub, FGA', /^MEAN +[\d.]+ +([\d.]+)/m, 0.75],
    ],
  },
  {
    script: 'score_secrets.py',
    field: 'redacted',
    showErrors: ['--show'],
    scores: [
      ['secrets removed', /removed ([\d.]+) {2}context/m, 0.98],
      ['look-alikes kept', /look-alikes \d+: kept ([\d.]+)/m, 0.99],
    ],
  },
  {
    script: 'score_retrieval.py',
    scores: [
      ['retrieval, recall@1', /^ALL +\d+ +([\d.]+)/m, 0.5],
      ['retrieval, recall@5', /^ALL +\d+ +[\d.]+ +([\d.]+)/m, 0.7],
      ['retrieval, MRR@10', /^ALL +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)/m, 0.59],
    ],
  },
];

/**
 * Scores of the analysis across runs, for Argus and for common rules of thumb. A goal with `at most` means that a lower
 * score is better.
 */
const EVIDENCE_SCORES = {
  'verdicts, macro F1': [/^macro F1 ([\d.]+)/m, '.88'],
  'verdicts, answered': [/answered ([\d.]+) /, '.90'],
  'verdicts, accuracy': [/accuracy of the answered ([\d.]+)/, '.92'],
  'verdicts, calibration error': [/calibration error ([\d.]+)/, 'at most .05'],
  'one cause, precision': [/pairs: P ([\d.]+)/, '.98'],
  'one cause, recall': [/pairs: P [\d.]+ R ([\d.]+)/, '.95'],
  'culprit among the suspects': [/among the suspects ([\d.]+)/, '.97'],
  'culprit first': [/culprit first ([\d.]+)/, '.65'],
  'flaky tests found': [/flaky tests found ([\d.]+)/, '.90'],
  'wrongly called flaky': [/wrongly called (\d+)/, 'at most 8'],
  'polluters named': [/polluter named ([\d/]+)/, 'half'],
  'conditions named': [/condition named ([\d/]+)/, 'all'],
  'fixes found': [/fixes found ([\d.]+)/, '.95'],
  'fixes that came back, refuted': [/came back and refuted ([\d/]+)/, '.85'],
  'fixes that held, refuted': [/held but refuted (\d+)/, '0'],
};

/**
 * Data sets of recurring failures: external data sets, and the project's own data set. The second half of the project's
 * own failures is used only for measuring.
 */
const RECURRENCE_SETS = {
  'others’ failures': (data) => join(data, 'recurrence.jsonl.gz'),
  'own, development': () => join(root, 'tests', 'recurrence', 'development.jsonl.gz'),
  'own, held out': () => join(root, 'tests', 'recurrence', 'held-out.jsonl.gz'),
};

await runMain(async () => {
  await setUp();
  await build();
  await scoreGeneratedHistories();
  const flag = process.argv.indexOf('--data');
  const data = resolve(flag > 0 ? process.argv[flag + 1] : join(root, '..', 'shared', 'data'));
  if (!existsSync(join(data, 'score_classify.py'))) {
    console.log(`no scores: ${data} does not exist; npm run score -- --data DIR reads it from elsewhere`);
    return 0;
  }
  if (!findProgram('python3')) {
    console.log('no scores: the scorers need python3; install with: apt-get install -y python3');
    return 0;
  }
  for (const scorer of SCORERS) await runScorer(data, scorer);
  await scoreRecurrence(data);
  await scoreEvidence(data);
  return 0;
});

/** Scores generated histories, which need no data. */
async function scoreGeneratedHistories() {
  const { openEngine } = await import('../npm/engine/dist/node.mjs');
  const open = () => openEngine({ databasePath: ':memory:', projectRoot: root });
  const rows = await runStep('histories of ordinary days', () => scoreDailyHistories(open));
  for (const { name, right, innocent, named, culprits, histories } of rows) {
    const culprit = culprits === 0 ? '' : `   culprit among the suspects ${named} of ${culprits}`;
    console.log(`   ${name.padEnd(40)} right ${right} of ${histories}   innocent accused ${innocent}${culprit}`);
  }
}

/** Scores the same rows by signature only, by Argus' diagnoses, and by the template miner Drain3. */
async function scoreRecurrence(data) {
  const script = join(data, 'score_recurrence.py');
  const drain = await installDrain();
  if (drain === undefined) console.log('   no Drain3 to compare with: pip could not install it');
  for (const [name, file] of Object.entries(RECURRENCE_SETS)) {
    const rows = ['--file', file(data)];
    const ways = {
      signature: ['python3', script, ...rows, '--', ...queryCommand(data, 'signature')],
      diagnose: [
        'python3',
        script,
        ...rows,
        '--',
        'python3',
        join(data, 'via_diagnose.py'),
        process.execPath,
        CLI_PATH,
      ],
      ...(drain && { Drain3: [drain, script, ...rows, '--drain'] }),
    };
    for (const [way, [program, ...command]] of Object.entries(ways)) {
      const title = `recurrence, ${name}, ${way}`;
      const output = await runStep(title, async (onLine) =>
        requireSuccess(title, await run(program, command, { onLine })),
      );
      if (isShowingErrors) console.log(output);
      const [, groups, precision, recall, f] = /^MEAN +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)/m.exec(output) ?? [];
      console.log(`   GA ${groups}   P ${precision}   R ${recall}   F ${f}   goal .88 .96 .88 .91`);
    }
  }
}

/** Scores histories whose right verdicts are known, recorded run by run. */
async function scoreEvidence(data) {
  const histories = join(data, 'histories.jsonl.gz');
  const folder = mkdtempSync(join(tmpdir(), 'argus-score-'));
  const answers = join(folder, 'answers.jsonl');
  const script = [join(data, 'score_evidence.py'), '--file', histories];
  const product = [
    '--',
    ...buildTeeCommand(answers, ['python3', join(data, 'via_history.py'), process.execPath, CLI_PATH]),
  ];
  const outputs = [];
  for (const [way, args] of Object.entries({ Argus: product, 'rules of thumb': ['--baseline'] })) {
    const title = `evidence, ${way}`;
    const output = await runStep(title, async (onLine) =>
      requireSuccess(title, await run('python3', [...script, ...args], { onLine })),
    );
    if (isShowingErrors) console.log(output);
    outputs.push(output);
  }
  const diagram = drawReliability(splitLines(gunzipSync(readFileSync(histories))), splitLines(readFileSync(answers)));
  rmSync(folder, { recursive: true });
  for (const [name, [pick, goal]] of Object.entries(EVIDENCE_SCORES)) {
    const [argus, thumb] = outputs.map((output) => pick.exec(output)?.[1] ?? '-');
    console.log(`   ${name.padEnd(32)} ${argus.padEnd(6)} rules of thumb ${thumb.padEnd(6)} goal ${goal}`);
  }
  console.log('   verdicts by stated probability: # is the share that was right, o what was stated');
  for (const line of diagram) console.log(`   ${line}`);
}

function splitLines(bytes) {
  const lines = bytes.toString().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Returns the path of a Python with Drain3, which is installed once. */
async function installDrain() {
  const venv = join(root, 'target', 'drain3');
  const python = join(venv, 'bin', 'python');
  if (!existsSync(python)) {
    await run('python3', ['-m', 'venv', venv]);
    await run(python, ['-m', 'pip', 'install', '--quiet', 'drain3==0.9.11']);
  }
  const { code } = await run(python, ['-c', 'import drain3']);
  return code === 0 ? python : undefined;
}

async function runScorer(data, { script, field, args = [], filled, showErrors = [], scores }) {
  const files = args.map((arg) => (arg.endsWith('.gz') ? join(data, arg) : arg));
  if (filled) files.push('--file', addMissingColumns(join(data, filled.file), filled.columns));
  const product = queryCommand(data, field);
  const title = `${script} ${args[1] ?? ''}`.trim();
  const command = [join(data, script), ...files, ...(isShowingErrors ? showErrors : []), '--', ...product];
  const output = await runStep(title, async (onLine) =>
    requireSuccess(title, await run('python3', command, { onLine })),
  );
  if (isShowingErrors) console.log(output);
  for (const [name, pick, goal] of scores) {
    const found = typeof pick === 'function' ? pick(output) : Number(pick.exec(output)?.[1]);
    const mark = found >= goal ? 'reached' : 'below';
    console.log(`   ${name.padEnd(32)} ${found.toFixed(3)}   goal ${goal.toFixed(3)}   ${mark}`);
  }
}

/** Returns the command that queries Argus: `inspect` for each text, or the memory. */
function queryCommand(data, field) {
  if (field === undefined) return ['python3', join(data, 'via_memory.py'), process.execPath, CLI_PATH];
  return ['python3', join(data, 'via_inspect.py'), field, process.execPath, CLI_PATH, 'inspect', '--jsonl'];
}

/** Writes a copy with all columns by which the scorer groups, because a data file may lack some. */
function addMissingColumns(file, columns) {
  const rows = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const full = rows.map((row) => ({ ...Object.fromEntries(columns.map((it) => [it, '-'])), ...JSON.parse(row) }));
  const copy = join(root, 'target', 'score-rows.jsonl');
  writeFileSync(copy, full.map((row) => JSON.stringify(row)).join('\n'));
  return copy;
}

/** Returns a function that reads the lowest value of a column from rows such as `TIMEOUT   31  0.968  0.935  0.951`. */
function createLowestReader(column) {
  return (output) => {
    const rows = [...output.matchAll(/^[A-Z_]{5,} +\d+ +([\d.]+) +([\d.]+) +[\d.]+$/gm)];
    return Math.min(...rows.map((row) => Number(row[column + 1])));
  };
}
