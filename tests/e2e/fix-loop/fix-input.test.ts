/**
 * Input of fix-problem: the contract's examples as written, and bad input that starts no loop and loses no data. Ranges
 * of all values: crates/core/src/fix_loop/tests/walks.rs. Files of inputs: fix-inputs.test.ts.
 */

import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { answer, FAILING, fixProblem, loopFolder, RUN, write } from './fix-loop.ts';

const TRUE = ['--command', 'true', '--desired', 'x'];

test.each([
  [['--desired', 'x'], /nothing to fix/iu],
  [['--command', ' ', '--desired', 'x'], /empty/iu],
  [['--command', 'true', '--desired', ''], /--desired is required/u],
  [['an error', ...TRUE], /not both/u],
  [[...TRUE, '--test', 'true'], /--test belongs to error mode/u],
  [[...TRUE, '--timeout', '0'], /timeout must be/u],
  [[...TRUE, '--timeout', '1e3'], /whole number/u],
  [[...TRUE, '--backoff', 'soon'], /number/u],
  [[...TRUE, '--retries', '3'], /unknown option/u],
  [[...TRUE, 'a', 'b'], /too many arguments/u],
  [[...TRUE, '--agent', 'true', '--agent-timeout', '0'], /1 to 604800/u],
  [[...TRUE, '--agent', 'true', '--agent-timeout', '9999999'], /1 to 604800/u],
  [['--resume'], /LOOP_NOT_FOUND/u],
  [['--resume', '--command', 'true'], /LOOP_NOT_FOUND/u],
])('%j starts no loop', async (args, message) => {
  const root = project();
  const { status, stdout, stderr } = await fixProblem(root, args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
});

test('does not change an invalid state file, and resumes a valid one despite broken files in its folder', async () => {
  const root = project(FAILING);
  await fixProblem(root, RUN);
  const file = path.join(loopFolder(root), 'state.json');
  const good = readFileSync(file, 'utf8');
  const replaced = (from: string, to: string) => () => writeFileSync(file, good.replace(from, to));
  const rows: [name: string, spoil: () => void, code: string][] = [
    ['cut off', () => truncateSync(file, 100), 'STATE_UNREADABLE'],
    ['empty', () => truncateSync(file, 0), 'STATE_UNREADABLE'],
    ['something else', () => writeFileSync(file, '[1, 2]'), 'STATE_UNREADABLE'],
    ['more attempts than allowed', replaced('"max_attempts": 5', '"max_attempts": 0'), 'STATE_UNREADABLE'],
    ['newer', replaced('"version": 1', '"version": 2'), 'STATE_NEWER'],
    ['of another command', replaced('node check.js', 'rm -rf /'), 'STATE_MISMATCH'],
  ];
  for (const [name, spoil, code] of rows) {
    spoil();
    const before = readFileSync(file, 'utf8');
    for (const args of [RUN, ['--resume']]) {
      const { status, stdout, stderr } = await fixProblem(root, args);
      expect({ status, stdout }, name).toEqual({ status: 2, stdout: '' });
      expect(stderr, name).toContain(code);
      expect(stderr, name).toContain(file);
    }
    expect(readFileSync(file, 'utf8'), name).toBe(before);
    writeFileSync(file, good);
  }
  for (const name of ['insight.json', 'attempt_1.log', 'brief.md'])
    writeFileSync(path.join(loopFolder(root), name), '{"attempt": "x"');
  answer(root, 'good');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);
});

test('a folder that cannot be created is an error', async () => {
  const root = project({ ...FAILING, '.claude': 'a file' });
  const { status, stderr } = await fixProblem(root, RUN);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^STATE_NOT_WRITTEN: .* cannot be written/mu);
});

test('loops work in a project without history', async () => {
  const root = project({ ...FAILING, 'argus.yaml': 'history: { enabled: false }\n' });
  expect((await fixProblem(root, RUN)).status).toBe(3);
  answer(root, 'good');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
});

test('--help documents the exit codes and every flag of the contract', async () => {
  const { status, stdout } = await argus(['fix-problem', '--help']);
  expect(status).toBe(0);
  const flags = 'desired command test auto inputs timeout max-attempts backoff circuit-breaker namespace';
  for (const flag of flags.split(' ')) expect(stdout).toContain(`--${flag}`);
  expect(stdout).toMatch(/Exit codes: 0 fixed; 1 not fixed/u);
});

const PODS = 'NAME    READY   STATUS             RESTARTS   AGE\\nweb-1   0/1     ImagePullBackOff   0          2m\\n';
const SCRIPTS = {
  'run-tests.sh': 'echo "all tests pass"',
  'interrogate.sh': 'test "$1 $2" = "--extract testapp" && echo "scope of $2"',
  'setup.sh':
    'read -r -p "Project name: " name\nread -r -p "Version [1.0.0]: " version\ntest -n "$name" && echo "made $name $version"',
};
const PROGRAMS = {
  kubectl: `case $1 in apply) echo "pod/web-1 created";; get) printf '${PODS}';; *) exit 1;; esac`,
};

/** A folder of programs. */
function programs(texts: Record<string, string>): string {
  const root = project(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, `#!/bin/bash\n${text}\n`])),
  );
  for (const name of Object.keys(texts)) chmodSync(path.join(root, name), 0o755);
  return root;
}

function shop() {
  const root = programs(SCRIPTS);
  write(root, 'package.json', '{"name":"shop","version":"1.2.0","scripts":{"build":"echo built"}}');
  return { root, env: { PATH: `${programs(PROGRAMS)}${path.delimiter}${process.env.PATH}` } };
}

test.each([
  ['fix-problem', '"TypeError: undefined" --desired "Function returns array"', 3],
  ['fix-problem', '--command "npm run build" --desired "Build succeeds"', 0],
  ['fix-problem', '--command "kubectl apply -f deploy.yaml" --desired "Pods running" --namespace myapp', 0],
  ['fix-problem', '--command "./run-tests.sh" --timeout 300 --max-attempts 5 --desired "All tests pass"', 0],
  ['fix-problem', '--command "./setup.sh" --desired "Setup completes" --auto', 0],
  [
    'fix-problem',
    `\\
  --command "./interrogate.sh --extract testapp" \\
  --desired "Scope document created" \\
  --max-attempts 5 \\
  --timeout 300`,
    0,
  ],
  [
    'fix-problem',
    `\\
  --command "kubectl apply -f k8s/" \\
  --desired "All pods running" \\
  --namespace "myapp" \\
  --circuit-breaker 3`,
    0,
  ],
])('%s %s', async (command, typed, code) => {
  const { root, env } = shop();
  const { status, stderr } = await argus([command, '--arguments', '-'], { input: typed, cwd: root, env });
  expect(status, stderr).toBe(code);
});

test('answers the questions of a script with generated inputs', async () => {
  const { root: cwd, env } = shop();
  const file = '.claude/inputs/setup-inputs.yaml';
  expect((await argus(['generate-inputs', './setup.sh'], { cwd, env })).status).toBe(0);
  const given = ['--command', './setup.sh', '--desired', 'Setup completes', '--inputs', file];
  const { status, stderr } = await argus(['fix-problem', ...given], { cwd, env });
  expect(status, stderr).toBe(0);
  expect(stderr).toContain('made shop 1.');
});
