/**
 * A scenario is a project, the commands that Argus runs in it, and the answers that Argus must give. It is played from its
 * recording or with the real programs. After real programs have run, their output is compared with the recording.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { environment, project, runnerProject } from '../e2e/harness.ts';
import { PATH, type ProgramName, versionOf } from './installed.ts';
import { type Execute, recording, replaying } from './play.ts';
import { Product } from './product.ts';
import {
  type Chunk,
  comparable,
  difference,
  Hiding,
  joined,
  RECORD_AGAIN,
  type Recorded,
  type Recording,
  readRecording,
  textOf,
  writeRecording,
} from './recording.ts';

type Programs = readonly [ProgramName, ...ProgramName[]];

/** Folders of `runners/` whose runner has another name. */
const RUNNERS_OF = {
  'node-test': ['node'],
  unittest: ['python'],
  minitest: ['minitest', 'rake'],
  'test-unit': ['test-unit', 'rake'],
} as const satisfies Record<string, Programs>;

export type Folder = keyof typeof RUNNERS_OF | Exclude<ProgramName, 'node' | 'node-22' | 'python' | 'rake'>;

export interface Scenario {
  /** What it shows. */
  name: string;
  /** The name of its recording. A scenario without a recording is played only with the real programs. */
  recording?: string;
  /** A project of `runners/`. Default: an empty project. */
  folder?: Folder;
  /** Programs that it starts; the recording has the version of the first. Default: the runner of the folder. */
  programs?: Programs;
  /** Files that are added to it. */
  files?: Record<string, string>;
  /** The folder in it that Argus works in. */
  at?: string;
  play(stage: Stage): Promise<void>;
}

export function programsOf({ folder, programs }: Scenario): Programs {
  if (programs !== undefined) return programs;
  if (folder === undefined) throw new Error('a scenario in an empty project names its programs');
  return isNamedOtherwise(folder) ? RUNNERS_OF[folder] : [folder];
}

function isNamedOtherwise(folder: Folder): folder is keyof typeof RUNNERS_OF {
  return folder in RUNNERS_OF;
}

interface Actors {
  execute: Execute;
  /** The line that the runner's version command printed. */
  version: string;
  /** Filled as commands are played. */
  played: Recorded[];
  /** Output of a command that runs without Argus. */
  alone(command: string): Chunk[];
}

/** A project in the product, and what plays there. */
export class Stage extends Product {
  readonly version: string;
  readonly played: readonly Recorded[];
  readonly #alone: Actors['alone'];

  constructor(root: string, env: Record<string, string>, actors: Actors) {
    super(root, env, actors.execute);
    this.version = actors.version;
    this.played = actors.played;
    this.#alone = actors.alone;
  }

  write(files: Record<string, string>): void {
    put(this.root, files);
  }

  /** Compares the output that people saw of the last run with the output of the command without Argus. */
  expectShownAsAlone(command: string): void {
    const shown = hidden(this.root, this.shown);
    const alone = this.#alone(command);
    for (const stream of ['stdout', 'stderr'] as const) {
      expect(comparable(textOf(shown, stream)), stream).toBe(comparable(textOf(alone, stream)));
    }
  }
}

/** Plays it from its recording; no program is started. */
export async function replay(scenario: Scenario): Promise<void> {
  const recorded = readRecording(scenario.recording ?? '');
  if (recorded === undefined) throw new Error(`There is no recording '${scenario.recording}'. ${RECORD_AGAIN}`);
  const rest = [...recorded.runs];
  const alone = [...(recorded.alone ?? [])];
  const actors = {
    execute: replaying(rest),
    version: recorded.version,
    played: recorded.runs,
    alone: () => alone.shift() ?? [],
  };
  await playOn(rootOf(scenario), environment({ PATH: searchPathWithStubs() }), actors, scenario);
  expect(rest, 'recorded runs that were not played').toEqual([]);
}

/** Detection asks whether these programs are there; they are not started. */
function searchPathWithStubs(): string {
  return [project({ 'cargo-nextest': '', python: '' }), process.env.PATH].join(path.delimiter);
}

/** Plays it with the real programs and returns a recording of them. */
export async function playForReal(scenario: Scenario): Promise<Recording> {
  const [runner] = programsOf(scenario);
  const root = rootOf(scenario);
  const env = environment({ PATH, ...SAME_EVERYWHERE });
  const runs: Recorded[] = [];
  const alone: Chunk[][] = [];
  const printedAlone = (command: string) => {
    const { stdout, stderr } = spawnSync(command, { cwd: root, encoding: 'utf8', env, shell: true });
    const chunks: Chunk[] = [
      ['stdout', stdout],
      ['stderr', stderr],
    ];
    alone.push(hidden(root, chunks));
    return alone.at(-1) ?? [];
  };
  const version = versionOf(runner) ?? '';
  await playOn(root, env, { execute: recording(runs), version, played: runs, alone: printedAlone }, scenario);
  return { runner, version, runs, ...(alone.length > 0 ? { alone } : {}) };
}

/** Settles the order of tests, the backtraces of errors, and colors. */
const SAME_EVERYWHERE = { SEED: '1', NEXTEST_TEST_THREADS: '1', RUST_BACKTRACE: '0', TERM: 'dumb' };

/** Fails when the recording differs from a new run. ARGUS_RECORD_RUNNERS=1 replaces such a recording instead. */
export function compareWithRecording({ recording: name }: Scenario, fresh: Recording): void {
  if (name === undefined) return;
  const recorded = readRecording(name);
  const changes = recorded === undefined ? ['nothing is recorded'] : difference(recorded, fresh);
  if (process.env.ARGUS_RECORD_RUNNERS === '1') {
    if (changes.length > 0 || recorded?.version !== fresh.version) writeRecording(name, fresh);
    return;
  }
  if (changes.length === 0) return;
  const versions =
    recorded === undefined || recorded.version === fresh.version
      ? ''
      : `'${fresh.version}' is installed, and '${recorded.version}' was recorded. `;
  throw new Error(`${versions}The recording '${name}' no longer matches. ${RECORD_AGAIN}\n${changes.join('\n')}`);
}

async function playOn(root: string, env: Record<string, string>, actors: Actors, scenario: Scenario): Promise<void> {
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

function rootOf({ folder, files = {}, at = '' }: Scenario): string {
  const root = folder === undefined ? project() : runnerProject(folder);
  put(root, files);
  return path.join(root, at);
}

function put(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
}

function hidden(root: string, chunks: readonly Chunk[]): Chunk[] {
  const hiding = new Hiding({ root });
  return joined(chunks).map(([stream, text]) => [stream, hiding.of(text)]);
}
