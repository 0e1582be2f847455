// Prints the sum of the counts of `npm test` and `npm run test:full` as the last line of a CI run. A command that ended
// before it could count is one failure.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './exec.mjs';
import { formatSummary } from './run-suite.mjs';

const suiteCounts = ['test', 'full'].map((name) => {
  const file = join(root, 'target', 'logs', `counts-${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 1, skipped: 0 };
});
const sumCounts = (key) => suiteCounts.reduce((total, suite) => total + suite[key], 0);
console.log(formatSummary({ passed: sumCounts('passed'), failed: sumCounts('failed'), skipped: sumCounts('skipped') }));
