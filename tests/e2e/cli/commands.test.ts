/** Checks the list of commands: each has a help text and a test, including `record`, which only reporters call. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { addCommands } from '../../../packages/mcp/src/cli/commands.ts';
import { splitQuotedWords } from '../../../packages/mcp/src/system/command-line.ts';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { MIXED_REPORT } from '../runs/reports.ts';

/** Returns every command that can be called, for example `memory import`. */
function listCommands(parent: Command, path: string[] = []): string[] {
  if (parent.commands.length === 0) return [path.join(' ')];
  return parent.commands.flatMap((command) => listCommands(command, [...path, command.name()]));
}

const root = new Command('argus').enablePositionalOptions();
addCommands(root);
const COMMANDS = listCommands(root);
/** Commands that only programs start. */
const HIDDEN_COMMANDS: ReadonlySet<string> = new Set(['record', 'take-shared']);

test('every command prints its help', async () => {
  const helps = await Promise.all(
    COMMANDS.map(async (command) => ({ command, ...(await argus([...command.split(' '), '--help'])) })),
  );
  for (const { command, status, stdout } of helps) {
    expect({ command, status, stdout }).toMatchObject({ status: 0 });
    expect(stdout).toContain(`Usage: argus ${command}`);
    expect(stdout).not.toContain('default: {}');
    expect(HIDDEN_COMMANDS.has(command) || /^Examples?:\n {2}\S/mu.test(stdout), `an example of ${command}`).toBe(true);
  }
});

/** Makes every command accept its arguments without running. */
function disableActions(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {} });
  if (command.commands.length === 0) command.action(() => {});
  else for (const child of command.commands) disableActions(child);
}

test('the parser accepts every example of the help', async () => {
  const helps = await Promise.all(COMMANDS.map((command) => argus([...command.split(' '), '--help'])));
  const examples = helps.flatMap(
    ({ stdout }) => stdout.split(/^Examples?:$/mu)[1]?.match(/(?<=^ {2}argus ).*$/gmu) ?? [],
  );
  expect(examples.length).toBeGreaterThan(40);
  const program = new Command('argus').enablePositionalOptions();
  addCommands(program);
  disableActions(program);
  const refused: string[] = [];
  for (const example of examples) {
    try {
      await program.parseAsync(splitQuotedWords(example.replace(/ [<>] \S+$/u, '')).words, { from: 'user' });
    } catch (thrown) {
      refused.push(`${example}: ${String(thrown)}`);
    }
  }
  expect(refused).toEqual([]);
});

test('the help of the program lists examples and groups within 80 columns, and rare commands only with --all', async () => {
  const [short, all] = await Promise.all([argus(['--help']), argus(['help', '--all'])]);
  expect(short.stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(short.stdout).toMatch(/^Argus, a memory for test failures\.\n\n(?: {2}argus .*\n){5}/u);
  expect(short.stdout).toMatch(/\nRun tests:\n[\s\S]*\nTeam:\n/u);
  expect([short, all].map(({ stdout }) => /^ {2}inspect/mu.test(stdout))).toEqual([false, true]);
  const listed = root.commands.map((command) => command.name()).filter((name) => !HIDDEN_COMMANDS.has(name));
  expect(listed.filter((name) => !new RegExp(`^ {2}${name} `, 'mu').test(all.stdout))).toEqual([]);
});

/**
 * Reads the quick tests that call commands. The list of all commands in the hostile tests does not count, because it
 * checks no results.
 */
function readQuickTests(): string[] {
  const cwd = path.join(import.meta.dirname, '../..');
  const ignore = ['**/node_modules/**', '**/*.full.test.ts'];
  const files = globSync(['e2e/**/*.ts', 'hostile/**/*.test.ts'], { cwd, ignore });
  return files.map((file) => readFileSync(path.join(cwd, file), 'utf8'));
}

test('every command is called by a quick end-to-end test', () => {
  const texts = readQuickTests();
  const untested = COMMANDS.filter((command) => {
    const words = command.split(' ').map((word) => `'${word}'`);
    const called = new RegExp(words.join(',\\s*'), 'u');
    return !texts.some((text) => called.test(text));
  });
  expect(untested).toEqual([]);
});

test('record stores the reports of a run that a reporter has finished, and answers with known fixes', async () => {
  const cwd = createProject({ 'package.json': '{}' });
  const folder = path.join(cwd, 'ended');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'pytest-1.xml'), MIXED_REPORT);
  const end = { runner: 'pytest', command: 'pytest -q', exitCode: 1, output: '' };
  writeFileSync(path.join(folder, 'end.json'), JSON.stringify(end));
  expect(await argus(['record', folder], { cwd })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(path.join(folder, 'answer.json'), 'utf8'))).not.toHaveProperty('complaint');
  const { runs } = JSON.parse((await argus(['history', '--json'], { cwd })).stdout).data;
  expect(runs).toMatchObject([{ command: 'pytest -q', status: 'failed', failed: 2 }]);
});
