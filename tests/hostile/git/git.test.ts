/**
 * A repository that names programs wherever git lets it: none of the programs runs when Argus looks at the repository. That they
 * do run for a caller of plain git shows that the trap is set. Other traps, and every command and tool: git.full.test.ts.
 */

import { expect, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { commandLines, linesOf } from './command-lines.ts';
import { expectNoneStarted, ofTheRepository, startedByGit } from './traps.ts';

// Over 5 s, because git starts many times for each command.
test('settings and attributes start programs when plain git is called, and none when Argus is', async () => {
  const { naive, started, ...it } = ofTheRepository();
  expect(startedByGit(it.root, it.marker, naive), 'the trap is set').toEqual(expect.arrayContaining(started));
  await expectNoneStarted(it, linesOf(it.root, 'run', 'fix-problem'));
});

test('every command of the command line is among those that are tried', async () => {
  const commands = [...(await argus(['--help'])).stdout.matchAll(/^ {2}([a-z-]+) /gmu)].map(([, name = '']) => name);
  const tried = new Set([...commandLines('.').map(([name = '']) => name), 'help']);
  expect(commands.length).toBeGreaterThan(10);
  expect(
    commands.filter((name) => !tried.has(name)),
    'add these to commandLines',
  ).toEqual([]);
});
