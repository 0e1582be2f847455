/**
 * Secrets in every text input appear in no answer, error or file. Every command, and the output of a run:
 * secrets.full.test.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../e2e/argus.ts';
import { git, repository } from '../e2e/fix-loop/fix-loop.ts';
import { type Agent, connect, type Data, someUser } from '../e2e/harness.ts';
import { expectNone, filesIn, planted, TOKEN } from './secrets.ts';

const listed = z.array(
  z.looseObject({
    name: z.string(),
    inputSchema: z.looseObject({
      properties: z.record(z.string(), z.looseObject({ type: z.string().optional(), enum: z.unknown().optional() })),
      required: z.array(z.string()).optional(),
    }),
  }),
);

/** Valid values for the other required fields, so that a call is not refused before it reaches the tested field. */
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

/** An answer or an error. */
function answerOf(agent: Agent, tool: string, args: Data): Promise<unknown> {
  const isBare = /^(?:ranked|record|add|fix)_/u.test(tool);
  return isBare ? agent.ask(tool, args).catch((error: Error) => error.message) : agent.call(tool, args);
}

// Over 5 s, because it calls each tool with each argument.
test('no answer of a tool contains a secret from any of its arguments', async () => {
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
      // An error instead of a command, so that the call ends.
      if (name === 'fix_problem' && field !== 'command' && field !== 'error') Object.assign(args, { error: 'x' });
      expectNone(JSON.stringify(await answerOf(agent, name, args)), `${name}.${field}`);
    }
  }
  await agent.close();
  for (const file of filesIn(root)) if (!isState(file)) expectNone(readFileSync(file, 'utf8'), file);
  for (const file of filesIn(env.HOME)) expectNone(readFileSync(file, 'latin1'), file);
});

/** The state keeps a loop's commands unchanged, because they are run again; only the user can read the file. */
const isState = (file: string) => file.endsWith('state.json');

test('an error in the configuration is reported without its content', async () => {
  const root = repository({
    'argus.yaml': `version: 1\nredact:\n  patterns:\n    - { name: badge, pattern: '(${TOKEN}' }\n`,
  });
  for (const command of ['doctor', 'history', 'run']) {
    const { stdout, stderr } = await argus([command, '--project', root], { env: { ...someUser() }, cwd: root });
    expectNone(stdout + stderr, command);
  }
});

test('no command prints a secret in names of files, references or questions', async () => {
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
