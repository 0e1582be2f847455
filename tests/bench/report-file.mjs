// JUnit files of any size for the benchmarks. Does not: imitate a particular runner.
import { closeSync, openSync, writeSync } from 'node:fs';

const MESSAGE = 'AssertionError: expected 3 to equal 4';
const STACK = `${MESSAGE}\n    at tests/orders.test.ts:12:20\n    at runTest (node_modules/runner/index.js:40:9)`;

/** Writes `count` cases, the first of which failed, and then every hundredth. */
export function writeJunit(path, count) {
  const file = openSync(path, 'w');
  writeSync(file, `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="${count}">\n`);
  for (let start = 0; start < count; start += 1000) writeSync(file, suite(start, Math.min(count, start + 1000)));
  writeSync(file, '</testsuites>\n');
  closeSync(file);
}

function suite(start, end) {
  const cases = [];
  for (let index = start; index < end; index += 1) cases.push(testCase(index));
  const name = start === 0 ? 'tests/orders.test.ts' : `tests/part-${start / 1000}.test.ts`;
  return `<testsuite name="${name}" tests="${end - start}">\n${cases.join('\n')}\n</testsuite>\n`;
}

function testCase(index) {
  const name = index === 0 ? 'orders &gt; creates one' : `group ${index % 50} &gt; does thing ${index}`;
  const file = index < 1000 ? 'tests/orders.test.ts' : `tests/part-${Math.floor(index / 1000)}.test.ts`;
  const open = `<testcase classname="${file}" name="${name}" file="${file}" time="0.0${index % 10}"`;
  if (index % 100 !== 0) return `${open}/>`;
  return `${open}><failure message="${MESSAGE}" type="AssertionError">${STACK}</failure></testcase>`;
}
