// Import of a JUnit file with 100,000 cases in a separate process: duration and peak memory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goal, median, OUT, report, table } from '../measure.mjs';
import { writeJunit } from '../report-file.mjs';

const CASES = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const child = join(fileURLToPath(new URL('.', import.meta.url)), 'import-child.mjs');
mkdirSync(OUT, { recursive: true });
const folder = mkdtempSync(join(OUT, 'import-'));
const junit = join(folder, 'junit.xml');
writeJunit(junit, CASES);

const rounds = Array.from({ length: ROUNDS }, (_, round) => {
  const output = execFileSync(process.execPath, [child, junit, join(folder, `${round}.db`)], { encoding: 'utf8' });
  return JSON.parse(output);
});
rmSync(folder, { recursive: true, force: true });

const seconds = median(rounds.map((round) => round.seconds));
const megabytes = median(rounds.map((round) => round.peakKilobytes)) / 1000;
report(
  'import',
  `Import of a JUnit file with ${CASES.toLocaleString('en')} cases`,
  `Medians of ${ROUNDS} processes; the memory is the whole process, Node included.`,
  table([
    ['measure', 'value', 'goal'],
    ['time', `${seconds.toFixed(2)} s`, goal(seconds, '<=', 2)],
    ['its thread on a CPU', `${median(rounds.map((round) => round.thread)).toFixed(2)} s`, '-'],
    ['the process on a CPU, V8 compiling included', `${median(rounds.map((round) => round.cpu)).toFixed(2)} s`, '-'],
    ['peak memory', `${megabytes.toFixed(0)} MB`, goal(megabytes, '<=', 300)],
  ]),
);
