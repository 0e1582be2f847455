/** The list of commands: each has a help and a test, including `record`, which only reporters call. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { addCommands } from '../../../packages/mcp/src/cli/commands.ts';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { MIXED } from '../runs/reports.ts';

/** Every command that can be called, for example `memory import`. */
function commandsIn(parent: Command, path: string[] = []): string[] {
  if (parent.commands.length === 0) return [path.join(' ')];
  return parent.commands.flatMap((command) => commandsIn(command, [...path, command.name()]));
}

const root = new Command('argus').enablePositionalOptions();
addCommands(root);
const COMMANDS = commandsIn(root);

test('every command prints its help', async () => {
  const helps = await Promise.all(
    COMMANDS.map(async (command) => ({ command, ...(await argus([...command.split(' '), '--help'])) })),
  );
  for (const { command, status, stdout } of helps) {
    expect({ command, status, stdout }).toMatchObject({ status: 0 });
    expect(stdout).toContain(`Usage: argus ${command}`);
  }
  expect((await argus(['--help'])).stdout).toContain('Usage: argus');
});

/**
 * Reads the quick tests that call commands. The hostile tests' list of all commands does not count, because it checks
 * no result.
 */
function quickTests(): string[] {
  const cwd = path.join(import.meta.dirname, '../..');
  const ignore = ['**/node_modules/**', '**/*.full.test.ts'];
  const files = globSync(['e2e/**/*.ts', 'hostile/**/*.test.ts'], { cwd, ignore });
  return files.map((file) => readFileSync(path.join(cwd, file), 'utf8'));
}

test('every command is called by a quick end-to-end test', () => {
  const texts = quickTests();
  const untested = COMMANDS.filter((command) => {
    const words = command.split(' ').map((word) => `'${word}'`);
    const called = new RegExp(words.join(',\\s*'), 'u');
    return !texts.some((text) => called.test(text));
  });
  expect(untested).toEqual([]);
});

test('record stores the reports of a run that a reporter ended, and answers known fixes', async () => {
  const cwd = project({ 'package.json': '{}' });
  const folder = path.join(cwd, 'ended');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'pytest-1.xml'), MIXED);
  const end = { runner: 'pytest', command: 'pytest -q', exitCode: 1, output: '' };
  writeFileSync(path.join(folder, 'end.json'), JSON.stringify(end));
  expect(await argus(['record', folder], { cwd })).toMatchObject({ status: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(path.join(folder, 'answer.json'), 'utf8'))).not.toHaveProperty('complaint');
  const { runs } = JSON.parse((await argus(['history', '--json'], { cwd })).stdout).data;
  expect(runs).toMatchObject([{ command: 'pytest -q', status: 'failed', failed: 2 }]);
});
