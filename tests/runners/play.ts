/**
 * Replaces the program's `execute`: replays commands from a recording, or runs them while making a recording. Planning,
 * reading and recording a run are done by the program itself.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Execution, execute } from '../../packages/mcp/src/run/execute.ts';
import {
  type Chunk,
  FolderPlaceholders,
  findProjectReports,
  joinChunks,
  makeOld,
  RECORD_AGAIN_ADVICE,
  type RecordedRun,
  RecordingForm,
  type RunFolders,
  readReports,
} from './recording.ts';

export type Execute = typeof execute;

/**
 * Returns an `execute` that replays: each call takes the next run from `rest`, emits its output and writes its reports.
 */
export function createReplay(rest: RecordedRun[]): Execute {
  const places = new FolderFinder();
  const written = new Set<string>();
  return async ({ command, cwd, env, onOutput, onStart }) => {
    const startedAt = Date.now();
    const next = rest.shift();
    if (next === undefined) throw new Error(`The recording has no run left for '${command}'. ${RECORD_AGAIN_ADVICE}`);
    const place = places.of(cwd, env);
    const planned = new RecordingForm(place).of(command);
    if (planned !== next.command)
      throw new Error(`Argus runs '${planned}', and '${next.command}' was recorded. ${RECORD_AGAIN_ADVICE}`);
    onStart?.(process.pid);
    const folders = new FolderPlaceholders(place);
    makeOld(written);
    for (const [name, text] of Object.entries(next.reports)) {
      const file = folders.restore(name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, folders.restore(text));
      written.add(file);
    }
    for (const [stream, text] of next.output) await onOutput?.(folders.restore(text), stream);
    return {
      exitCode: next.exitCode,
      signal: null,
      timedOut: false,
      idleTimedOut: false,
      interrupted: false,
      durationMs: 1,
      startedAt,
    };
  };
}

/** Returns an `execute` that runs each command and adds its output and reports to `runs`. */
export function createRecorder(runs: RecordedRun[]): Execute {
  const places = new FolderFinder();
  return async (execution) => {
    const { command, cwd, env, onOutput } = execution;
    const place = places.of(cwd, env);
    const chunks: Chunk[] = [];
    makeOld(findProjectReports(place.root));
    const executed = await execute({
      ...execution,
      onOutput(text, stream) {
        chunks.push([stream, text]);
        return onOutput?.(text, stream);
      },
    });
    const reports = readReports(place, env);
    const hiding = new RecordingForm(place, reports);
    runs.push({
      command: hiding.of(command),
      exitCode: executed.exitCode,
      output: joinChunks(chunks).map(([stream, text]) => [stream, hiding.of(text)]),
      reports: Object.fromEntries(Object.entries(reports).map(([file, text]) => [hiding.of(file), hiding.of(text)])),
    });
    return executed;
  };
}

/**
 * Finds the folders of a run. A command that runs again without Argus' additions uses the report folder of the previous
 * run.
 */
class FolderFinder {
  #reports: string | undefined;

  of(root: string, { ARGUS_REPORT_DIR }: Execution['env']): RunFolders {
    this.#reports = ARGUS_REPORT_DIR ?? this.#reports;
    const isThere = this.#reports !== undefined && existsSync(this.#reports);
    return { root, reports: isThere ? this.#reports : undefined };
  }
}
