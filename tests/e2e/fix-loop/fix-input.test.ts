/**
 * Input of fix-problem: the contract's examples as written, invalid input that starts no loop and loses no data, and
 * answers to prompts, with generate-inputs. crates/core/src/fix_loop/tests/walks.rs tests the ranges of all values, and
 * packages/mcp/test/fix has the unit tests of prompts.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus, type Invocation } from '../argus.ts';
import { createProject } from '../harness.ts';
import {
  CHECK_LOOP,
  FAILING_FILES,
  findLoopFolder,
  fixProblem,
  loopOn,
  writeAnswer,
  writeProjectFile,
} from './fix-loop.ts';

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

const SETUP_SCRIPT = `#!/bin/bash
read -rp "Project name: " name
read -rp "Port [8080]: " port
read -rp "Remove old builds? [y/N] " old
echo "$name:$port:$old"
`;

const PRESS_FILES = { 'setup.sh': SETUP_SCRIPT, 'package.json': '{"name":"press","version":"1.0.0"}' };
const INPUTS_FILE = '.claude/inputs/setup-inputs.yaml';

const generateInputs = (root: string, ...args: string[]) => argus(['generate-inputs', ...args], { cwd: root });
const readInputsFile = (root: string) => readFileSync(path.join(root, INPUTS_FILE), 'utf8');

describe('generate-inputs', () => {
  test('generate-inputs writes a file that answers the script, and overwrites it only with --force', async () => {
    const root = createProject(PRESS_FILES);
    const { status, stdout, stderr } = await generateInputs(root, 'setup.sh');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`${INPUTS_FILE}: 3 inputs`);
    expect(stdout).toMatch(/name +press +95 % +package\.json name/u);
    expect(readInputsFile(root)).toMatch(/^version: 1\nscript: setup\.sh\ngenerated: "?\d{4}-.*Z"?$/mu);
    // Reads the values like `yq -r '.inputs[].value'`.
    const values = [...readInputsFile(root).matchAll(/^ {4}value: "(.*)"$/gmu)].map((match) => match[1]);
    expect(values).toEqual(['press', '8080', 'n']);
    const input = values.map((value) => `${value}\n`).join('');
    expect(spawnSync('bash', ['setup.sh'], { cwd: root, input, encoding: 'utf8' }).stdout).toBe('press:8080:n\n');

    writeFileSync(path.join(root, INPUTS_FILE), 'mine');
    expect(await generateInputs(root, 'setup.sh')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^INVALID_INPUT: .*already exists.*--force/u),
    });
    expect(readInputsFile(root)).toBe('mine');
    expect((await generateInputs(root, 'setup.sh', '--force')).status).toBe(0);
  });

  test('generate-inputs exits with code 4 if only the user can answer', async () => {
    const root = createProject({ 'setup.sh': 'read -rsp "API key: " key\n' });
    const { status, stdout } = await generateInputs(root, './setup.sh');
    expect(status).toBe(4);
    expect(stdout).toContain('(you must fill this in)');
    expect(stdout).toContain('value_from_env: KEY');
    expect(readInputsFile(root)).toMatch(/source: user_required/u);
    expect(readInputsFile(root)).toMatch(/deferred: true/u);
    expect(readInputsFile(root)).not.toMatch(/value:/u);
  });

  test('generate-inputs accepts a command line and a project elsewhere, and answers as JSON', async () => {
    const [root, elsewhere] = [createProject(PRESS_FILES), createProject()];
    const args = ['--project', root, '--output', 'mine.yaml', '--json'];
    const { status, stdout } = await generateInputs(elsewhere, 'bash setup.sh', ...args);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ path: 'mine.yaml', version: 1, deferred: [] });
    expect(existsSync(path.join(elsewhere, 'mine.yaml'))).toBe(true);
    expect(existsSync(path.join(root, INPUTS_FILE))).toBe(false);
  });

  test('generate-inputs writes no file for a script that asks no questions, is missing or is not named', async () => {
    const root = createProject({ 'quiet.sh': 'echo hello\n' });
    expect(await generateInputs(root, 'quiet.sh')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('no file was written'),
    });
    const missing = await generateInputs(root, 'gone.sh');
    expect(missing).toMatchObject({ status: 2, stderr: expect.stringContaining('does not exist') });
    expect(await generateInputs(root, ' ')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('command is empty'),
    });
    expect(await generateInputs(root)).toMatchObject({ status: 2 });
    expect(JSON.parse((await generateInputs(root, 'gone.sh', '--json')).stdout)).toMatchObject({
      success: false,
      error: { code: 'INVALID_INPUT' },
    });
    expect(existsSync(path.join(root, '.claude'))).toBe(false);
  });
});

describe('a loop', () => {
  const loop = (root: string, args: string[], invocation: Invocation = {}) =>
    fixProblem(root, loopOn('bash setup.sh', ...args), invocation);

  test('a loop answers questions that the script does not show, one more in each attempt', async () => {
    const root = createProject({
      'setup.sh': 'read -rp "Project name: " name\nnode ask.js && echo "made $name"\n',
      'ask.js': `const { createInterface } = require('node:readline');
const lines = createInterface({ input: process.stdin, output: process.stdout });
const next = (name, then) => lines.question('Enter the ' + name + ': ', (answer) => { console.log(answer); then(); });
next('number of workers', () => next('region', () => process.exit(0)));
lines.on('close', () => { process.exitCode = 1; });
`,
    });
    const { status, stdout, stderr } = await loop(root, ['--auto']);
    expect(status, stdout + stderr).toBe(0);
    expect(readInputsFile(root)).toContain('Enter the number of workers:');
    expect(readInputsFile(root)).toContain('Enter the region:');
  });

  test('a loop asks the user for a credential and never shows it', async () => {
    const root = createProject({
      'setup.sh': '#!/bin/bash\nread -rsp "Password: " pw\necho "pw=$pw"\n[[ "$pw" == sesame-[8] ]]\n',
    });
    const asked = await loop(root, ['--auto']);
    expect(asked.status).toBe(4);
    expect(asked.stdout + asked.stderr).toContain('value_from_env: PW');
    writeFileSync(
      path.join(root, INPUTS_FILE),
      readInputsFile(root).replace('deferred: true', 'value_from_env: SETUP_PW'),
    );
    const missing = await loop(root, ['--auto']);
    expect(missing.status).toBe(4);
    expect(missing.stdout + missing.stderr).toContain('Set the environment variable SETUP_PW');
    const done = await loop(root, ['--auto'], { env: { SETUP_PW: 'sesame-8' } });
    expect(done.status, done.stdout + done.stderr).toBe(0);
    const kept = spawnSync('grep', ['-rl', 'sesame-8', path.join(root, '.claude'), path.join(root, '.argus')]);
    expect(String(kept.stdout)).toBe('');
    expect(done.stdout + done.stderr).not.toContain('sesame-8');
  });
});
