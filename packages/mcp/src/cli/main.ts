/** The command line: twins of the tools for people and scripts, plus doctor, inspect and view. What each can: commands.ts. */

import { Command, CommanderError } from 'commander';
import { killAllRunning } from '../run/execute.ts';
import { io } from '../system/io.ts';
import { VERSION } from '../version.ts';
import { addRun, withCommandLast } from './failures/run-command.ts';
import { EXIT } from './terminal/exit.ts';
import { EXIT_CODES } from './terminal/project-command.ts';

/** Width of help where there is no terminal. */
const HELP_COLUMNS = 80;

/** Runs one command line; its first two words are the interpreter and the program. Sets the exit code of its `io`. */
export async function main(argv: readonly string[]): Promise<void> {
  const { stdout, stderr } = io();
  // A reader that has seen enough (`| head`) is no error, and what still runs for it goes.
  stdout.on('error', () => {
    const unfinished = killAllRunning();
    io().exit(io().exitCode ?? (unfinished ? EXIT.error : EXIT.done));
  });
  // Who looks away from notes stops neither the work nor what it must clear up.
  stderr.on('error', () => {});
  try {
    await parse(program(), withVersion(argv));
  } catch (thrown) {
    // Commander has printed its message; --help and --version end with code 0.
    if (thrown instanceof CommanderError) io().exitCode = thrown.exitCode === 0 ? EXIT.done : EXIT.error;
    else {
      const { fail } = await import('./terminal/output.ts');
      io().exitCode = await fail(thrown, argv.includes('--json'));
    }
  }
}

/** `-V` as well, which asks other programs for their version. */
function withVersion(argv: readonly string[]): readonly string[] {
  return argv[2] === '-V' ? argv.with(2, '--version') : argv;
}

function program(): Command {
  return (
    new Command('argus')
      .description(
        'Failure memory for coding agents. Without arguments: an MCP server on stdin and stdout; at a terminal, what to do.',
      )
      .version(VERSION, '-v, --version')
      .addHelpText('after', EXIT_CODES)
      .showHelpAfterError('(--help shows how)')
      // So that options after `run COMMAND` belong to COMMAND.
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({
        writeOut: (text) => io().stdout.write(text),
        writeErr: (text) => io().stderr.write(text),
        getOutHelpWidth: () => io().stdout.columns ?? HELP_COLUMNS,
        getErrHelpWidth: () => io().stderr.columns ?? HELP_COLUMNS,
      })
  );
}

/** Tests wait until theirs is read, and so none of the others is. */
async function parse(root: Command, argv: readonly string[]): Promise<void> {
  if (argv[2] === 'run') {
    addRun(root);
    await root.parseAsync(withCommandLast(argv));
  } else if (argv[2] === '-v' || argv[2] === '--version') {
    await root.parseAsync(argv);
  } else {
    const { addCommands, arranged } = await import('./commands.ts');
    addCommands(root);
    await root.parseAsync(withoutHelpOfNone(await arranged(argv, root), root));
  }
}

/** Commander would answer the help of the whole program, as if there were such a command. */
function withoutHelpOfNone(argv: readonly string[], root: Command): readonly string[] {
  const [, , name = '-'] = argv;
  const isCommand = root.commands.some((one) => one.name() === name || one.aliases().includes(name));
  if (isCommand || name === 'help' || name.startsWith('-')) return argv;
  return argv.filter((word) => word !== '--help' && word !== '-h');
}
