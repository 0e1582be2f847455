/**
 * A scenario is a project, the commands that Argus runs in it, and the expected answers of Argus. It is played from its
 * recording or with the real programs. After real programs have run, their output is compared with the recording.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { copyRunnerProject, createEnvironment, createProject } from '../e2e/harness.ts';
import { findVersionLine, type ProgramName, RUNNER_PATH } from './installed.ts';
import { createRecorder, createReplay, type Execute } from './play.ts';
import { ToolCaller } from './product.ts';
import {
  type Chunk,
  findDifferences,
  joinChunks,
  RECORD_AGAIN_ADVICE,
  type RecordedRun,
  type Recording,
  RecordingForm,
  readRecording,
  streamText,
  toComparableText,
  writeRecording,
} from './recording.ts';

type Programs = readonly [ProgramName, ...ProgramName[]];

/** Folders of `runners/` whose name differs from the name of their runner. */
const RUNNER_BY_FOLDER = {
  'node-test': ['node'],
  unittest: ['python'],
  minitest: ['minitest', 'rake'],
  'test-unit': ['test-unit', 'rake'],
} as const satisfies Record<string, Programs>;

export type Folder = keyof typeof RUNNER_BY_FOLDER | Exclude<ProgramName, 'node' | 'node-22' | 'python' | 'rake'>;

export interface Scenario {
  /** What the scenario shows, as the name of its test. */
  name: string;
  /** The name of the recording. A scenario without a recording is played only with the real programs. */
  recording?: string;
  /** A project of `runners/`. The default is an empty project. */
  folder?: Folder;
  /**
   * Programs that the scenario starts. The recording contains the version of the first. The default is the runner of
   * the folder.
   */
  programs?: Programs;
  /** Files that are added to the project. */
  files?: Record<string, string>;
  /** The folder of the project in which Argus works. */
  at?: string;
  play(stage: Stage): Promise<void>;
}

export function programsOf({ folder, programs }: Scenario): Programs {
  if (programs !== undefined) return programs;
  if (folder === undefined) throw new Error('a scenario in an empty project names its programs');
  return isRunnerWithOtherName(folder) ? RUNNER_BY_FOLDER[folder] : [folder];
}

function isRunnerWithOtherName(folder: Folder): folder is keyof typeof RUNNER_BY_FOLDER {
  return folder in RUNNER_BY_FOLDER;
}

interface ScenarioPrograms {
  execute: Execute;
  /** The line that the runner's version command printed. */
  version: string;
  /** The runs that were played so far. */
  played: RecordedRun[];
  /** Returns the output of a command that runs without Argus. */
  alone(command: string): Chunk[];
}

/** The project of a scenario, with the functions that play its commands. */
export class Stage extends ToolCaller {
  readonly version: string;
  readonly played: readonly RecordedRun[];
  readonly #alone: ScenarioPrograms['alone'];

  constructor(root: string, env: Record<string, string>, actors: ScenarioPrograms) {
    super(root, env, actors.execute);
    this.version = actors.version;
    this.played = actors.played;
    this.#alone = actors.alone;
  }

  write(files: Record<string, string>): void {
    writeFiles(this.root, files);
  }

  /** Compares the output of the last run that people see with the output of the command without Argus. */
  expectShownAsAlone(command: string): void {
    const shown = toRecordedChunks(this.root, this.shown);
    const alone = this.#alone(command);
    for (const stream of ['stdout', 'stderr'] as const) {
      expect(toComparableText(streamText(shown, stream)), stream).toBe(toComparableText(streamText(alone, stream)));
    }
  }
}

/** Plays a scenario from its recording. No program is started. */
export async function replayScenario(scenario: Scenario): Promise<void> {
  const recorded = readRecording(scenario.recording ?? '');
  if (recorded === undefined) throw new Error(`There is no recording '${scenario.recording}'. ${RECORD_AGAIN_ADVICE}`);
  const rest = [...recorded.runs];
  const alone = [...(recorded.alone ?? [])];
  const actors = {
    execute: createReplay(rest),
    version: recorded.version,
    played: recorded.runs,
    alone: () => alone.shift() ?? [],
  };
  await playScenario(
    createScenarioProject(scenario),
    createEnvironment({ PATH: createPathWithStubs() }),
    actors,
    scenario,
  );
  expect(rest, 'recorded runs that were not played').toEqual([]);
}

/**
 * Creates a PATH with stubs of programs. The detection checks whether these programs exist, but does not start them.
 */
function createPathWithStubs(): string {
  return [createProject({ 'cargo-nextest': '', python: '' }), process.env.PATH].join(path.delimiter);
}

/** Plays a scenario with the real programs, and returns a recording of them. */
export async function playWithRealPrograms(scenario: Scenario): Promise<Recording> {
  const [runner] = programsOf(scenario);
  const root = createScenarioProject(scenario);
  const env = createEnvironment({ PATH: RUNNER_PATH, ...FIXED_ENVIRONMENT });
  const runs: RecordedRun[] = [];
  const alone: Chunk[][] = [];
  const printedAlone = (command: string) => {
    const { stdout, stderr } = spawnSync(command, { cwd: root, encoding: 'utf8', env, shell: true });
    const chunks: Chunk[] = [
      ['stdout', stdout],
      ['stderr', stderr],
    ];
    alone.push(toRecordedChunks(root, chunks));
    return alone.at(-1) ?? [];
  };
  const version = findVersionLine(runner) ?? '';
  await playScenario(
    root,
    env,
    { execute: createRecorder(runs), version, played: runs, alone: printedAlone },
    scenario,
  );
  return { runner, version, runs, ...(alone.length > 0 ? { alone } : {}) };
}

/** Fixes the order of tests, the backtraces of errors, and colors. */
const FIXED_ENVIRONMENT = { SEED: '1', NEXTEST_TEST_THREADS: '1', TAP_JOBS: '1', RUST_BACKTRACE: '0', TERM: 'dumb' };

/** Fails if the recording differs from a new run. With ARGUS_RECORD_RUNNERS=1, replaces such a recording instead. */
export function compareWithRecording({ recording: name }: Scenario, fresh: Recording): void {
  if (name === undefined) return;
  const recorded = readRecording(name);
  const changes = recorded === undefined ? ['nothing is recorded'] : findDifferences(recorded, fresh);
  if (process.env.ARGUS_RECORD_RUNNERS === '1') {
    if (changes.length > 0 || recorded?.version !== fresh.version) writeRecording(name, fresh);
    return;
  }
  if (changes.length === 0) return;
  const versions =
    recorded === undefined || recorded.version === fresh.version
      ? ''
      : `'${fresh.version}' is installed, and '${recorded.version}' was recorded. `;
  throw new Error(
    `${versions}The recording '${name}' no longer matches. ${RECORD_AGAIN_ADVICE}\n${changes.join('\n')}`,
  );
}

async function playScenario(
  root: string,
  env: Record<string, string>,
  actors: ScenarioPrograms,
  scenario: Scenario,
): Promise<void> {
  const folders = new Set<string>();
  const execute: Execute = (execution) => {
    if (execution.env.ARGUS_REPORT_DIR !== undefined) folders.add(execution.env.ARGUS_REPORT_DIR);
    return actors.execute(execution);
  };
  const stage = new Stage(root, env, { ...actors, execute });
  try {
    await stage.init();
    await scenario.play(stage);
  } finally {
    await stage.close();
  }
  expect(
    [...folders].filter((folder) => existsSync(folder)),
    'report folders that are left',
  ).toEqual([]);
}

function createScenarioProject({ folder, files = {}, at = '' }: Scenario): string {
  const root = folder === undefined ? createProject() : copyRunnerProject(folder);
  writeFiles(root, files);
  return path.join(root, at);
}

function writeFiles(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
}

function toRecordedChunks(root: string, chunks: readonly Chunk[]): Chunk[] {
  const hiding = new RecordingForm({ root });
  return joinChunks(chunks).map(([stream, text]) => [stream, hiding.of(text)]);
}
