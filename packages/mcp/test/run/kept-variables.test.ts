/** Assignments in shell commands that keep the addition of Argus to the variable. */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { keepInShell } from '../../src/run/reporters/kept-variables.cjs';

const ADDED = '"$ARGUS_REPORT_NODE_OPTIONS"';

test.each([
  ['NODE_OPTIONS=--x mocha', `NODE_OPTIONS=${ADDED}--x mocha`],
  ["NODE_OPTIONS='--x --y' mocha", `NODE_OPTIONS=${ADDED}'--x --y' mocha`],
  ['NODE_OPTIONS= mocha', `NODE_OPTIONS=${ADDED} mocha`],
  ['cd a && NODE_OPTIONS=--x mocha', `cd a && NODE_OPTIONS=${ADDED}--x mocha`],
  ['A=1 B="c; d" NODE_OPTIONS=--x mocha', `A=1 B="c; d" NODE_OPTIONS=${ADDED}--x mocha`],
  ['export NODE_OPTIONS="--x"; mocha', `export NODE_OPTIONS=${ADDED}"--x"; mocha`],
  ['env NODE_OPTIONS=--x mocha', `env NODE_OPTIONS=${ADDED}--x mocha`],
  ["bash -lc 'NODE_OPTIONS=--x mocha'", `bash -lc 'NODE_OPTIONS=${ADDED}--x mocha'`],
])('%s', (text, kept) => {
  expect(keepInShell(text)).toBe(kept);
});

test.each([
  ['an argument, which a program reads that is hooked itself', 'cross-env NODE_OPTIONS=--x mocha'],
  ['an argument in quotes', "cross-env 'NODE_OPTIONS=--x' mocha"],
  ['within double quotes', 'concurrently "NODE_OPTIONS=--x mocha" "cd a && NODE_OPTIONS=--y mocha"'],
  ['another variable', 'MY_NODE_OPTIONS=--x OTHER=1 mocha'],
  ['a text', 'echo set NODE_OPTIONS=--x'],
])('does not change %s', (_, text) => {
  expect(keepInShell(text)).toBe(text);
});

test.skipIf(process.platform === 'win32')('a shell gets the addition and the value', () => {
  const text = keepInShell('PYTHONPATH=src A=1 NODE_OPTIONS="--x --y" sh -c \'echo "$PYTHONPATH $NODE_OPTIONS"\'');
  const env = { ...process.env, ARGUS_REPORT_PYTHONPATH: '/hooks:', ARGUS_REPORT_NODE_OPTIONS: '--require=/a ' };
  expect(execFileSync('sh', ['-c', text], { env, encoding: 'utf8' })).toBe('/hooks:src --require=/a --x --y\n');
});
