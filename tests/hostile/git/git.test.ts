/**
 * A repository that names programs in every place where git allows it: none of the programs runs when Argus inspects
 * the repository. The programs do run when plain git is called, which shows that the trap works. git.full.test.ts tests
 * other traps, and every command and tool.
 */

import { expect, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { commandLinesOf, listCommandLines } from './command-lines.ts';
import { createRepositoryTrap, expectNoneStarted, startPlainGit } from './traps.ts';

// Takes over 5 s, because git starts many times for each command.
test('settings and attributes start programs when plain git is called, and none when Argus is called', async () => {
  const { naive, started, ...it } = createRepositoryTrap();
  expect(startPlainGit(it.root, it.marker, naive), 'the trap is set').toEqual(expect.arrayContaining(started));
  await expectNoneStarted(it, commandLinesOf(it.root, 'run', 'fix-problem'));
});

test('the tested command lines include every command', async () => {
  const commands = [...(await argus(['help', '--all'])).stdout.matchAll(/^ {2}(?!argus )([a-z-]+) /gmu)].map(
    ([, name = '']) => name,
  );
  const tried = new Set([...listCommandLines('.').map(([name = '']) => name), 'help']);
  expect(commands.length).toBeGreaterThan(10);
  expect(
    commands.filter((name) => !tried.has(name)),
    'add these to commandLines',
  ).toEqual([]);
});
