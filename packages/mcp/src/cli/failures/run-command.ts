/**
 * Defines the command `run` and its options. It is loaded without the other commands so that the tests start sooner.
 */

import type { Command } from 'commander';
import { toAbsolutePath } from '../../system/io.ts';
import { createHelpText } from '../terminal/help.ts';
import { addProjectCommand, parseTimeoutSeconds, RUN_EXIT_CODES } from '../terminal/options.ts';
import type { RunOptions } from './run.ts';

export function addRun(root: Command): void {
  addProjectCommand(root, 'run [command...]', 'run the tests (or any command) and record the run')
    .addHelpText('after', createHelpText(RUN_EXIT_CODES))
    .option('--filter <name>', 'only tests with this name')
    .option('--at <commit>', 'run at this commit, in a temporary work tree')
    .option('--timeout <seconds>', 'end the command after this time', parseTimeoutSeconds)
    .option('--idle-timeout <seconds>', 'end the command after this time without output', parseTimeoutSeconds)
    .passThroughOptions()
    .action(async (command: string[], options: RunOptions) => {
      if (options.at !== undefined) {
        const { runAtCommit } = await import('./run.ts');
        return runAtCommit(options.at, command, options);
      }
      // Git starts now, while the other modules load.
      const { startReadingGit } = await import('../../run/git-state.ts');
      const gitState = startReadingGit(toAbsolutePath(options.project));
      // Let pending events of git start its next query before more modules load.
      await drainEventLoop();
      const { run } = await import('./run.ts');
      await drainEventLoop();
      await run(command, options, gitState);
    });
}

/**
 * Moves a quoted command line behind `--`. In `run "npm test" --json`, the command line is complete, so the following
 * option belongs to `run`.
 */
export function moveCommandLast(argv: readonly string[]): string[] {
  const isValue = (index: number) =>
    /^--(?:filter|at|timeout|idle-timeout|project|config)$/u.test(argv[index - 1] ?? '');
  const at = argv.findIndex((arg, index) => index > 2 && (arg === '--' || (!arg.startsWith('-') && !isValue(index))));
  const command = argv[at];
  if (command === undefined || !/\s/u.test(command) || !argv[at + 1]?.startsWith('--')) return [...argv];
  return [...argv.toSpliced(at, 1), '--', command];
}

/**
 * The exit of a program, the ends of its output streams, and the code that waits for both need one turn of the event
 * loop each.
 */
const EVENT_LOOP_TURNS = 3;

/** Lets the event loop handle all events that are already pending. */
async function drainEventLoop(): Promise<void> {
  for (let turn = 0; turn < EVENT_LOOP_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
