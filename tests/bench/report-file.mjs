// Writes JUnit files of any size for the benchmarks.
import { closeSync, openSync, writeSync } from 'node:fs';

const MESSAGE = 'AssertionError: expected 3 to equal 4';
const STACK = `${MESSAGE}\n    at tests/orders.test.ts:12:20\n    at runTest (node_modules/runner/index.js:40:9)`;

/**
 * Writes a report with `count` cases. By default the first and every hundredth case fails; otherwise the cases for
 * which `failure` returns a text.
 */
export function writeJunit(path, count, failure = failEveryHundredth) {
  const file = openSync(path, 'w');
  writeSync(file, `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${count}">\n`);
  for (let start = 0; start < count; start += 1000)
    writeSync(file, formatSuite(start, Math.min(count, start + 1000), failure));
  writeSync(file, '</testsuites>\n');
  closeSync(file);
}

/** Returns the text of a case's failure and the suffix of the case's name, or undefined if the case passed. */
function failEveryHundredth(index) {
  return index % 100 === 0 ? { type: 'AssertionError', message: MESSAGE, stack: STACK, name: '' } : undefined;
}

function formatSuite(start, end, failure) {
  const cases = [];
  for (let index = start; index < end; index += 1) cases.push(formatCase(index, failure(index)));
  const name = start === 0 ? 'tests/orders.test.ts' : `tests/part-${start / 1000}.test.ts`;
  return `<testsuite name="${name}" tests="${end - start}">\n${cases.join('\n')}\n</testsuite>\n`;
}

function formatCase(index, failed) {
  const name = index === 0 ? 'orders &gt; creates one' : `group ${index % 50} &gt; does thing ${index}`;
  const file = index < 1000 ? 'tests/orders.test.ts' : `tests/part-${Math.floor(index / 1000)}.test.ts`;
  const own = failed === undefined ? name : `${name}${failed.name}`;
  const open = `<testcase classname="${file}" name="${own}" file="${file}" time="0.0${index % 10}"`;
  if (failed === undefined) return `${open}/>`;
  return `${open}><failure message="${failed.message}" type="${failed.type}">${failed.stack}</failure></testcase>`;
}
