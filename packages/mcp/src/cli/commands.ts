/** Defines every command of the command line. The code of a command is imported when the command is called. */

import {
  FAILURE_CATEGORIES,
  PATTERN_SORTS,
  PATTERN_SOURCES,
  REPORT_FORMATS,
  RUN_STATUSES,
  TEST_STATES,
  type TestState,
} from 'argus-engine';
import { Argument, type Command, Option } from 'commander';
import { ArgusError } from '../errors.ts';
import { addCiCommands } from './ci/ci-program.ts';
import type { CleanOptions, ForgetOptions } from './cleanup.ts';
import type { ProveOptions } from './failures/prove.ts';
import type { ReportOptions } from './failures/report.ts';
import type { ImportOptions } from './failures/run.ts';
import { addRun } from './failures/run-command.ts';
import { ARGUMENTS_OPTION, addFixCommands, expandArgumentsOption, moveErrorLast } from './fix-loop/fix-program.ts';
import type { GenerateInputsOptions } from './fix-loop/generate-inputs.ts';
import { addMemoryCommands } from './incidents/memory-program.ts';
import { addInstallCommand } from './install/install-program.ts';
import { addLearnCommand } from './learn/learn-program.ts';
import type { ReceiptOptions } from './receipt.ts';
import type { ScoreOptions } from './score.ts';
import { addShareCommand } from './share/share-program.ts';
import { addTeamCommands } from './team/team-program.ts';
import { createHelpText } from './terminal/help.ts';
import {
  addProjectCommand,
  parseCondition,
  parsePort,
  parseTimeoutSeconds,
  parseWholeNumber,
  RUN_EXIT_CODES,
} from './terminal/options.ts';
import type { GlobalOptions } from './terminal/output.ts';
import type { ViewOptions } from './view.ts';

export function addCommands(root: Command): void {
  // The help lists the commands in this order.
  const testCommands = [addRun, addImport, addHistory, addReceipt];
  const failureCommands = [
    addDiagnose,
    addReportFix,
    addPatterns,
    addTests,
    addWalls,
    addFixes,
    addProve,
    addReport,
    addView,
    addInspect,
  ];
  const fixLoopCommands = [addFixCommands, addGenerateInputs, addClean];
  const agentCommands = [
    addInstallCommand,
    addCiCommands,
    addLearnCommand,
    addDoctor,
    addHookCommands,
    addAdopt,
    addForget,
  ];
  const teamCommands = [addShareCommand, addTeamCommands, addRecord, addImportShared];
  for (const add of [
    ...testCommands,
    ...failureCommands,
    addMemoryCommands,
    ...fixLoopCommands,
    ...agentCommands,
    ...teamCommands,
  ])
    add(root);
}

/** Reorders the arguments so that the parser accepts them. */
export async function reorderArguments(argv: readonly string[], root: Command): Promise<string[]> {
  return moveErrorLast(await expandArgumentsOption(argv), root);
}

function addImport(root: Command): void {
  addProjectCommand(root, 'import [path]', 'record a run from report files (quote a glob; its files become one run)')
    .addHelpText('after', createHelpText(RUN_EXIT_CODES))
    .addOption(new Option('--format <format>', 'default: detected from the content').choices(REPORT_FORMATS))
    .option('--commit <hash>', 'commit of a run on another machine (default: the current work tree)')
    .option('--branch <name>', 'its branch')
    .option('--dirty', 'there were uncommitted changes')
    .option('--tree <id>', 'id of its tree of files')
    .option('--started-at <time>', 'when it started, as ISO 8601')
    .option('--foreign', 'run comes from a fork: keep it, but do not count it as evidence')
    .option('--environment <name=value>', 'a condition, such as os=windows; may be repeated', parseCondition)
    .addOption(
      new Option('--runs <file>', 'import a history of runs, one JSON object per line; - reads stdin').conflicts(
        'format',
      ),
    )
    .action(async (path: string | undefined, options: ImportOptions & { runs?: string }) => {
      if ((path === undefined) === (options.runs === undefined))
        throw new ArgusError('INVALID_INPUT', 'Name a report, or a history with --runs; not both.');
      if (options.runs !== undefined) {
        const { importRuns } = await import('./failures/import-runs.ts');
        await importRuns(options.runs, options);
      } else if (path !== undefined) {
        const { importReports } = await import('./failures/run.ts');
        await importReports(path, options);
      }
    });
}

function addHistory(root: Command): void {
  addProjectCommand(root, 'history [run]', 'list runs, or the cases of one run')
    .option('--limit <n>', 'at most this many', parseWholeNumber)
    .option('--offset <n>', 'skip this many', parseWholeNumber)
    .option('--days <n>', 'only the last days', parseWholeNumber)
    .addOption(new Option('--status <status>', 'only these').choices(RUN_STATUSES))
    .action(async (runId: string | undefined, options) => {
      const { printHistory } = await import('./failures/tool-commands.ts');
      await printHistory(runId, options);
    });
}

function addTests(root: Command): void {
  addProjectCommand(
    root,
    'tests [test]',
    "list tests that have ever failed (failing, flaky, order- or environment-dependent), or one test's history",
  )
    .option('--since <commit>', 'show what changed in the tests since a commit')
    .option('--name <part>', 'only tests whose name contains this')
    .addOption(new Option('--state <state>', 'only these').choices(TEST_STATES))
    .option('--limit <n>', 'at most this many', parseWholeNumber)
    .option('--offset <n>', 'skip this many', parseWholeNumber)
    .action(async (test: string | undefined, options: GlobalOptions & { state?: TestState }) => {
      const { printTests } = await import('./failures/tool-commands.ts');
      await printTests(test, options);
    });
}

const WALLS_HELP = `
A failure costs the minutes from its first failed run to the pass of all its tests. Breaks of more than 30 minutes without
a run do not count. Errors that occurred in exactly the same runs are listed as one failure.`;

function addWalls(root: Command): void {
  addProjectCommand(root, 'walls', 'list the failures that cost most, with the step that ends each')
    .option('--limit <n>', 'at most this many (default: 10)', parseWholeNumber)
    .option('--offset <n>', 'skip this many', parseWholeNumber)
    .addHelpText('after', createHelpText(WALLS_HELP))
    .action(async (options: GlobalOptions & { limit?: number; offset?: number }) => {
      const { printWalls } = await import('./failures/tool-commands.ts');
      await printWalls(options);
    });
}

function addFixes(root: Command): void {
  addProjectCommand(
    root,
    'fixes [fix]',
    'list reported and detected fixes and how certain they are, or show a fix',
  ).action(async (fixId: string | undefined, options: GlobalOptions) => {
    const { printFixes } = await import('./failures/tool-commands.ts');
    await printFixes(fixId, options);
  });
}

const PROVE_HELP = `
Checks out the last commit into a temporary work tree, takes the change of the fix out, runs the test until it fails, puts
the change back, and runs the test until it passed as often as its failure rate asks for. Your files are not changed and
nothing is recorded. Links to installed packages are used; what tools build or cache stays in the work tree.

Exit codes: 0 the change is the cause, 1 it guards nothing or the result is inconclusive, 2 wrong usage or an error.`;

function addProve(root: Command): void {
  addProjectCommand(root, 'prove <fix> [command...]', 'test whether a fix is the reason why its test passes')
    .option('--yes', 'do not ask before the code of the project runs')
    .option('--timeout <seconds>', 'limit for all runs together (default: 1800)', parseTimeoutSeconds)
    .addHelpText('after', createHelpText(PROVE_HELP))
    .action(async (fixId: string, command: string[], options: ProveOptions) => {
      const { prove } = await import('./failures/prove.ts');
      await prove(fixId, command, options);
    });
}

function addReport(root: Command): void {
  addProjectCommand(root, 'report [run]', 'write a run for a pull request or a job summary (default: the newest)')
    .addOption(
      new Option('--markdown', 'Markdown: causes with verdicts, and new failures (default)').conflicts([
        'junit',
        'ctrf',
      ]),
    )
    .addOption(new Option('--junit', 'JUnit XML').conflicts('ctrf'))
    .option('--ctrf', 'CTRF JSON')
    .option('--base <branch>', 'show failures that this branch does not have')
    .action(async (runId: string | undefined, options: ReportOptions) => {
      const { report } = await import('./failures/report.ts');
      await report(runId, options);
    });
}

const FAILURE_NAMES_HELP =
  'A failure is the number of its cause as argus run prints it, or a part of the name of its test. A run is latest, @2 (the run before it), or the beginning of its id; without it, the newest run that failed.';

function requireAtMost(words: readonly string[], max: number, help: string): void {
  if (words.length > max) throw new ArgusError('INVALID_INPUT', `Too many words; quote a name with spaces. ${help}`);
}

function addDiagnose(root: Command): void {
  addProjectCommand(
    root,
    'diagnose [failure...]',
    'explain a failure and show what fixed it before (default: the first cause of the newest failed run)',
  )
    .usage('[options] [run] [failure]')
    .addHelpText('after', createHelpText(FAILURE_NAMES_HELP))
    .option('--not-same-as <pattern>', 'the failure was wrongly matched with this pattern')
    .action(async (words: string[], options: GlobalOptions & { notSameAs?: string }) => {
      requireAtMost(words, 2, FAILURE_NAMES_HELP);
      const { diagnose } = await import('./failures/tool-commands.ts');
      await diagnose(words, options);
    });
}

function addReportFix(root: Command): void {
  addProjectCommand(root, 'report-fix <description...>', 'record what fixed a failure')
    .usage('[options] [run] [failure] <description>')
    .addHelpText('after', createHelpText(FAILURE_NAMES_HELP))
    .option('--failed', 'the fix did not help')
    .option('--supersedes <fix>', 'earlier report that this text corrects')
    .action(async (words: string[], options) => {
      requireAtMost(words, 3, FAILURE_NAMES_HELP);
      const { reportFix } = await import('./failures/tool-commands.ts');
      await reportFix(words, options);
    });
}

function addPatterns(root: Command): void {
  addProjectCommand(root, 'patterns', 'list known failure patterns')
    .addOption(new Option('--category <category>', 'only this one').choices(FAILURE_CATEGORIES))
    .addOption(new Option('--source <source>', 'only from there').choices(PATTERN_SOURCES))
    .addOption(new Option('--sort <order>', 'order').choices(PATTERN_SORTS))
    .option('--limit <n>', 'at most this many', parseWholeNumber)
    .option('--offset <n>', 'skip this many', parseWholeNumber)
    .action(async (options) => {
      const { printPatterns } = await import('./failures/tool-commands.ts');
      await printPatterns(options);
    });
}

const VIEW_HELP = `
The address contains a token. Anyone who has it can read the memory and correct patterns. If nothing is recorded yet, the
page opens database files that you drop on it. A page written with --export needs no server and sends nothing.`;

function addView(root: Command): void {
  addProjectCommand(root, 'view', 'show patterns, runs and incidents in a browser, until Ctrl-C')
    .option('--open', 'open the browser')
    .option('--port <n>', 'listen on this port of 127.0.0.1 (default: a free port)', parsePort)
    .addOption(new Option('--export <file>', 'write the page with all data to a file instead').conflicts('port'))
    .addHelpText('after', createHelpText(VIEW_HELP))
    .action(async (options: ViewOptions) => {
      const { runViewCommand } = await import('./view.ts');
      await runViewCommand(options);
    });
}

const ADOPT_HELP = `
A database that this user did not create on this machine is foreign: Argus shows it with that mark and never trusts it.
Needs a terminal. In CI, ARGUS_ADOPT=1 does the same for run and import, but never for a file that git tracks.`;

function addAdopt(root: Command): void {
  root
    .command('adopt')
    .description('show the content of a database that came with the project, and make it yours')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--yes', 'do not ask (still needs a terminal)')
    .addHelpText('after', createHelpText(ADOPT_HELP))
    .action(async (options: { project: string; config?: string; yes?: boolean }) => {
      const { adoptMemory } = await import('./adopt.ts');
      await adoptMemory(options);
    });
}

const FORGET_HELP = `
Without --yes, only shows the files. Deletes the memory of this project and the copies of foreign and shared memories
that belong to it. Keeps your own memory of incidents, the configuration of agents, and files that the repository shares.`;

function addForget(root: Command): void {
  addProjectCommand(root, 'forget', 'delete the recorded data of this project (without --yes, only shows it)')
    .addArgument(new Argument('<what>', 'what to delete').choices(['everything']))
    .option('--yes', 'delete it')
    .addHelpText('after', createHelpText(FORGET_HELP))
    .action(async (_: string, options: ForgetOptions) => {
      const { forgetEverything } = await import('./cleanup.ts');
      await forgetEverything(options);
    });
}

const RECEIPT_HELP = `
Compares the ids of the trees of the recorded runs with the current files, including uncommitted edits.

Exit codes: 0 done, 1 the tests did not pass on the current files, or edits disable tests (--check), 2 wrong usage or an
error.`;

function addReceipt(root: Command): void {
  addProjectCommand(root, 'receipt', 'tell in one line whether the tests passed on exactly the current files')
    .option('--check', 'exit with 1 unless they passed, for a script or a git hook before a push')
    .addHelpText('after', createHelpText(RECEIPT_HELP))
    .action(async (options: ReceiptOptions) => {
      const { printReceipt } = await import('./receipt.ts');
      await printReceipt(options);
    });
}

function addDoctor(root: Command): void {
  addProjectCommand(root, 'doctor', 'check that Argus works here (it writes to the database once)')
    .addHelpText('after', createHelpText('Exit codes: 0 no problems, 1 problems, 2 wrong usage or an error.'))
    .action(async (options: GlobalOptions) => {
      const { runDoctorCommand } = await import('./doctor.ts');
      await runDoctorCommand(options);
    });
}

function addInspect(root: Command): void {
  root
    .command('inspect')
    .description('classify an error text from stdin')
    .option('--json', 'print JSON')
    .option('--jsonl', 'read a JSON object per line, write a JSON object per line')
    .option('--case <name>', 'case name that becomes part of the signature')
    .addHelpText(
      'after',
      createHelpText(
        '\nA line of --jsonl: {"text", "caseName"?, "exitCode"?, "httpStatus"?, "containerStatus"?, "oomKilled"?}',
      ),
    )
    .action(async (options: { json?: boolean; jsonl?: boolean; case?: string }) => {
      const { inspect } = await import('./failures/inspect.ts');
      await inspect(options);
    });
}

function addGenerateInputs(root: Command): void {
  root
    .command('generate-inputs <script>')
    .description('find the questions of a script and propose answers for fix-problem --inputs')
    .option('--project <dir>', 'project directory', '.')
    .option('--output <file>', 'file to write (default: .claude/inputs/SCRIPT-inputs.yaml in the project)')
    .option('--force', 'replace an existing file')
    .option(...ARGUMENTS_OPTION)
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      createHelpText('\nExit codes: 0 done, 2 wrong usage or an error, 4 done, but you must fill in some answers.'),
    )
    .action(async (script: string, options: GenerateInputsOptions) => {
      const { generateInputs } = await import('./fix-loop/generate-inputs.ts');
      await generateInputs(script, options);
    });
}

const CLEAN_HELP = `
Removes snapshots under refs/argus, copies of files, and logs of attempts that are older than 14 days, and temporary files
of killed processes. Keeps states, reports and recorded fixes.

Exit codes: 0 done, 1 something could not be removed, 2 wrong usage or an error.`;

function addClean(root: Command): void {
  root
    .command('clean')
    .description('remove old snapshots, copies and logs of fix loops')
    .option('--project <dir>', 'project directory', '.')
    .option('--all', 'include recent snapshots too; they can no longer be restored')
    .option('--dry-run', 'only show what would be removed')
    .option('--json', 'print JSON')
    .addHelpText('after', createHelpText(CLEAN_HELP))
    .action(async (options: CleanOptions) => {
      const { clean } = await import('./cleanup.ts');
      await clean(options);
    });
}

const HOOK_HELP = `
For the hooks of Claude Code, Codex, Cursor and Gemini CLI after each shell command; see docs/hook.md for the setup.
Prints nothing about unknown failures. hook: false in argus.yaml disables it. The exit code is always 0.`;

/** Adds hook and score to the help. When an agent calls hook, cli.ts runs the hook without this command. */
function addHookCommands(root: Command): void {
  root
    .command('hook')
    .description("read an agent's hook event from stdin and answer with known facts about a failure")
    .addHelpText('after', createHelpText(HOOK_HELP));
  root
    .command('score')
    .description('show how often the hook helped')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--json', 'print JSON')
    .option('--mine', 'replay the history of this project to show how the hook would have done')
    .addOption(new Option('--reset', 'reset the counts, which unmutes a muted hook').conflicts('mine'))
    .action(async (options: ScoreOptions) => {
      const { printScore } = await import('./score.ts');
      await printScore(options);
    });
}

/** record: started by reporters and not by people, so the help does not list it. The code is in failures/record.ts. */
function addRecord(root: Command): void {
  root
    .command('record <folder>', { hidden: true })
    .description('wait until a run that a reporter announces in a folder ends, then record its reports')
    .action(async (folder: string) => {
      const { record } = await import('./failures/record.ts');
      await record(folder);
    });
}

/** take-shared: started by a process of Argus and not by people, so the help does not list it. */
function addImportShared(root: Command): void {
  root
    .command('take-shared', { hidden: true })
    .description('import the files that a repository shares, on request of another process')
    .action(async () => {
      const { text } = await import('node:stream/consumers');
      const { importShared } = await import('../storage/shared-copy.ts');
      const { io } = await import('../system/io.ts');
      await importShared(JSON.parse(await text(io().stdin)));
    });
}
