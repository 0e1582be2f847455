/**
 * install: shows the changes in the agents' configuration files, and writes them if a person agrees or with --yes. Each
 * file is handled alone: a broken file is left unchanged, and the others are written.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { ArgusError, messageOf } from '../../errors.ts';
import { lines, paint } from '../../format/terminal.ts';
import { absolutePath, io } from '../../system/io.ts';
import { agrees } from '../terminal/agree.ts';
import { EXIT } from '../terminal/exit.ts';
import { fail, printData } from '../terminal/output.ts';
import { commandsOf } from './agent-commands.ts';
import { AGENT_NAMES, AGENTS, type AgentName, isFound, SERVER_NAME, serverEntry } from './agents.ts';
import { AGENTS_MD, AGENTS_MD_BLOCK, AGENTS_MD_MARKS } from './agents-md.ts';
import { type ConfigPlace, fileOf, readConfigFile, writeConfigFile } from './files/config-file.ts';
import { withJsonEntry, withoutJsonEntry } from './files/json-entry.ts';
import { withJsonHooks, withoutJsonHooks } from './files/json-hooks.ts';
import { withBlock, withoutBlock } from './files/marked-block.ts';
import { Refused } from './files/refused.ts';
import { withoutTomlEntry, withTomlEntry } from './files/toml-entry.ts';
import { AGENT_HOOKS } from './hook-forms.ts';
import { hookPlaceOf, placeOf, placeOfUser, thisMachine } from './places.ts';

export interface InstallOptions {
  project: string;
  agent?: AgentName[];
  agentsMd?: boolean;
  global?: boolean;
  hook?: boolean;
  program?: 'npx' | 'path';
  remove?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** The wanted change of one file. */
interface Job {
  title: string;
  place: ConfigPlace;
  note: string | null;
  /** True if the file is mentioned only when it changes. */
  isAside?: boolean;
  /** Returns the wanted text, or undefined for no file. */
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

interface Planned {
  job: Job;
  before: string | undefined;
  after: string | undefined;
  change: Change;
}

/** Lines of context around our lines in a diff. */
const CONTEXT_LINES = 2;

export async function install(options: InstallOptions): Promise<void> {
  try {
    io().exitCode = await installInto(options);
  } catch (thrown) {
    io().exitCode = await fail(thrown, options.json ?? false);
  }
}

async function installInto(options: InstallOptions): Promise<number> {
  const plans = jobsOf(options)
    .map(planned)
    .filter(({ job, change }) => !(job.isAside && change.state === 'same'));
  const open = plans.filter(isOpen);
  const isAsked = io().stdin.isTTY === true && io().stdout.isTTY === true && !options.json && !options.yes;
  if (isAsked && open.length > 0) {
    printData({ changes: plans.map(({ change }) => change), written: null }, false, shown);
    if (!(await agrees(options.remove ? 'Take it out?' : 'Write it?'))) return exitCodeOf(plans);
    for (const plan of open) write(plan);
    printData({ changes: plans.map(({ change }) => change) }, false, outcomeOf);
    return exitCodeOf(plans);
  }
  const written = (options.yes ?? false) && open.length > 0;
  if (written) for (const plan of open) write(plan);
  printData({ changes: plans.map(({ change }) => change), written }, options.json ?? false, shown);
  return exitCodeOf(plans);
}

const isOpen = ({ change }: Planned) => change.state !== 'same' && change.state !== 'refused';
const exitCodeOf = (plans: readonly Planned[]) =>
  plans.some(({ change }) => change.state === 'refused') ? EXIT.failures : EXIT.done;

function jobsOf(options: InstallOptions): Job[] {
  const root = projectRoot(options.project);
  const onlyBlock = options.agentsMd && options.agent === undefined;
  const agents = onlyBlock ? [] : agentsOf(options, root);
  const jobs = agents.flatMap((agent) => jobsOfAgent(agent, root, options));
  return options.agentsMd ? [...jobs, blockJob(root, options.remove ?? false)] : jobs;
}

function projectRoot(project: string): string {
  const root = absolutePath(project);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new ArgusError('INVALID_INPUT', `The project ${root} does not exist. Correct --project.`);
  return realpathSync(root);
}

/**
 * Returns the named agents, otherwise the agents that were found. For --remove, returns the agents that have a file.
 */
function agentsOf({ agent, remove, global: isGlobal = false }: InstallOptions, root: string): readonly AgentName[] {
  if (agent !== undefined) return AGENT_NAMES.filter((name) => agent.includes(name));
  const machine = thisMachine();
  const hasFile = (place: ConfigPlace | undefined) => place !== undefined && existsSync(fileOf(place));
  if (remove) {
    return AGENT_NAMES.filter((name) => [placeOf, hookPlaceOf].some((of) => hasFile(of(name, root, isGlobal))));
  }
  const found = AGENT_NAMES.filter((name) => isFound(name, root, machine));
  if (found.length > 0) return found;
  throw new ArgusError('INVALID_INPUT', `No agent was found here. Name one: --agent ${AGENT_NAMES.join(', ')}.`);
}

/**
 * Returns a job for the servers and a job for the hook, or a single job if both are in the same file, and a job for each
 * slash command.
 */
function jobsOfAgent(agent: AgentName, root: string, options: InstallOptions): Job[] {
  const { remove = false, global: isGlobal = false } = options;
  const { title } = AGENTS[agent];
  const note = remove || isGlobal ? null : AGENTS[agent].note;
  const start = startOf(options);
  const server: Job = { title, place: placeOf(agent, root, isGlobal), note, edit: serverEdit(agent, start, remove) };
  const commands = commandJobs(agent, root, options, start);
  const hookPlace = hookPlaceOf(agent, root, isGlobal);
  if (hookPlace === undefined || !(options.hook || remove)) return [server, ...commands];
  const hook: Job = { title: `${title}, hook`, place: hookPlace, note: null, edit: hookEdit(agent, start, remove) };
  if (fileOf(hookPlace) !== fileOf(server.place)) return [server, { ...hook, isAside: remove }, ...commands];
  // Remove in the reverse order of adding.
  const [first, second] = remove ? [hook, server] : [server, hook];
  return [{ ...server, edit: (text) => second.edit(first.edit(text)) }, ...commands];
}

function commandJobs(agent: AgentName, root: string, options: InstallOptions, { bundle }: Start): Job[] {
  const { remove = false, global: isGlobal = false } = options;
  const program = bundle === undefined ? undefined : `node "${bundle}"`;
  return commandsOf(agent, thisMachine(), { program, remove }).map(({ projectFile, userFile, edit }) => ({
    title: `${AGENTS[agent].title}, /pm:${path.parse(projectFile).name}`,
    place: isGlobal ? placeOfUser(userFile) : { base: root, name: projectFile },
    note: null,
    isAside: remove,
    edit,
  }));
}

interface Start {
  bundle?: string;
  throughCmd: boolean;
}

function startOf({ program, global: isGlobal = false }: InstallOptions): Start {
  const bundle = realpathSync(io().program);
  const byPath = program === undefined ? isCheckout(bundle) : program === 'path';
  const throughCmd = isGlobal && process.platform === 'win32';
  return byPath ? { bundle, throughCmd } : { throughCmd };
}

function serverEdit(agent: AgentName, start: Start, remove: boolean): Job['edit'] {
  const { container } = AGENTS[agent];
  const entry = serverEntry(agent, start);
  if (container === null) return (text) => (remove ? text && withoutTomlEntry(text) : withTomlEntry(text, entry));
  const keys = [container, SERVER_NAME] as const;
  return (text) => (remove ? text && withoutJsonEntry(text, keys) : withJsonEntry(text, keys, entry));
}

function hookEdit(agent: AgentName, { bundle }: Start, remove: boolean): Job['edit'] {
  const form = AGENT_HOOKS[agent]?.form(bundle === undefined ? 'npx -y argus-mcp hook' : `node "${bundle}" hook`);
  if (form === undefined) return (text) => text;
  return (text) => (remove ? text && withoutJsonHooks(text, form) : withJsonHooks(text, form));
}

/** True if Argus is not installed as a package, so npx could not find it. */
function isCheckout(bundle: string): boolean {
  return !bundle.split(/[\\/]/u).includes('node_modules');
}

function blockJob(root: string, remove: boolean): Job {
  const edit = (text: string | undefined) =>
    remove ? text && withoutBlock(text, AGENTS_MD_MARKS) : withBlock(text, AGENTS_MD_MARKS, AGENTS_MD_BLOCK);
  return { title: AGENTS_MD, place: { base: root, name: AGENTS_MD }, note: null, edit };
}

function planned(job: Job): Planned {
  const { title, place, note } = job;
  const file = fileOf(place);
  const change = (state: Change['state'], diff = '', problem: string | null = null): Change => ({
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
    if (before === after) return { job, before, after, change: change('same') };
    const state = after === undefined ? 'remove' : before === undefined ? 'add' : 'change';
    return { job, before, after, change: change(state, diffOf(place.name, before, after)) };
  } catch (thrown) {
    return { job, before: undefined, after: undefined, change: change('refused', '', problemOf(thrown)) };
  }
}

/** Returns the message of a refusal or of a system error. */
function problemOf(thrown: unknown): string {
  return thrown instanceof Refused ? thrown.message : messageOf(thrown);
}

function diffOf(name: string, before: string | undefined, after: string | undefined): string {
  const [from, to] = [before === undefined ? '/dev/null' : name, after === undefined ? '/dev/null' : name];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context: CONTEXT_LINES,
  });
  return patch
    .slice(patch.indexOf('\n') + 1)
    .replaceAll(/\t?\r?$/gmu, '')
    .trimEnd();
}

function write({ job, before, after, change }: Planned): void {
  try {
    writeConfigFile(job.place, before, after);
  } catch (thrown) {
    change.state = 'refused';
    change.problem = problemOf(thrown);
  }
}

function shown({ changes, written }: { changes: readonly Change[]; written: boolean | null }): string {
  const isOpen = changes.some(({ state }) => state !== 'same' && state !== 'refused');
  return lines([
    ...changes.map(shownChange),
    changes.length === 0 && 'Nothing of Argus is there.',
    written === false && isOpen && '\nNothing was written: --yes writes it.',
    written === true && `\n${outcomeOf({ changes })}`,
  ]);
}

function shownChange({ title, file, state, diff, problem }: Change): string {
  if (state === 'refused') return paint.red(`${title}: ${file} is left as it is: ${problem}`);
  if (state === 'same') return `${title}: ${file} needs no change`;
  return lines([`${paint.bold(title)}: ${file}`, coloured(diff)]);
}

function coloured(diff: string): string {
  const paintLine = (line: string) =>
    line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line;
  return diff.split('\n').map(paintLine).join('\n');
}

function outcomeOf({ changes }: { changes: readonly Change[] }): string {
  const verbs = { add: 'written', change: 'changed', remove: 'removed' } as const;
  return lines(
    changes.flatMap(({ title, file, state, note, problem }) => {
      if (state === 'same') return [];
      if (state === 'refused') return [`${title}: ${file} is left as it is: ${problem}`];
      return [`${title}: ${file} ${verbs[state]}${note === null ? '' : `; ${note}`}`];
    }),
  );
}
