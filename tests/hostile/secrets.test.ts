/**
 * Secrets in every text input appear in no answer, error or file. secrets.full.test.ts tests every command and the
 * output of a run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../e2e/argus.ts';
import { createRepository, runGit } from '../e2e/fix-loop/fix-loop.ts';
import { type Agent, connect, createUser, type Data } from '../e2e/harness.ts';
import { expectNoSecret, listFiles, TOKEN, withSecrets } from './secrets.ts';

const toolListSchema = z.array(
  z.looseObject({
    name: z.string(),
    inputSchema: z.looseObject({
      properties: z.record(z.string(), z.looseObject({ type: z.string().optional(), enum: z.unknown().optional() })),
      required: z.array(z.string()).optional(),
    }),
  }),
);

/** Valid values for the other required fields, so that a call is not refused before it reaches the tested field. */
const HARMLESS_VALUES: Record<string, unknown> = {
  string: 'x',
  integer: 1,
  number: 1,
  boolean: true,
  array: ['x'],
  object: {},
};

const VALUES_WITH_SECRET: Record<string, unknown> = {
  string: withSecrets('x'),
  array: [withSecrets('x')],
  object: { os: withSecrets('linux'), [withSecrets('key')]: withSecrets('value') },
};

/** Returns the answer of a tool, or its error. */
function callTool(agent: Agent, tool: string, args: Data): Promise<unknown> {
  const isBare = /^(?:ranked|record|add|fix)_/u.test(tool);
  return isBare ? agent.ask(tool, args).catch((error: Error) => error.message) : agent.call(tool, args);
}

// Takes over 5 s, because it calls each tool with each argument.
test('no answer of a tool contains a secret from any of its arguments', async () => {
  const root = createRepository({ 'a.txt': 'a' });
  const env = { ...createUser() };
  const agent = await connect('2026-07-28', env, root);
  await agent.data('argus_init', { projectPath: root });
  const tools = toolListSchema.parse(await agent.listTools());
  for (const { name, inputSchema } of tools) {
    const { properties, required = [] } = inputSchema;
    for (const [field, { type }] of Object.entries(properties)) {
      const secret = VALUES_WITH_SECRET[type ?? ''];
      if (secret === undefined) continue;
      const needed = required.map((one) => [one, HARMLESS_VALUES[properties[one]?.type ?? 'string']]);
      const args = { ...Object.fromEntries(needed), projectPath: root, [field]: secret };
      // The call verifies an error instead of a command, so that the call ends.
      if (name === 'fix_problem' && field !== 'command' && field !== 'error') Object.assign(args, { error: 'x' });
      expectNoSecret(JSON.stringify(await callTool(agent, name, args)), `${name}.${field}`);
    }
  }
  await agent.close();
  for (const file of listFiles(root)) if (!isStateFile(file)) expectNoSecret(readFileSync(file, 'utf8'), file);
  for (const file of listFiles(env.HOME)) expectNoSecret(readFileSync(file, 'latin1'), file);
});

/** The state contains a loop's commands unchanged, because they are run again. Only the user can read the file. */
const isStateFile = (file: string) => file.endsWith('state.json');

test("an error in the configuration is reported without the configuration's content", async () => {
  const root = createRepository({
    'argus.yaml': `version: 1\nredact:\n  patterns:\n    - { name: badge, pattern: '(${TOKEN}' }\n`,
  });
  for (const command of ['doctor', 'history', 'run']) {
    const { stdout, stderr } = await argus([command, '--project', root], { env: { ...createUser() }, cwd: root });
    expectNoSecret(stdout + stderr, command);
  }
});

test('no command prints a secret from names of files, references or questions', async () => {
  const script = `s-${TOKEN}.sh`;
  const root = createRepository({ [script]: '#!/bin/sh\nread -p "Name: " name\n' });
  runGit(root, 'update-ref', `refs/argus/${TOKEN}`, 'HEAD');
  const env = { ...createUser() };
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
    expectNoSecret(stdout + stderr, args.join(' '));
  }
  for (const file of listFiles(join(root, '.claude'))) expectNoSecret(readFileSync(file, 'utf8'), file);
});
