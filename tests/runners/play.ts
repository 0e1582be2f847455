/**
 * Plays commands in place of the product's `execute`: from a recording, or for real while a recording is made. Planning,
 * reading and recording a run are the product's own.
 */

import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Execution, execute } from '../../packages/mcp/src/run/execute.ts';
import {
  type Chunk,
  Folders,
  Hiding,
  joined,
  type Place,
  RECORD_AGAIN,
  type Recorded,
  reportsOf,
} from './recording.ts';

export type Execute = typeof execute;

/** Before any run, in seconds. */
const BEFORE = 1_700_000_000;

/** Each call takes the next run from `rest`, emits its output and writes its reports. */
export function replaying(rest: Recorded[]): Execute {
  const places = new Places();
  const written = new Set<string>();
  return async ({ command, cwd, env, onOutput, onStart }) => {
    const startedAt = Date.now();
    const next = rest.shift();
    if (next === undefined) throw new Error(`The recording has no run left for '${command}'. ${RECORD_AGAIN}`);
    const place = places.of(cwd, env);
    const planned = new Hiding(place).of(command);
    if (planned !== next.command)
      throw new Error(`Argus runs '${planned}', and '${next.command}' was recorded. ${RECORD_AGAIN}`);
    onStart?.(process.pid);
    const folders = new Folders(place);
    // A real runner takes longer, so the reports of the run before are older than this run.
    for (const file of written) if (existsSync(file)) utimesSync(file, BEFORE, BEFORE);
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
      fellSilent: false,
      interrupted: false,
      durationMs: 1,
      startedAt,
    };
  };
}

/** Each call runs a command and adds its output and reports to `runs`. */
export function recording(runs: Recorded[]): Execute {
  const places = new Places();
  return async (execution) => {
    const { command, cwd, env, onOutput } = execution;
    const place = places.of(cwd, env);
    const chunks: Chunk[] = [];
    const executed = await execute({
      ...execution,
      onOutput(text, stream) {
        chunks.push([stream, text]);
        return onOutput?.(text, stream);
      },
    });
    const reports = reportsOf(place, env, executed.startedAt);
    const hiding = new Hiding(place, reports);
    runs.push({
      command: hiding.of(command),
      exitCode: executed.exitCode,
      output: joined(chunks).map(([stream, text]) => [stream, hiding.of(text)]),
      reports: Object.fromEntries(Object.entries(reports).map(([file, text]) => [hiding.of(file), hiding.of(text)])),
    });
    return executed;
  };
}

/** A command that runs once more without what Argus adds has the report folder of the run before. */
class Places {
  #reports: string | undefined;

  of(root: string, { ARGUS_REPORT_DIR }: Execution['env']): Place {
    this.#reports = ARGUS_REPORT_DIR ?? this.#reports;
    const isThere = this.#reports !== undefined && existsSync(this.#reports);
    return { root, reports: isThere ? this.#reports : undefined };
  }
}
