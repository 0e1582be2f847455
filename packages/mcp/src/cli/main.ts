/**
 * The command line: the tools as commands for people and scripts, and more commands such as doctor, inspect and view.
 * The commands are defined in commands.ts.
 */

import { Command, CommanderError } from 'commander';
import { killRunningCommands } from '../run/execute.ts';
import { io } from '../system/io.ts';
import { VERSION } from '../version.ts';
import { addRun, moveCommandLast } from './failures/run-command.ts';
import { EXIT_CODES } from './terminal/exit.ts';
import { addHelp, getHelpColumns } from './terminal/help.ts';

const USAGE_HINT = '(argus help COMMAND shows its usage)';

/** Runs a command line. `argv` starts with the interpreter and the program. Sets the exit code on `io`. */
export async function main(argv: readonly string[]): Promise<void> {
  const { stdout, stderr } = io();
  // A reader that closes the pipe early (`| head`) is not an error. Kill the processes whose output it was reading.
  stdout.on('error', () => {
    const unfinished = killRunningCommands();
    io().exit(io().exitCode ?? (unfinished ? EXIT_CODES.error : EXIT_CODES.done));
  });
  // A closed stderr must not stop the command or its cleanup.
  stderr.on('error', () => {});
  try {
    await parseAndRun(createRootCommand(), replaceVersionFlag(argv));
  } catch (thrown) {
    // Commander has already printed its message. --help and --version exit with code 0.
    if (thrown instanceof CommanderError) io().exitCode = thrown.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.error;
    else {
      const { printError } = await import('./terminal/output.ts');
      io().exitCode = await printError(thrown, argv.includes('--json'));
    }
  }
}

/** Accepts `-V` too, because many programs use it for their version. */
function replaceVersionFlag(argv: readonly string[]): readonly string[] {
  return argv[2] === '-V' ? argv.with(2, '--version') : argv;
}

function createRootCommand(): Command {
  return (
    new Command('argus')
      .description(
        'Run without arguments in a terminal to see the state of the project; agents start it as an MCP server.',
      )
      .version(VERSION, '-v, --version')
      .helpCommand(false)
      // Options after `run COMMAND` belong to COMMAND.
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({
        writeOut: (text) => io().stdout.write(text),
        writeErr: (text) => io().stderr.write(text),
        outputError: (text, write) => write(`${text.trim().replaceAll(/\s*\n\s*/gu, ' ')} ${USAGE_HINT}\n`),
        getOutHelpWidth: getHelpColumns,
        getErrHelpWidth: getHelpColumns,
      })
  );
}

/** Loads the other commands only if they are needed, because loading them would delay the tests of `run`. */
async function parseAndRun(root: Command, argv: readonly string[]): Promise<void> {
  if (argv[2] === 'run') {
    addRun(root);
    addHelp(root, false);
    await root.parseAsync(moveCommandLast(argv));
  } else if (argv[2] === '-v' || argv[2] === '--version') {
    await root.parseAsync(argv);
  } else {
    const { addCommands, reorderArguments } = await import('./commands.ts');
    addCommands(root);
    const isHelp = argv[2] === 'help' || argv[2] === '--help' || argv[2] === '-h';
    addHelp(root, isHelp && argv.includes('--all'));
    await root.parseAsync(
      removeHelpOfUnknownCommand(await reorderArguments(isHelp ? toHelpFlag(argv) : argv, root), root),
    );
  }
}

/** Converts `help COMMAND` to `COMMAND --help`, so that a command that does not exist is an error in both forms. */
function toHelpFlag(argv: readonly string[]): string[] {
  const words = argv.slice(3).filter((word) => !word.startsWith('-'));
  return [...argv.slice(0, 2), ...words, '--help'];
}

/**
 * Removes --help after an unknown command. Otherwise Commander would print the help of the whole program, as if the
 * command existed.
 */
function removeHelpOfUnknownCommand(argv: readonly string[], root: Command): readonly string[] {
  const [, , name = '-'] = argv;
  const isCommand = root.commands.some((one) => one.name() === name || one.aliases().includes(name));
  if (isCommand || name === 'help' || name.startsWith('-')) return argv;
  return argv.filter((word) => word !== '--help' && word !== '-h');
}
