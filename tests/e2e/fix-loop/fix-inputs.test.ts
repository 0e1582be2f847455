/** Tests generate-inputs, and a loop that answers prompts. packages/mcp/test/fix has the unit tests of prompts. */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus, type Invocation } from '../argus.ts';
import { createProject } from '../harness.ts';
import { fixProblem, loopOn } from './fix-loop.ts';

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
