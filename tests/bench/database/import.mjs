// Imports a JUnit file with 100,000 cases in a separate process, and reports duration and peak memory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatGoal, formatTable, median, OUT, writeReport } from '../measure.mjs';
import { writeJunit } from '../report-file.mjs';

const CASE_COUNT = Number(process.argv[2] ?? 100_000);
const ROUNDS = 5;
const childScript = join(fileURLToPath(new URL('.', import.meta.url)), 'import-child.mjs');
mkdirSync(OUT, { recursive: true });
const benchFolder = mkdtempSync(join(OUT, 'import-'));
const junitPath = join(benchFolder, 'junit.xml');
writeJunit(junitPath, CASE_COUNT);

const rounds = Array.from({ length: ROUNDS }, (_, round) => {
  const output = execFileSync(process.execPath, [childScript, junitPath, join(benchFolder, `${round}.db`)], {
    encoding: 'utf8',
  });
  return JSON.parse(output);
});
rmSync(benchFolder, { recursive: true, force: true });

const seconds = median(rounds.map((round) => round.seconds));
const megabytes = median(rounds.map((round) => round.peakKilobytes)) / 1000;
writeReport(
  'import',
  `Import of a JUnit file with ${CASE_COUNT.toLocaleString('en')} cases`,
  `Medians of ${ROUNDS} processes; the memory is the whole process, Node included.`,
  formatTable([
    ['measure', 'value', 'goal'],
    ['time', `${seconds.toFixed(2)} s`, formatGoal(seconds, '<=', 2)],
    ['its thread on a CPU', `${median(rounds.map((round) => round.thread)).toFixed(2)} s`, '-'],
    ['the process on a CPU, V8 compiling included', `${median(rounds.map((round) => round.cpu)).toFixed(2)} s`, '-'],
    ['peak memory', `${megabytes.toFixed(0)} MB`, formatGoal(megabytes, '<=', 300)],
  ]),
);
