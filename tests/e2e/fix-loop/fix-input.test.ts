/**
 * Input of fix-problem: the contract's examples as written, and invalid input that starts no loop and loses no data.
 * crates/core/src/fix_loop/tests/walks.rs tests the ranges of all values, and fix-inputs.test.ts tests files of inputs.
 */

import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { CHECK_LOOP, FAILING_FILES, findLoopFolder, fixProblem, writeAnswer, writeProjectFile } from './fix-loop.ts';

const TRIVIAL_LOOP = ['--command', 'true', '--desired', 'x'];

test.each([
  [['--desired', 'x'], /nothing to fix/iu],
  [['--command', ' ', '--desired', 'x'], /empty/iu],
  [['--command', 'true', '--desired', ''], /--desired is required/u],
  [['an error', ...TRIVIAL_LOOP], /not both/u],
  [[...TRIVIAL_LOOP, '--test', 'true'], /--test is only for error mode/u],
  [[...TRIVIAL_LOOP, '--timeout', '0'], /timeout must be/u],
  [[...TRIVIAL_LOOP, '--timeout', '1e3'], /whole number/u],
  [[...TRIVIAL_LOOP, '--backoff', 'soon'], /number/u],
  [[...TRIVIAL_LOOP, '--retries', '3'], /unknown option/u],
  [[...TRIVIAL_LOOP, 'a', 'b'], /too many arguments/u],
  [[...TRIVIAL_LOOP, '--agent', 'true', '--agent-timeout', '0'], /1 and 604800/u],
  [[...TRIVIAL_LOOP, '--agent', 'true', '--agent-timeout', '9999999'], /1 and 604800/u],
  [['--resume'], /LOOP_NOT_FOUND/u],
  [['--resume', '--command', 'true'], /LOOP_NOT_FOUND/u],
])('%j starts no loop', async (args, message) => {
  const root = createProject();
  const { status, stdout, stderr } = await fixProblem(root, args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
});

test('an invalid state file is not changed, and a valid file is resumed despite broken files beside it', async () => {
  const root = createProject(FAILING_FILES);
  await fixProblem(root, CHECK_LOOP);
  const file = path.join(findLoopFolder(root), 'state.json');
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
    for (const args of [CHECK_LOOP, ['--resume']]) {
      const { status, stdout, stderr } = await fixProblem(root, args);
      expect({ status, stdout }, name).toEqual({ status: 2, stdout: '' });
      expect(stderr, name).toContain(code);
      expect(stderr, name).toContain(file);
    }
    expect(readFileSync(file, 'utf8'), name).toBe(before);
    writeFileSync(file, good);
  }
  for (const name of ['insight.json', 'attempt_1.log', 'brief.md'])
    writeFileSync(path.join(findLoopFolder(root), name), '{"attempt": "x"');
  writeAnswer(root, 'good');
  expect((await fixProblem(root, ['--resume'])).status).toBe(0);
});

test('a loop folder that cannot be created is an error', async () => {
  const root = createProject({ ...FAILING_FILES, '.claude': 'a file' });
  const { status, stderr } = await fixProblem(root, CHECK_LOOP);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^STATE_NOT_WRITTEN: .* cannot be written/mu);
});

test('a loop works in a project without history', async () => {
  const root = createProject({ ...FAILING_FILES, 'argus.yaml': 'history: { enabled: false }\n' });
  expect((await fixProblem(root, CHECK_LOOP)).status).toBe(3);
  writeAnswer(root, 'good');
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

const PODS_TABLE =
  'NAME    READY   STATUS             RESTARTS   AGE\\nweb-1   0/1     ImagePullBackOff   0          2m\\n';
const SCRIPT_FILES = {
  'run-tests.sh': 'echo "all tests pass"',
  'interrogate.sh': 'test "$1 $2" = "--extract testapp" && echo "scope of $2"',
  'setup.sh':
    'read -r -p "Project name: " name\nread -r -p "Version [1.0.0]: " version\ntest -n "$name" && echo "made $name $version"',
};
const PROGRAM_FILES = {
  kubectl: `case $1 in apply) echo "pod/web-1 created";; get) printf '${PODS_TABLE}';; *) exit 1;; esac`,
};

/** Creates a folder of programs and returns its path. */
function createProgramFolder(texts: Record<string, string>): string {
  const root = createProject(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, `#!/bin/bash\n${text}\n`])),
  );
  for (const name of Object.keys(texts)) chmodSync(path.join(root, name), 0o755);
  return root;
}

function createShop() {
  const root = createProgramFolder(SCRIPT_FILES);
  writeProjectFile(root, 'package.json', '{"name":"shop","version":"1.2.0","scripts":{"build":"echo built"}}');
  return { root, env: { PATH: `${createProgramFolder(PROGRAM_FILES)}${path.delimiter}${process.env.PATH}` } };
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
  const { root, env } = createShop();
  const { status, stderr } = await argus([command, '--arguments', '-'], { input: typed, cwd: root, env });
  expect(status, stderr).toBe(code);
});

test('a loop answers the questions of a script with generated inputs', async () => {
  const { root: cwd, env } = createShop();
  const file = '.claude/inputs/setup-inputs.yaml';
  expect((await argus(['generate-inputs', './setup.sh'], { cwd, env })).status).toBe(0);
  const given = ['--command', './setup.sh', '--desired', 'Setup completes', '--inputs', file];
  const { status, stderr } = await argus(['fix-problem', ...given], { cwd, env });
  expect(status, stderr).toBe(0);
  expect(stderr).toContain('made shop 1.');
});
