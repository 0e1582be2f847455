/** run: the command and its options. It is loaded without the other commands so that its tests start sooner. */

import type { Command } from 'commander';
import { absolutePath } from '../../system/io.ts';
import { turnsOfEvents } from '../../system/turns.ts';
import { timeoutSeconds } from '../terminal/numbers.ts';
import { projectCommand } from '../terminal/project-command.ts';
import type { RunOptions } from './run.ts';

export function addRun(root: Command): void {
  projectCommand(root, 'run [command...]', 'run the tests (or any command) and record the run')
    .option('--filter <name>', 'only tests with this name')
    .option('--at <commit>', 'at this commit, in a work tree that goes again')
    .option('--timeout <seconds>', 'end the command after this time', timeoutSeconds)
    .option('--idle-timeout <seconds>', 'end the command when it has printed nothing for so long', timeoutSeconds)
    .passThroughOptions()
    .action(async (command: string[], options: RunOptions) => {
      if (options.at !== undefined) {
        const { runAt } = await import('./run.ts');
        return runAt(options.at, command, options);
      }
      // Git starts now, while the other modules load.
      const { lookAtGit } = await import('../../run/git-state.ts');
      const look = lookAtGit(absolutePath(options.project));
      // Give the pending answers of git a chance to start the next query.
      await turnsOfEvents();
      const { run } = await import('./run.ts');
      await turnsOfEvents();
      await run(command, options, look);
    });
}

/** In `run "npm test" --json`, a quoted command line is complete, so a following option belongs to `run`. */
export function withCommandLast(argv: readonly string[]): string[] {
  const isValue = (index: number) =>
    /^--(?:filter|at|timeout|idle-timeout|project|config)$/u.test(argv[index - 1] ?? '');
  const at = argv.findIndex((arg, index) => index > 2 && (arg === '--' || (!arg.startsWith('-') && !isValue(index))));
  const command = argv[at];
  if (command === undefined || !/\s/u.test(command) || !argv[at + 1]?.startsWith('--')) return [...argv];
  return [...argv.toSpliced(at, 1), '--', command];
}
