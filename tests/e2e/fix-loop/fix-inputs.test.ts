import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus, type Invocation } from '../argus.ts';
import { project } from '../harness.ts';
import { fixProblem, loopFolder } from './fix-loop.ts';

const SCRIPT = `#!/bin/bash
read -rp "Project name: " name
read -rp "Port [8080]: " port
read -rp "Remove old builds? [y/N] " old
echo "$name:$port:$old"
`;

const PACKAGE = '{"name":"press","version":"1.0.0"}';
const FILE = '.claude/inputs/setup-inputs.yaml';

const generate = (root: string, ...args: string[]) => argus(['generate-inputs', ...args], { cwd: root });

test('writes the file and shows what it proposes; the file answers the script', async () => {
  const root = project({ 'setup.sh': SCRIPT, 'package.json': PACKAGE });
  const { status, stdout, stderr } = await generate(root, 'setup.sh');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(`${FILE}: 3 inputs`);
  expect(stdout).toMatch(/name +press +95 % +package\.json name/u);
  const text = readFileSync(path.join(root, FILE), 'utf8');
  expect(text).toMatch(/^version: 1\nscript: setup\.sh\ngenerated: "?\d{4}-.*Z"?$/mu);
  // What `yq -r '.inputs[].value'` would print.
  const values = [...text.matchAll(/^ {4}value: "(.*)"$/gmu)].map((match) => match[1]);
  expect(values).toEqual(['press', '8080', 'n']);
  const input = values.map((value) => `${value}\n`).join('');
  expect(spawnSync('bash', ['setup.sh'], { cwd: root, input, encoding: 'utf8' }).stdout).toBe('press:8080:n\n');
});

test('what only the user can give is said, with exit code 4', async () => {
  const root = project({ 'setup.sh': 'read -rsp "API key: " key\n' });
  const { status, stdout } = await generate(root, './setup.sh');
  expect(status).toBe(4);
  expect(stdout).toContain('(yours to give)');
  expect(stdout).toContain('value_from_env: KEY');
  const text = readFileSync(path.join(root, FILE), 'utf8');
  expect(text).toMatch(/deferred: true/u);
  expect(text).toMatch(/source: user_required/u);
  expect(text).not.toMatch(/value:/u);
});

test('--json, --output, --project and command lines', async () => {
  const root = project({ 'setup.sh': SCRIPT, 'package.json': PACKAGE });
  const elsewhere = project();
  const { status, stdout } = await generate(
    elsewhere,
    'bash setup.sh',
    '--project',
    root,
    '--output',
    'mine.yaml',
    '--json',
  );
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ path: 'mine.yaml', version: 1, deferred: [], notes: [] });
  expect(existsSync(path.join(elsewhere, 'mine.yaml'))).toBe(true);
  expect(existsSync(path.join(root, FILE))).toBe(false);
});

test('a file that is there is not overwritten but with --force', async () => {
  const root = project({ 'setup.sh': SCRIPT });
  await generate(root, 'setup.sh');
  writeFileSync(path.join(root, FILE), 'mine');
  const refused = await generate(root, 'setup.sh');
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(/^INVALID_INPUT: .*exists already.*--force/u);
  expect(readFileSync(path.join(root, FILE), 'utf8')).toBe('mine');
  expect((await generate(root, 'setup.sh', '--force')).status).toBe(0);
});

test('nothing asked, nothing there, nothing given', async () => {
  const root = project({ 'quiet.sh': 'echo hello\n' });
  const quiet = await generate(root, 'quiet.sh');
  expect(quiet).toMatchObject({ status: 0, stdout: expect.stringContaining('no file was written') });
  expect(existsSync(path.join(root, '.claude'))).toBe(false);
  expect(await generate(root, 'gone.sh')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('does not exist'),
  });
  expect(await generate(root, ' ')).toMatchObject({ status: 2, stderr: expect.stringContaining('command is empty') });
  expect(await generate(root)).toMatchObject({ status: 2 });
  const json = await generate(root, 'gone.sh', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
});

describe('fix-problem', () => {
  const loop = (root: string, args: string[], invocation: Invocation = {}) => {
    const given = ['--command', 'bash setup.sh', '--desired', 'Setup completes', '--backoff', '0', ...args];
    return fixProblem(root, given, invocation);
  };
  const answers = (...values: string[]) => `inputs:\n${values.map((value) => `  - value: ${value}\n`).join('')}`;

  test('takes the file that is named, else the one that lies there, else makes one under --auto', async () => {
    const root = project({
      'setup.sh': `${SCRIPT}exit 0\n`,
      'package.json': PACKAGE,
      [FILE]: answers('lying', '1', 'n'),
      'mine.yaml': answers('named', '2', 'n'),
    });
    expect(await loop(root, ['--auto', '--inputs', 'mine.yaml'])).toMatchObject({ status: 0 });
    expect(readFileSync(path.join(loopFolder(root), 'attempt_1.log'), 'utf8')).toContain('named:2:n');
    expect(await loop(root, ['--auto'])).toMatchObject({ status: 0 });
    expect(readFileSync(path.join(loopFolder(root), 'attempt_1.log'), 'utf8')).toContain('lying:1:n');
    const fresh = project({ 'setup.sh': SCRIPT, 'package.json': PACKAGE });
    expect(await loop(fresh, ['--auto'])).toMatchObject({ status: 0 });
    expect(readFileSync(path.join(loopFolder(fresh), 'attempt_1.log'), 'utf8')).toContain('press:8080:n');
    expect(existsSync(path.join(fresh, FILE))).toBe(true);
  });

  test('refuses a file that is malformed, or holds a credential, or is not there', async () => {
    const root = project({
      'setup.sh': SCRIPT,
      'broken.yaml': 'inputs: [\n',
      'leak.yaml': 'inputs:\n  - name: db_password\n    value: sesame-7\n',
    });
    for (const [file, words] of [
      ['broken.yaml', 'broken.yaml:2: not valid YAML'],
      ['leak.yaml', 'leak.yaml:3: inputs.0.value: '],
      ['gone.yaml', 'gone.yaml: it does not exist'],
    ] as const) {
      const { status, stderr, stdout } = await loop(root, ['--inputs', file]);
      expect(status).toBe(2);
      expect(stderr).toContain(words);
      expect(stdout + stderr).not.toContain('sesame-7');
    }
  });

  test('a question the script does not show is answered by the second run', async () => {
    const root = project({
      'setup.sh': 'read -rp "Project name: " name\nnode ask.js && echo "made $name"\n',
      'ask.js': `const { createInterface } = require('node:readline');
const lines = createInterface({ input: process.stdin, output: process.stdout });
lines.question('Enter the number of workers: ', (answer) => { console.log('workers=' + answer); lines.close(); process.exit(answer ? 0 : 1); });
lines.on('close', () => { process.exitCode = 1; });
`,
    });
    const { status, stdout, stderr } = await loop(root, ['--auto']);
    expect(status, stdout + stderr).toBe(0);
    expect(readFileSync(path.join(root, FILE), 'utf8')).toContain('Enter the number of workers:');
  });

  test('asks the user for a credential, and shows it nowhere once it is there', async () => {
    const root = project({
      'setup.sh': '#!/bin/bash\nread -rsp "Password: " pw\necho "pw=$pw"\n[[ "$pw" == sesame-[8] ]]\n',
    });
    const asked = await loop(root, ['--auto']);
    expect(asked.status).toBe(4);
    expect(asked.stdout + asked.stderr).toContain('value_from_env: PW');
    const file = path.join(root, FILE);
    writeFileSync(file, readFileSync(file, 'utf8').replace('deferred: true', 'value_from_env: SETUP_PW'));
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
