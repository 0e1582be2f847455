/** Tests files of inputs: where they are searched, when they are refused, and how they answer a command. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  generateInputs,
  listInputsFileNames,
  type ResolvedInputs,
  resolveInputs,
} from '../../src/fix/inputs/inputs.ts';
import { createProject, NOW } from '../project.ts';

function resolveTestInputs(
  root: string,
  rest: Partial<Parameters<typeof resolveInputs>[0]> = {},
): Promise<ResolvedInputs> {
  return resolveInputs({ root, command: './setup.sh', command_hash: 'abcd1234', auto: false, now: NOW, ...rest });
}

/** Runs the command as the loop would. */
function runWithInputs(
  root: string,
  { program, input = '', env }: ResolvedInputs,
  command = './setup.sh',
  more: Record<string, string> = {},
) {
  const { file, args } = program ?? { file: '/bin/sh', args: ['-c', command] };
  const environment = { ...process.env, ...more, ...env };
  return spawnSync(file, [...args], { cwd: root, input, encoding: 'utf8', timeout: 20_000, env: environment });
}

/** Returns the content of a project's inputs file, to detect whether the file was written again. */
const readInputsFile = (root: string) => readFileSync(path.join(root, '.claude/inputs/setup-inputs.yaml'), 'utf8');

const hasExpect = spawnSync('expect', ['-v']).status === 0;
if (!hasExpect) process.stderr.write('expect is not installed: what it answers is not tested\n');

function writeInputsFile(root: string, text: string, name = 'setup-inputs.yaml'): void {
  mkdirSync(path.join(root, '.claude/inputs'), { recursive: true });
  writeFileSync(path.join(root, '.claude/inputs', name), text);
}

const SIMPLE_INPUTS = 'version: 1\nscript: setup.sh\ninputs:\n  - name: a\n    value: one\n  - name: b\n    value: 2\n';

describe('the inputs file', () => {
  test('the inputs file is generated once under --auto and fed through a pipe', async () => {
    const root = createProject({
      'setup.sh':
        '#!/bin/bash\nread -p "Project name: " n\nread -p "Port [80]: " p\necho "got $n:$p"\n[ "$n" = orchard ]\n',
    });
    const resolved = await resolveTestInputs(root, { auto: true });
    const name = '.claude/inputs/setup-inputs.yaml';
    expect(resolved).toMatchObject({ path: name, input: 'orchard\n80\n' });
    expect(runWithInputs(root, resolved)).toMatchObject({ status: 0, stdout: 'got orchard:80\n' });
    const firstInputs = readInputsFile(root);
    expect(firstInputs).toContain('version: 1');
    expect(firstInputs).toContain(`generated: ${NOW}`);
    await resolveTestInputs(root, { auto: true, now: '2040-01-01T00:00:00.000Z' });
    expect(readInputsFile(root)).toBe(firstInputs);
  });

  test('inputs come from --inputs, an existing file, or a generated file, in this order', async () => {
    const root = createProject({
      'setup.sh': '#!/bin/bash\nread -p "Tag: " t\n',
      'mine.yaml': SIMPLE_INPUTS.replace('one', 'mine'),
    });
    expect(await resolveTestInputs(root)).toMatchObject({ path: null });
    writeInputsFile(root, SIMPLE_INPUTS);
    expect(await resolveTestInputs(root, { auto: true })).toMatchObject({ input: 'one\n2\n' });
    const namedInputs = await resolveTestInputs(root, { auto: true, inputs: 'mine.yaml' });
    expect(namedInputs).toMatchObject({ input: 'mine\n2\n', path: 'mine.yaml' });
  });

  test.each(['setup-sh-inputs.yaml', 'abcd1234-inputs.yaml', 'setup-inputs.yaml'])('%s is found', async (name) => {
    const root = createProject();
    writeInputsFile(root, SIMPLE_INPUTS, name);
    expect(await resolveTestInputs(root)).toMatchObject({ input: 'one\n2\n', path: `.claude/inputs/${name}` });
  });

  test('the inputs file is named after the script or the command', () => {
    expect(listInputsFileNames('cd x && FOO=1 bash scripts/set-up.sh --fast', 'ff00ff00')[0]).toBe('set-up');
    expect(listInputsFileNames('bash -e setup', 'ff00ff00')[0]).toBe('setup');
    expect(listInputsFileNames('python3 tools/ask.py', 'ff00ff00')[0]).toBe('ask');
    expect(listInputsFileNames('npm run build', 'ff00ff00')[0]).toBe('npm-run-build');
    expect(listInputsFileNames('./setup.sh --fast', 'ff00ff00')).toEqual([
      'setup',
      'setup-sh---fast',
      'setup-sh',
      'ff00ff00',
    ]);
    expect(listInputsFileNames('npm init', 'ff00ff00')[0]).toBe('npm-init');
    expect(listInputsFileNames('../../../etc/x', 'ff00ff00').join()).not.toContain('/');
  });

  test.each([
    ['inputs:\n  - name: a\n    value: [1\n', /setup-inputs\.yaml:\d+: not valid YAML/u],
    ['inputs: 7\n', /setup-inputs\.yaml:1: inputs: must be a list/u],
    [
      'version: 1\ninputs:\n  - name: a\n    value: x\n    confidence: 7\n',
      /setup-inputs\.yaml:5: inputs\.0\.confidence/u,
    ],
    ['version: 3\ninputs: []\n', /setup-inputs\.yaml:1: version: .*newer/u],
    [
      'inputs:\n  - name: a\n    value: b\n  - name: db_password\n    value: hunter2\n',
      /:5: inputs\.1\.value: .*value_from_env: DB_PASSWORD/u,
    ],
    [
      'inputs:\n  - name: thing\n    prompt: "API key:"\n    value: abc\n',
      /:4: inputs\.0\.value: 'thing' asks for a credential/u,
    ],
    [`inputs:\n  - name: thing\n    value: ghp_${'a1B2'.repeat(9)}\n`, /looks like a credential/u],
    ['inputs: []\nexpect_script: |\n  expect "Password:" { send "hunter2\\r" }\n', /:2: expect_script: .*\$env/u],
  ])('%j is refused with its place', async (text, message) => {
    const root = createProject();
    writeInputsFile(root, text);
    const refusal = await resolveTestInputs(root).catch((thrown: unknown) => thrown);
    expect(refusal).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(message) });
    expect(String(refusal)).not.toMatch(/hunter2|ghp_/u);
  });

  test('credentials come from the environment, and missing variables are named', async () => {
    const root = createProject();
    writeInputsFile(
      root,
      'inputs:\n  - name: db_password\n    value_from_env: DB_PW\n  - name: user\n    deferred: true\n',
    );
    expect(await resolveTestInputs(root, { env: { DB_PW: 'sesame' } })).toMatchObject({
      input: 'sesame\n\n',
      secrets: ['sesame'],
      missing: [{ name: 'user' }],
    });
    const { missing } = await resolveTestInputs(root, { env: {} });
    expect(missing.map(({ name }) => name)).toEqual(['db_password', 'user']);
    expect(missing[0]?.advice).toContain('DB_PW');
  });

  test.skipIf(!hasExpect)(
    'a secret that a script proposes, or a command line contains, is written to no file',
    async () => {
      const token = `ghp_${'a1B2'.repeat(9)}`;
      const hook = `https://hooks.slack.com/services/T0A1B2C3D/B4E5F6G7H/${'x9Y8z7W6'.repeat(3)}`;
      const root = createProject({
        'setup.sh': `#!/bin/bash
read -p "Password [sesame-4]: " pw
read -p "Where to report [${hook}]: " report
read -p "Label: " label
label=\${label:-${token}}
select use in "${token}" none; do break; done
`,
      });
      const command = `./setup.sh --token ${token} && true`;
      const resolved = await resolveTestInputs(root, { auto: true, command });
      const [name = '', ...otherNames] = readdirSync(path.join(root, '.claude/inputs'));
      expect(otherNames).toEqual([]);
      const visibleText =
        name + readFileSync(path.join(root, '.claude/inputs', name), 'utf8') + JSON.stringify({ ...resolved, env: {} });
      expect(visibleText).toContain('Password […]:');
      for (const secret of ['sesame-4', token, hook]) expect(visibleText).not.toContain(secret);
      // The file is found and read again.
      await resolveTestInputs(root, { auto: true, command });
      expect(readdirSync(path.join(root, '.claude/inputs'))).toEqual([name]);
    },
  );

  test
    .skipIf(!hasExpect)
    .each([
      'Max pass count: ',
      'Where is the token file? ',
      'Tokens per request [512]: ',
      'Use a PIN? [y/N] ',
      'Key: ',
      'Secret santa day: ',
      'PAT or SSH? (pat/ssh) ',
      'Passport number: ',
      'Password: ',
      'API key [none]: ',
      'Bearer token (see https://docs.test/tokens): ',
      'Database URL [postgres://localhost/shop]: ',
      'DB password=',
    ])('the inputs file that is generated for %j can be read', async (prompt) => {
    for (const from of ['', ' < /dev/tty']) {
      const readCommand = `read -p ${JSON.stringify(prompt)} x${from}`;
      const root = createProject({ 'setup.sh': `#!/bin/bash\n${readCommand}\nread -p "Tag: " t\n` });
      await resolveTestInputs(root, { auto: true });
      expect((await resolveTestInputs(root)).path).not.toBeNull();
    }
  });

  test('a name that only looks like a credential is accepted', async () => {
    const root = createProject();
    writeInputsFile(root, 'inputs:\n  - name: token\n    value: lexer\n    credential: false\n');
    expect(await resolveTestInputs(root)).toMatchObject({ input: 'lexer\n' });
  });

  test('edited answers are kept, and a prompt of the last run is added', async () => {
    const root = createProject({ 'setup.sh': '#!/bin/bash\nread -p "Tag: " t\npython3 ask.py\n' });
    writeInputsFile(root, 'inputs:\n  - name: t\n    prompt: "Tag:"\n    value: mine\n    source: user\n');
    const prompts = ['How many workers?'];
    expect(await resolveTestInputs(root, { auto: true, prompts })).toMatchObject({ input: 'mine\n1\n' });
    expect(await resolveTestInputs(root, { auto: true, prompts })).toMatchObject({ input: 'mine\n1\n' });
  });

  test('a missing inputs file and an empty command are refused', async () => {
    await expect(resolveTestInputs(createProject(), { inputs: 'nowhere.yaml' })).rejects.toThrow(
      /nowhere\.yaml: it does not exist/u,
    );
    const refusal = generateInputs({ root: createProject(), command: '  ', now: NOW });
    await expect(refusal).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe.skipIf(!hasExpect)('expect', () => {
  test("questions are answered in any order, and the command's exit code is returned", async () => {
    const root = createProject({
      'setup.sh': `#!/bin/bash
echo "Setup of {all} \\$things"
if [ -n "$EXTRA" ]; then read -p "Extra port [7000]: " extra; fi
read -p "Project name: " name
read -n 1 -p "Continue? [Y/n] " go; echo
read -p "Delete the cache? [y/N] " del
echo "name=$name go=$go del=$del extra=$extra"
exit 7
`,
    });
    const resolved = await resolveTestInputs(root, { auto: true });
    expect(resolved.program).toBeDefined();
    const plain = runWithInputs(root, resolved);
    expect(plain.stdout).toContain('name=orchard go=y del=n extra=\r\n');
    expect(plain.status).toBe(7);
    expect(runWithInputs(root, resolved, '', { EXTRA: '1' }).stdout).toContain('extra=7000');
  });

  test('a secret is passed through the environment and written to no file', async () => {
    const root = createProject({
      'setup.sh':
        '#!/bin/bash\nread -s -p "Password: " pw < /dev/tty; echo\n[ "$pw" = "o pen; [sesame] \\$x" ] && echo in\n',
    });
    const first = await resolveTestInputs(root, { auto: true });
    expect(first).toMatchObject({ missing: [{ name: 'pw' }] });
    const yaml = path.join(root, '.claude/inputs/setup-inputs.yaml');
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('deferred: true', 'value_from_env: SETUP_PW'));
    const resolved = await resolveTestInputs(root, { env: { ...process.env, SETUP_PW: 'o pen; [sesame] $x' } });
    expect(resolved).toMatchObject({ missing: [], secrets: ['o pen; [sesame] $x'] });
    const result = runWithInputs(root, resolved);
    expect(result.stdout).toContain('in\r\n');
    expect(result.status).toBe(0);
    expect(resolved.input).not.toContain('sesame');
  });

  test('the command runs with its current arguments, and prompts in any language match', async () => {
    const asks = 'read -n 1 -p "Los geht’s? [Y/n] " g\nread -p "项目名: " n\n';
    const root = createProject({ 'setup.sh': `#!/bin/bash\n${asks}echo "[$1] $g $n ü"; exit 3\n` });
    await resolveTestInputs(root, { auto: true });
    const command = "./setup.sh 'a  b; $x {'";
    for (const LC_ALL of ['C', 'C.UTF-8']) {
      const result = runWithInputs(root, await resolveTestInputs(root, { command }), command, { LC_ALL });
      expect(result.stdout).toContain('[a  b; $x {] y orchard ü');
      expect(result.status).toBe(3);
    }
  });

  test.each([
    [
      'prompts in colors',
      'setup.sh',
      `R=$(printf '\\033[31m'); N=$(printf '\\033[0m')
read -n 1 -p "$(echo -e "\\e[1mGo on?\\e[0m [Y/n] ")" g; echo
read -p "$(echo -e "\\e[1mMode\\e[0m [fast]: \\e[0m")" m; echo "$g-$m"`,
      'y-fast',
    ],
    [
      'variables that differ in capitals alone, in a script with a space in its name',
      'my setup.sh',
      `read -n 1 -p "Go on? [Y/n] " g
read -p "Mode [fast]: " MODE\nread -p "Kind [small]: " mode\necho "$MODE-$mode"`,
      'fast-small',
    ],
  ])('answers %s', async (_, name, script, printed) => {
    const root = createProject({ [name]: `#!/bin/bash\n${script}\n` });
    const command = `'./${name}'`;
    const generated = await generateInputs({ root, command: name, now: NOW });
    expect(listInputsFileNames(command, 'ff00ff00')).toContain(generated.name);
    const resolved = await resolveTestInputs(root, { auto: true, command });
    expect(resolved.program).toBeDefined();
    expect(runWithInputs(root, resolved, command).stdout).toContain(printed);
  });

  test('ends a question that repeats forever', async () => {
    const root = createProject({
      'setup.sh': '#!/bin/bash\nwhile true; do read -n 1 -p "Colour: " c; echo; [ "$c" = "#" ] && exit 0; done\n',
    });
    const result = runWithInputs(root, await resolveTestInputs(root, { auto: true }));
    expect(result.status).toBe(1);
    expect(result.stderr + result.stdout).toContain('was rejected');
  });

  test('without expect, answers are fed in order, and a command that needs a terminal is refused', async () => {
    const root = createProject({
      'setup.sh': '#!/bin/bash\nread -n 1 -p "Go on? [Y/n] " g\nread -p "Tag: " t\necho "$g$t"\n',
    });
    await resolveTestInputs(root, { auto: true });
    const piped = await resolveTestInputs(root, { env: { PATH: '/nowhere' } });
    expect(piped).toMatchObject({ input: 'ytest\n' });
    expect(piped.notes.join()).toContain('expect is not installed');
    expect(runWithInputs(root, piped).stdout).toContain('ytest');
    const terminal = createProject({ 'setup.sh': '#!/bin/bash\nread -p "Tag: " t < /dev/tty\n' });
    await resolveTestInputs(terminal, { auto: true });
    await expect(resolveTestInputs(terminal, { env: { PATH: '/nowhere' } })).rejects.toThrow(/apt-get install expect/u);
    expect(existsSync(path.join(terminal, '.claude/inputs/setup-inputs.yaml'))).toBe(true);
  });
});
