/**
 * The command `install`: shows the changes of the agents' configuration files, and writes them if a person agrees or
 * with --yes. Each file is independent: a broken file is left unchanged, and the others are written.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { joinLines, paint } from '../../format/terminal.ts';
import { hasCommits } from '../../git/history.ts';
import { io, toAbsolutePath } from '../../system/io.ts';
import { isProgramInstalled } from '../../system/programs.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { askForConsent } from '../terminal/interaction.ts';
import { printData, printError } from '../terminal/output.ts';
import { AGENTS_MD, AGENTS_MD_BLOCK, AGENTS_MD_MARKS, createAgentCommands } from './agent-files.ts';
import {
  AGENT_NAMES,
  AGENTS,
  type AgentName,
  createHookCommand,
  createServerCommand,
  createServerEntry,
  isAgentDetected,
  SERVER_NAME,
  type StartMethod,
} from './agents.ts';
import { getThisMachine, locateConfig, locateHookConfig, locateUserFile } from './config-locations.ts';
import {
  ConfigEditError,
  type ConfigLocation,
  getConfigPath,
  readConfigFile,
  writeConfigFile,
} from './files/config-file.ts';
import { removeJsonEntry, removeJsonHooks, setJsonEntry, setJsonHooks } from './files/json-config.ts';
import { removeBlock, removeTomlEntry, setBlock, setTomlEntry } from './files/marked-block.ts';

export interface InstallOptions {
  project: string;
  agent?: AgentName[];
  agentsMd?: boolean;
  global?: boolean;
  hook?: boolean;
  program?: StartMethod['by'];
  remove?: boolean;
  yes?: boolean;
  /** False to skip learning from the commits of the repository. */
  learn?: boolean;
  json?: boolean;
}

/** The intended change of a file. */
interface FileEdit {
  title: string;
  place: ConfigLocation;
  note: string | null;
  /** True if the file is not mentioned unless it changes. */
  isHiddenIfUnchanged?: boolean;
  /** Returns the new text, or undefined to remove the file. */
  edit: (text: string | undefined) => string | undefined;
}

interface Change {
  title: string;
  file: string;
  state: 'add' | 'change' | 'remove' | 'same' | 'refused';
  diff: string;
  note: string | null;
  problem: string | null;
}

interface PlannedEdit {
  job: FileEdit;
  before: string | undefined;
  after: string | undefined;
  change: Change;
}

/** Number of unchanged lines before and after a change in a diff. */
const CONTEXT_LINES = 2;

export async function install(options: InstallOptions): Promise<void> {
  try {
    io().exitCode = await planAndWriteEdits(options);
  } catch (thrown) {
    io().exitCode = await printError(thrown, options.json ?? false);
  }
}

async function planAndWriteEdits(options: InstallOptions): Promise<number> {
  const plans = createEdits(options)
    .map(planEdit)
    .filter(({ job, change }) => !(job.isHiddenIfUnchanged && change.state === 'same'));
  const pending = plans.filter(isPending);
  const isAsked = io().stdin.isTTY === true && io().stdout.isTTY === true && !options.json && !options.yes;
  if (isAsked && pending.length > 0) {
    printData({ changes: plans.map(({ change }) => change), written: null }, false, formatChanges);
    if (!(await askForConsent(options.remove ? 'Remove it?' : 'Write it?'))) return getExitCode(plans);
    for (const plan of pending) writeEdit(plan);
    printData({ changes: plans.map(({ change }) => change) }, false, formatOutcome);
    await learnFromCommits(options);
    return getExitCode(plans);
  }
  const written = (options.yes ?? false) && pending.length > 0;
  if (written) for (const plan of pending) writeEdit(plan);
  printData({ changes: plans.map(({ change }) => change), written }, options.json ?? false, formatChanges);
  if (written) await learnFromCommits(options);
  return getExitCode(plans);
}

/** Fills the memory from the commits of the project, so that it does not start empty. The user can cancel this. */
async function learnFromCommits({
  project,
  remove,
  global: isGlobal,
  json,
  learn: learns = true,
}: InstallOptions): Promise<void> {
  if (!learns || remove || isGlobal || json || !(await hasCommits(toAbsolutePath(project)))) return;
  const [{ learn }, { DEFAULT_COMMIT_COUNT }] = await Promise.all([
    import('../learn/learn.ts'),
    import('../learn/learn-program.ts'),
  ]);
  io().stdout.write('\nLearning from the commits of this repository (--no-learn skips this):\n');
  await learn({ project, fromGit: DEFAULT_COMMIT_COUNT });
}

const isPending = ({ change }: PlannedEdit) => change.state !== 'same' && change.state !== 'refused';
const getExitCode = (plans: readonly PlannedEdit[]) =>
  plans.some(({ change }) => change.state === 'refused') ? EXIT_CODES.failures : EXIT_CODES.done;

function createEdits(options: InstallOptions): FileEdit[] {
  const root = resolveProjectRoot(options.project);
  const isAgentsMdOnly = options.agentsMd && options.agent === undefined;
  const agents = isAgentsMdOnly ? [] : selectAgents(options, root);
  const jobs = agents.flatMap((agent) => createAgentEdits(agent, root, options));
  if (agents.length > 0 && jobs.length === 0) {
    const titles = agents.map((agent) => AGENTS[agent].title).join(' and ');
    throw new ArgusError('INVALID_INPUT', `${titles} has no project configuration. Add --global.`);
  }
  const remove = options.remove ?? false;
  return joinEditsByFile(options.agentsMd ? [...jobs, createAgentsMdEdit(root, remove)] : jobs, remove);
}

/**
 * Joins the edits of the same file, because some hosts share a file. Removals happen in the reverse order of additions.
 */
function joinEditsByFile(jobs: readonly FileEdit[], remove: boolean): FileEdit[] {
  const byFile = new Map<string, FileEdit>();
  for (const job of jobs) {
    const file = getConfigPath(job.place);
    const first = byFile.get(file);
    byFile.set(file, first === undefined ? job : joinEdits(first, job, remove));
  }
  return [...byFile.values()];
}

function joinEdits(first: FileEdit, second: FileEdit, remove: boolean): FileEdit {
  const [before, after] = remove ? [second, first] : [first, second];
  const title = second.title.startsWith(first.title) ? first.title : `${first.title}, ${second.title}`;
  return { ...first, title, edit: (text) => after.edit(before.edit(text)) };
}

function resolveProjectRoot(project: string): string {
  const root = toAbsolutePath(project);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new ArgusError('INVALID_INPUT', `The project ${root} does not exist. Correct --project.`);
  return realpathSync(root);
}

/**
 * Returns the agents that the options name, otherwise the detected agents. For --remove, returns the agents that have a
 * configuration file.
 */
function selectAgents({ agent, remove, global: isGlobal = false }: InstallOptions, root: string): readonly AgentName[] {
  if (agent !== undefined) return AGENT_NAMES.filter((name) => agent.includes(name));
  const machine = getThisMachine();
  const hasFile = (place: ConfigLocation | undefined) => place !== undefined && existsSync(getConfigPath(place));
  if (remove) {
    return AGENT_NAMES.filter((name) =>
      [locateConfig, locateHookConfig].some((locate) => hasFile(locate(name, root, isGlobal))),
    );
  }
  const found = AGENT_NAMES.filter((name) => isAgentDetected(name, root, machine));
  if (found.length > 0) return found;
  throw new ArgusError('INVALID_INPUT', `No agent was found. Use --agent with ${AGENT_NAMES.join(', ')}.`);
}

/** Returns an edit for the server, for the hook and for each slash command. */
function createAgentEdits(agent: AgentName, root: string, options: InstallOptions): FileEdit[] {
  const { remove = false, global: isGlobal = false } = options;
  const { title, hook } = AGENTS[agent];
  const note = remove || isGlobal ? null : AGENTS[agent].note;
  const start = chooseStartMethod(options, root);
  const jobs: FileEdit[] = [];
  const place = locateConfig(agent, root, isGlobal);
  if (place !== undefined)
    jobs.push({ title, place, note, edit: createServerEdit(agent, start, { remove, isGlobal }) });
  const hookPlace = locateHookConfig(agent, root, isGlobal);
  if (hook !== undefined && hookPlace !== undefined && (options.hook || remove)) {
    const form = hook.form(createHookCommand(start));
    const edit: FileEdit['edit'] = (text) => (remove ? text && removeJsonHooks(text, form) : setJsonHooks(text, form));
    jobs.push({ title: `${title}, hook`, place: hookPlace, note: null, isHiddenIfUnchanged: remove, edit });
  }
  return [...jobs, ...createCommandEdits(agent, root, options, start)];
}

function createCommandEdits(agent: AgentName, root: string, options: InstallOptions, start: StartMethod): FileEdit[] {
  const { remove = false, global: isGlobal = false } = options;
  const program = start.by === 'path' ? `node "${start.bundle}"` : createServerCommand(start).join(' ');
  return createAgentCommands(agent, getThisMachine(), { program, remove }).map(({ projectFile, userFile, edit }) => ({
    title: `${AGENTS[agent].title}, /pm:${path.parse(projectFile).name}`,
    place: isGlobal ? locateUserFile(userFile) : { base: root, name: projectFile },
    note: null,
    isHiddenIfUnchanged: remove,
    edit,
  }));
}

/**
 * Chooses how a configuration starts Argus. A project shares its files with other machines, so they start Argus by
 * name. A user's own files contain the path, because a host that was started from the desktop has a different PATH.
 */
function chooseStartMethod({ program, global: isGlobal = false }: InstallOptions, root: string): StartMethod {
  const bundle = realpathSync(io().program);
  const isOnPath = !isCheckout(bundle) && isProgramInstalled('argus-mcp', root);
  const by = program ?? (isOnPath && !isGlobal ? 'name' : 'path');
  return by === 'path' ? { by, bundle } : { by };
}

function createServerEdit(
  agent: AgentName,
  start: StartMethod,
  { remove, isGlobal }: { remove: boolean; isGlobal: boolean },
): FileEdit['edit'] {
  const { container } = AGENTS[agent];
  const entry = createServerEntry(agent, start, isGlobal);
  if (container === null) return (text) => (remove ? text && removeTomlEntry(text) : setTomlEntry(text, entry));
  const keys = [container, SERVER_NAME] as const;
  return (text) => (remove ? text && removeJsonEntry(text, keys) : setJsonEntry(text, keys, entry));
}

/** True if Argus is not installed as a package, so that its name may start another copy. */
function isCheckout(bundle: string): boolean {
  return !bundle.split(/[\\/]/u).includes('node_modules');
}

function createAgentsMdEdit(root: string, remove: boolean): FileEdit {
  const edit = (text: string | undefined) =>
    remove ? text && removeBlock(text, AGENTS_MD_MARKS) : setBlock(text, AGENTS_MD_MARKS, AGENTS_MD_BLOCK);
  return { title: AGENTS_MD, place: { base: root, name: AGENTS_MD }, note: null, edit };
}

function planEdit(job: FileEdit): PlannedEdit {
  const { title, place, note } = job;
  const file = getConfigPath(place);
  const createChange = (state: Change['state'], diff = '', problem: string | null = null): Change => ({
    title,
    file,
    state,
    diff,
    note: state === 'add' || state === 'change' ? note : null,
    problem,
  });
  try {
    const before = readConfigFile(place);
    const after = job.edit(before);
    if (before === after) return { job, before, after, change: createChange('same') };
    const state = after === undefined ? 'remove' : before === undefined ? 'add' : 'change';
    return { job, before, after, change: createChange(state, createDiff(place.name, before, after)) };
  } catch (thrown) {
    return { job, before: undefined, after: undefined, change: createChange('refused', '', describeProblem(thrown)) };
  }
}

/** Returns the message of an error without a stack trace. */
function describeProblem(thrown: unknown): string {
  return thrown instanceof ConfigEditError ? thrown.message : getErrorMessage(thrown);
}

function createDiff(name: string, before: string | undefined, after: string | undefined): string {
  const [from, to] = [before === undefined ? '/dev/null' : name, after === undefined ? '/dev/null' : name];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context: CONTEXT_LINES,
  });
  return patch
    .slice(patch.indexOf('\n') + 1)
    .replaceAll(/\t?\r?$/gmu, '')
    .trimEnd();
}

function writeEdit({ job, before, after, change }: PlannedEdit): void {
  try {
    writeConfigFile(job.place, before, after);
  } catch (thrown) {
    change.state = 'refused';
    change.problem = describeProblem(thrown);
  }
}

function formatChanges({ changes, written }: { changes: readonly Change[]; written: boolean | null }): string {
  const hasPending = changes.some(({ state }) => state !== 'same' && state !== 'refused');
  return joinLines([
    ...changes.map(formatChange),
    changes.length === 0 && 'Argus is not configured here.',
    written === false && hasPending && '\nNothing was written. Add --yes to write it.',
    written === true && `\n${formatOutcome({ changes })}`,
  ]);
}

function formatChange({ title, file, state, diff, problem }: Change): string {
  if (state === 'refused') return paint.red(`${title}: ${file} was not changed: ${problem}`);
  if (state === 'same') return `${title}: ${file} needs no change`;
  return joinLines([`${paint.bold(title)}: ${file}`, colorDiff(diff)]);
}

function colorDiff(diff: string): string {
  const paintLine = (line: string) =>
    line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line;
  return diff.split('\n').map(paintLine).join('\n');
}

function formatOutcome({ changes }: { changes: readonly Change[] }): string {
  const verbs = { add: 'written', change: 'changed', remove: 'removed' } as const;
  return joinLines(
    changes.flatMap(({ title, file, state, note, problem }) => {
      if (state === 'same') return [];
      if (state === 'refused') return [`${title}: ${file} was not changed: ${problem}`];
      return [`${title}: ${file} ${verbs[state]}${note === null ? '' : `; ${note}`}`];
    }),
  );
}
