/**
 * The command line: the tools as commands for people and scripts, plus commands such as doctor, inspect and view. The
 * commands are in commands.ts.
 */

import { Command, CommanderError } from 'commander';
import { killAllRunning } from '../run/execute.ts';
import { io } from '../system/io.ts';
import { VERSION } from '../version.ts';
import { addRun, withCommandLast } from './failures/run-command.ts';
import { EXIT } from './terminal/exit.ts';
import { EXIT_CODES } from './terminal/project-command.ts';

/** Width of the help text without a terminal. */
const HELP_COLUMNS = 80;

/** Runs a command line. `argv` starts with the interpreter and the program. Sets the exit code on `io`. */
export async function main(argv: readonly string[]): Promise<void> {
  const { stdout, stderr } = io();
  // A reader that has seen enough (`| head`) is not an error. Kill the processes whose output it was reading.
  stdout.on('error', () => {
    const unfinished = killAllRunning();
    io().exit(io().exitCode ?? (unfinished ? EXIT.error : EXIT.done));
  });
  // A closed stderr must not stop the work or its cleanup.
  stderr.on('error', () => {});
  try {
    await parse(program(), withVersion(argv));
  } catch (thrown) {
    // Commander has already printed its message. --help and --version end with code 0.
    if (thrown instanceof CommanderError) io().exitCode = thrown.exitCode === 0 ? EXIT.done : EXIT.error;
    else {
      const { fail } = await import('./terminal/output.ts');
      io().exitCode = await fail(thrown, argv.includes('--json'));
    }
  }
}

/** Accepts `-V` too, because other programs use it for their version. */
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
      // Options after `run COMMAND` belong to COMMAND.
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

/** Loads the other commands only when they are needed, because the tests of `run` would wait for them. */
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

/**
 * Removes --help after an unknown command. Otherwise Commander prints the help of the whole program, as if the command
 * existed.
 */
function withoutHelpOfNone(argv: readonly string[], root: Command): readonly string[] {
  const [, , name = '-'] = argv;
  const isCommand = root.commands.some((one) => one.name() === name || one.aliases().includes(name));
  if (isCommand || name === 'help' || name.startsWith('-')) return argv;
  return argv.filter((word) => word !== '--help' && word !== '-h');
}
