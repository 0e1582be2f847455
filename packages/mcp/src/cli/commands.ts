/** Every command of the command line. The code of a command is loaded when it is called. */

import {
  FAILURE_CATEGORIES,
  PATTERN_SORTS,
  PATTERN_SOURCES,
  REPORT_FORMATS,
  RUN_STATUSES,
  TEST_STATES,
  type TestState,
} from 'argus-engine';
import { type Command, Option } from 'commander';
import { ArgusError } from '../errors.ts';
import { addCiCommands } from './ci/ci-program.ts';
import type { CleanOptions } from './clean.ts';
import { addRecord } from './failures/record-command.ts';
import type { ReportOptions } from './failures/report.ts';
import type { ImportOptions } from './failures/run.ts';
import { addRun } from './failures/run-command.ts';
import { ARGUMENTS_OPTION, withArgumentString } from './fix-loop/argument-string.ts';
import { addFixCommands, withErrorLast } from './fix-loop/fix-program.ts';
import type { GenerateInputsOptions } from './fix-loop/generate-inputs.ts';
import { addHookCommands } from './hook/hook-program.ts';
import { addMemoryCommands } from './incidents/memory-program.ts';
import { addInstall } from './install/install-program.ts';
import { addLearn } from './learn/learn-program.ts';
import { addShare } from './share/share-program.ts';
import { addTakeShared } from './share/take-shared-command.ts';
import { addTeamCommands } from './team/team-program.ts';
import { condition } from './terminal/condition.ts';
import { portNumber, wholeNumber } from './terminal/numbers.ts';
import type { GlobalOptions } from './terminal/output.ts';
import { projectCommand } from './terminal/project-command.ts';
import type { ViewOptions } from './view.ts';

export function addCommands(root: Command): void {
  const twins = [addRun, addImport, addHistory, addDiagnose, addReportFix, addPatterns, addTests, addFixes, addReport];
  for (const add of [...twins, addView, addAdopt, addDoctor, addInspect, addGenerateInputs, addClean]) add(root);
  addLearn(root);
  addCiCommands(root);
  addMemoryCommands(root);
  addInstall(root);
  addTeamCommands(root);
  addShare(root);
  addFixCommands(root);
  addRecord(root);
  addTakeShared(root);
  addHookCommands(root);
}

/** Rearranges the arguments into the order that the parser expects. */
export async function arranged(argv: readonly string[], root: Command): Promise<string[]> {
  return withErrorLast(await withArgumentString(argv), root);
}

function addImport(root: Command): void {
  projectCommand(root, 'import [path]', 'record a run from report files; a glob in quotes makes one run of many files')
    .addOption(new Option('--format <format>', 'default: told from the content').choices(REPORT_FORMATS))
    .option('--commit <hash>', 'of a run elsewhere (default: the work tree as it is now)')
    .option('--branch <name>', 'its branch')
    .option('--dirty', 'there were uncommitted changes')
    .option('--tree <id>', 'id of its tree of files')
    .option('--started-at <time>', 'when it started, as ISO 8601')
    .option('--foreign', 'of a fork or another copy: kept and shown, proves and refutes nothing')
    .option('--environment <name=value>', 'a condition, such as os=windows; may be repeated', condition, {})
    .addOption(
      new Option('--runs <file>', 'a history of runs instead, one JSON object a line; - reads stdin').conflicts(
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
  projectCommand(root, 'history [runId]', 'list runs, or the cases of one run')
    .option('--limit <n>', 'at most this many', wholeNumber)
    .option('--offset <n>', 'pass over this many', wholeNumber)
    .option('--days <n>', 'only the last days', wholeNumber)
    .addOption(new Option('--status <status>', 'only these').choices(RUN_STATUSES))
    .action(async (runId: string | undefined, options) => {
      const { history } = await import('./failures/lists.ts');
      await history(runId, options);
    });
}

function addTests(root: Command): void {
  projectCommand(
    root,
    'tests [test]',
    'list tests that failed once: broken, flaky, bound to an order or an environment; or the runs of one test',
  )
    .option('--since <commit>', 'what changed in the tests since a commit instead')
    .option('--name <part>', 'only tests with this in their name')
    .addOption(new Option('--state <state>', 'only these').choices(TEST_STATES))
    .option('--limit <n>', 'at most this many', wholeNumber)
    .option('--offset <n>', 'pass over this many', wholeNumber)
    .action(async (test: string | undefined, options: GlobalOptions & { state?: TestState }) => {
      const { tests } = await import('./failures/evidence.ts');
      await tests(test, options);
    });
}

function addFixes(root: Command): void {
  projectCommand(
    root,
    'fixes [fixId]',
    'list changes after which failures were gone, found or reported, and how sure each is; one of them in full',
  ).action(async (fixId: string | undefined, options: GlobalOptions) => {
    const { fixes } = await import('./failures/evidence.ts');
    await fixes(fixId, options);
  });
}

function addReport(root: Command): void {
  projectCommand(root, 'report [runId]', 'write a run for a pull request or a job summary (default: the newest)')
    .addOption(new Option('--markdown', 'causes with verdicts, and what is new (default)').conflicts(['junit', 'ctrf']))
    .addOption(new Option('--junit', 'JUnit XML').conflicts('ctrf'))
    .option('--ctrf', 'CTRF JSON')
    .option('--base <branch>', 'say what fails anew against the newest run of this branch')
    .action(async (runId: string | undefined, options: ReportOptions) => {
      const { report } = await import('./failures/report.ts');
      await report(runId, options);
    });
}

function addDiagnose(root: Command): void {
  projectCommand(
    root,
    'diagnose <runId> <caseName>',
    'say what a failure is and what fixed it before; each call counts one occurrence',
  )
    .option('--not-same-as <patternId>', 'it is another failure than the one it was matched with')
    .action(async (runId: string, caseName: string, options: GlobalOptions & { notSameAs?: string }) => {
      const { diagnose } = await import('./failures/failures.ts');
      await diagnose(runId, caseName, options);
    });
}

function addReportFix(root: Command): void {
  projectCommand(root, 'report-fix <runId> <caseName> <description>', 'record what fixed a failure')
    .option('--failed', 'the fix did not help')
    .option('--supersedes <fixId>', 'earlier report whose text this corrects')
    .action(async (runId: string, caseName: string, description: string, options) => {
      const { reportFix } = await import('./failures/failures.ts');
      await reportFix(runId, caseName, description, options);
    });
}

function addPatterns(root: Command): void {
  projectCommand(root, 'patterns', 'list known failure patterns')
    .addOption(new Option('--category <category>', 'only this one').choices(FAILURE_CATEGORIES))
    .addOption(new Option('--source <source>', 'only from there').choices(PATTERN_SOURCES))
    .addOption(new Option('--sort <order>', 'order').choices(PATTERN_SORTS))
    .option('--limit <n>', 'at most this many', wholeNumber)
    .option('--offset <n>', 'pass over this many', wholeNumber)
    .action(async (options) => {
      const { patterns } = await import('./failures/lists.ts');
      await patterns(options);
    });
}

const VIEW_HELP = `
The address holds a token: whoever has it can read the memory and correct patterns. Where nothing is recorded yet, the
page opens database files that are dropped on it. A page written with --export needs no server and sends nothing.`;

function addView(root: Command): void {
  projectCommand(root, 'view', 'show patterns, runs and incidents in a browser, until Ctrl-C')
    .option('--open', 'open the browser')
    .option('--port <n>', 'listen on this port of 127.0.0.1 (default: a free one)', portNumber)
    .addOption(new Option('--export <file>', 'write one file with all of it instead').conflicts('port'))
    .addHelpText('after', VIEW_HELP)
    .action(async (options: ViewOptions) => {
      const { view } = await import('./view.ts');
      await view(options);
    });
}

const ADOPT_HELP = `
A database that this user did not make on this machine is foreign: it is shown, marked as that, and never counts as known.
At a terminal only. In CI, ARGUS_ADOPT=1 does the same for run and import, but never for a file that git tracks.`;

function addAdopt(root: Command): void {
  root
    .command('adopt')
    .description('show what a database that came with the project holds, and make it yours')
    .option('--project <dir>', 'project directory', '.')
    .option('--config <file>', 'configuration (default: argus.yaml in the project)')
    .option('--yes', 'do not ask; at a terminal all the same')
    .addHelpText('after', ADOPT_HELP)
    .action(async (options: { project: string; config?: string; yes?: boolean }) => {
      const { adoptMemory } = await import('./adopt.ts');
      await adoptMemory(options);
    });
}

function addDoctor(root: Command): void {
  projectCommand(root, 'doctor', 'check that Argus works here, with a real write to the database').action(
    async (options: GlobalOptions) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(options);
    },
  );
}

function addInspect(root: Command): void {
  root
    .command('inspect')
    .description('read error text on stdin; print category, rule, evidence, normalized text and signatures')
    .option('--json', 'print JSON')
    .option('--jsonl', 'read one JSON object a line, write one a line')
    .option('--case <name>', 'case name that goes into the signature')
    .addHelpText(
      'after',
      '\nA line of --jsonl: {"text", "caseName"?, "exitCode"?, "httpStatus"?, "containerStatus"?, "oomKilled"?}',
    )
    .action(async (options: { json?: boolean; jsonl?: boolean; case?: string }) => {
      const { inspect } = await import('./failures/inspect.ts');
      await inspect(options);
    });
}

function addGenerateInputs(root: Command): void {
  root
    .command('generate-inputs <script>')
    .description('find what a script or command asks, and write a file of proposed answers for fix-problem --inputs')
    .option('--project <dir>', 'project directory', '.')
    .option('--output <file>', 'file to write (default: .claude/inputs/SCRIPT-inputs.yaml in the project)')
    .option('--force', 'write it anew although it exists')
    .option(...ARGUMENTS_OPTION)
    .option('--json', 'print what was found as JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 2 wrong usage or an error, 4 done, and some answers only you can give.',
    )
    .action(async (script: string, options: GenerateInputsOptions) => {
      const { generateInputs } = await import('./fix-loop/generate-inputs.ts');
      await generateInputs(script, options);
    });
}

const CLEAN_HELP = `
Removed are names of snapshots under refs/argus, copies of files, and logs of attempts, all once they are 14 days old, and
what killed processes left in the folder for temporary files. States, reports, and what was learned stay.

Exit codes: 0 done, 1 something could not be removed, 2 wrong usage or an error.`;

function addClean(root: Command): void {
  root
    .command('clean')
    .description('remove old snapshots, copies and logs of fix loops')
    .option('--project <dir>', 'project directory', '.')
    .option('--all', 'also what is not old yet: nobody can go back to it then')
    .option('--dry-run', 'only say what would be removed')
    .option('--json', 'print JSON')
    .addHelpText('after', CLEAN_HELP)
    .action(async (options: CleanOptions) => {
      const { clean } = await import('./clean.ts');
      await clean(options);
    });
}
