/** Tests assignments in shell commands, which must keep what Argus adds to the variable. */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { keepAdditionsInShell } from '../../src/run/reporters/kept-variables.cjs';

const ADDITION = '"$ARGUS_REPORT_NODE_OPTIONS"';

test.each([
  ['NODE_OPTIONS=--x mocha', `NODE_OPTIONS=${ADDITION}--x mocha`],
  ["NODE_OPTIONS='--x --y' mocha", `NODE_OPTIONS=${ADDITION}'--x --y' mocha`],
  ['NODE_OPTIONS= mocha', `NODE_OPTIONS=${ADDITION} mocha`],
  ['cd a && NODE_OPTIONS=--x mocha', `cd a && NODE_OPTIONS=${ADDITION}--x mocha`],
  ['A=1 B="c; d" NODE_OPTIONS=--x mocha', `A=1 B="c; d" NODE_OPTIONS=${ADDITION}--x mocha`],
  ['export NODE_OPTIONS="--x"; mocha', `export NODE_OPTIONS=${ADDITION}"--x"; mocha`],
  ['env NODE_OPTIONS=--x mocha', `env NODE_OPTIONS=${ADDITION}--x mocha`],
  ["bash -lc 'NODE_OPTIONS=--x mocha'", `bash -lc 'NODE_OPTIONS=${ADDITION}--x mocha'`],
])('keeps the addition to the variable in %s', (text, expected) => {
  expect(keepAdditionsInShell(text)).toBe(expected);
});

test.each([
  ['an argument of a program that restores the addition itself', 'cross-env NODE_OPTIONS=--x mocha'],
  ['an argument in quotes', "cross-env 'NODE_OPTIONS=--x' mocha"],
  ['assignments in double quotes', 'concurrently "NODE_OPTIONS=--x mocha" "cd a && NODE_OPTIONS=--y mocha"'],
  ['another variable', 'MY_NODE_OPTIONS=--x OTHER=1 mocha'],
  ['a text', 'echo set NODE_OPTIONS=--x'],
])('does not change %s', (_, text) => {
  expect(keepAdditionsInShell(text)).toBe(text);
});

test.skipIf(process.platform === 'win32')('a shell receives the addition and the value', () => {
  const text = keepAdditionsInShell(
    'PYTHONPATH=src A=1 NODE_OPTIONS="--x --y" sh -c \'echo "$PYTHONPATH $NODE_OPTIONS"\'',
  );
  const env = { ...process.env, ARGUS_REPORT_PYTHONPATH: '/hooks:', ARGUS_REPORT_NODE_OPTIONS: '--require=/a ' };
  expect(execFileSync('sh', ['-c', text], { env, encoding: 'utf8' })).toBe('/hooks:src --require=/a --x --y\n');
});
