/** A secret in every text that comes in: none leaves in an answer, an error, a notification or a file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../e2e/argus.ts';
import { git, repository } from '../e2e/fix-loop/fix-loop.ts';
import { type Agent, connect, type Data, someUser } from '../e2e/harness.ts';
import { commandLines, endRun, idsIn } from './git/command-lines.ts';

const PART = 'Fake1Fake2Fake3Fake4Fake5Fake6';
/** A token as issuers make them, and the same with a character in it that nobody sees. */
const TOKEN = `ghp_${PART}012345`;
const HIDDEN = `ghp_Fake1\u200bFake2Fake3Fake4Fake5Fake6012345`;

const planted = (words: string) => `${words} ${TOKEN} and ${HIDDEN}`;

const listed = z.array(
  z.looseObject({
    name: z.string(),
    inputSchema: z.looseObject({
      properties: z.record(z.string(), z.looseObject({ type: z.string().optional(), enum: z.unknown().optional() })),
      required: z.array(z.string()).optional(),
    }),
  }),
);

/** A value of a field that is refused nowhere before the field in question is looked at. */
const HARMLESS: Record<string, unknown> = {
  string: 'x',
  integer: 1,
  number: 1,
  boolean: true,
  array: ['x'],
  object: {},
};

const WITH_SECRET: Record<string, unknown> = {
  string: planted('x'),
  array: [planted('x')],
  object: { os: planted('linux'), [planted('key')]: planted('value') },
};

function expectNone(bytes: string, where: string): void {
  expect(bytes.replaceAll('\u200b', '').includes(PART), `${where}: ${bytes.slice(0, 2_000)}`).toBe(false);
}

/** An answer or an error. */
function answerOf(agent: Agent, tool: string, args: Data): Promise<unknown> {
  const isBare = /^(?:ranked|record|add|fix)_/u.test(tool);
  return isBare ? agent.ask(tool, args).catch((error: Error) => error.message) : agent.call(tool, args);
}

// Over 5 s, because it calls each tool with each argument.
test('no answer of a tool has what stood in any of its arguments', async () => {
  const root = repository({ 'a.txt': 'a' });
  const env = { ...someUser() };
  const agent = await connect('2026-07-28', env, root);
  await agent.data('argus_init', { projectPath: root });
  const tools = listed.parse(await agent.listTools());
  for (const { name, inputSchema } of tools) {
    const { properties, required = [] } = inputSchema;
    for (const [field, { type }] of Object.entries(properties)) {
      const secret = WITH_SECRET[type ?? ''];
      if (secret === undefined) continue;
      const needed = required.map((one) => [one, HARMLESS[properties[one]?.type ?? 'string']]);
      const args = { ...Object.fromEntries(needed), projectPath: root, [field]: secret };
      // What it runs must end.
      if (name === 'fix_problem' && field !== 'command' && field !== 'error') Object.assign(args, { error: 'x' });
      expectNone(JSON.stringify(await answerOf(agent, name, args)), `${name}.${field}`);
    }
  }
  await agent.close();
  for (const file of filesIn(root)) if (!isState(file)) expectNone(readFileSync(file, 'utf8'), file);
  for (const file of filesIn(env.HOME)) expectNone(readFileSync(file, 'latin1'), file);
});

/** Commands of a loop stay as they must be run again; the file is the user's alone. */
const isState = (file: string) => file.endsWith('state.json');

const CTRF = {
  reportFormat: 'CTRF',
  specVersion: '0.0.0',
  results: {
    tool: { name: planted('vitest') },
    summary: { tests: 1, passed: 0, failed: 1, pending: 0, skipped: 0, other: 0, start: 1, stop: 2 },
    tests: [
      { name: planted('adds'), status: 'failed', rawStatus: planted('raw'), duration: 1, message: planted('Error:') },
    ],
  },
};

const Runs = z.object({ runs: z.array(z.object({ id: z.string() })) });
const Cases = z.object({ cases: z.tuple([z.object({ caseName: z.string() })], z.unknown()) });

// Over 5 s, because it runs a project, an import and a whole loop.
test('no notification, file or line of a run, an import and a loop has what the project printed', async () => {
  const fails = `printf '%s\\n' '${planted('OrderError: the plan of')}'; sleep 2.5; exit 3`;
  const root = repository({ 'fails.sh': fails, 'reports/ctrf.json': JSON.stringify(CTRF) });
  git(root, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  const env = { ...someUser() };
  const agent = await connect('2026-07-28', env, root);
  await agent.data('argus_init', { projectPath: root });
  const heard: string[] = [];
  const onprogress = ({ message = '' }: { message?: string | undefined }) => void heard.push(message);
  const run = await agent.call('argus_run', { projectPath: root, command: 'sh fails.sh' }, { onprogress });
  const answers: unknown[] = [run];
  answers.push(await agent.call('argus_import', { projectPath: root, path: 'reports/*.json' }));
  const { runs } = Runs.parse(await agent.data('argus_history', { projectPath: root }));
  for (const { id: runId } of runs) {
    const detail = await agent.data('argus_history', { projectPath: root, runId });
    const [{ caseName }] = Cases.parse(detail).cases;
    answers.push(detail, await agent.call('argus_diagnose', { projectPath: root, runId, caseName }));
  }
  answers.push(
    await agent.ask('fix_problem', { projectPath: root, command: 'sh fails.sh', desired: planted('no error') }),
    await agent.ask('fix_status', { projectPath: root }),
  );
  await agent.close();
  expect(heard.join('\n')).toContain('the plan of');
  expectNone(JSON.stringify([answers, heard]), 'an answer or notification');

  const own = new Set(['fails.sh', 'ctrf.json']);
  const left = filesIn(root).filter((file) => !own.has(file.split('/').at(-1) ?? ''));
  expect(left.some((file) => file.endsWith('argus.db')) && left.some((file) => file.includes('/fixes/'))).toBe(true);
  for (const file of [...left, ...filesIn(env.HOME)]) expectNone(readFileSync(file, 'latin1'), file);
});

// Over 5 s, because it calls each command of the command line.
test('no command says what the project, its programs or its arguments hold', async () => {
  const fails = `console.log(${JSON.stringify(planted('OrderError: the plan of'))}); process.exit(1);`;
  const failure = `<failure message="${planted('Error: no')}">at check.js:4</failure>`;
  const root = repository({
    'check.js': fails,
    'report.xml': `<testsuite name="s"><testcase classname="s" name="${planted('adds')}">${failure}</testcase></testsuite>`,
    'setup.sh': `#!/bin/sh\nread -p "${planted('Name')}: " name\n`,
  });
  git(root, 'checkout', '-q', '-b', `fix/${TOKEN}`);
  endRun(root, { command: planted('vitest'), output: planted('OrderError: the plan of') });
  const env = { ...someUser() };
  const ids: Record<string, string> = {};
  for (const line of commandLines(root)) {
    const args = line.map((word) => ids[word] ?? (isFreeText(word) ? planted(word) : word));
    const { stdout, stderr } = await argus(args, { env, cwd: root, input: planted('OrderError: the plan of') });
    expectNone(stdout, args.join(' '));
    if (!PASSES_OUTPUT_ON.includes(args[0] ?? '')) expectNone(stderr, args.join(' '));
    Object.assign(ids, idsIn(stdout));
  }
  expect(Object.keys(ids).sort(), 'it did work').toEqual(['incident_id', 'runId', 'solution_id']);
  for (const file of filesIn(env.HOME)) expectNone(readFileSync(file, 'latin1'), file);
});

/** On stderr, as it comes, to whoever started the command. */
const PASSES_OUTPUT_ON = ['run', 'fix-problem'];

/** Words of a person, and no command. */
const isFreeText = (word: string) => word.includes(' ') && !word.startsWith('node ');

test('a mistake in the configuration is told without what stands in it', async () => {
  const root = repository({
    'argus.yaml': `version: 1\nredact:\n  patterns:\n    - { name: badge, pattern: '(${TOKEN}' }\n`,
  });
  for (const command of ['doctor', 'history', 'run']) {
    const { stdout, stderr } = await argus([command, '--project', root], { env: { ...someUser() }, cwd: root });
    expectNone(stdout + stderr, command);
  }
});

test('no command says the names of files, of references or of questions as they are', async () => {
  const script = `s-${TOKEN}.sh`;
  const root = repository({ [script]: '#!/bin/sh\nread -p "Name: " name\n' });
  git(root, 'update-ref', `refs/argus/${TOKEN}`, 'HEAD');
  const env = { ...someUser() };
  const commands = [
    ['clean', '--dry-run', '--all', '--json'],
    ['clean', '--dry-run', '--all'],
    ['generate-inputs', script, '--json'],
    ['view', '--export', `page-${TOKEN}.html`, '--json'],
    ['memory', 'search', '--jsonl'],
  ];
  for (const args of commands) {
    const input = `${JSON.stringify({ id: TOKEN, text: 'x' })}\n`;
    const { status, stdout, stderr } = await argus([...args, '--project', root], { env, cwd: root, input });
    expect(stdout, `${args.join(' ')}: ${status} ${stderr}`).not.toBe('');
    expectNone(stdout + stderr, args.join(' '));
  }
  for (const file of filesIn(join(root, '.claude'))) expectNone(readFileSync(file, 'utf8'), file);
});

/** What git keeps is the project's own. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.name === '.git' || entry.isSymbolicLink()) return [];
    return entry.isDirectory() ? filesIn(file) : [file];
  });
}
