/**
 * The commands of the debug memory. Some call the same handlers as the MCP tools and print the result for people;
 * import, export and search process many incidents as a stream of JSON lines. The options are in memory-program.ts.
 */

import { text as readText } from 'node:stream/consumers';
import type { MemoryImportResult } from 'argus-engine';
import { toErrorBody } from '../../answer.ts';
import { ArgusError } from '../../errors.ts';
import {
  formatAddedIncident,
  formatAddedSolution,
  formatMemoryImport,
  formatOutcome,
  formatSolutions,
} from '../../format/memory.ts';
import * as memory from '../../sessions/memories.ts';
import type { EngineCalls } from '../../storage/database.ts';
import { io } from '../../system/io.ts';
import { sanitizeDeep } from '../../text/sanitize.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { type Progress, startProgress } from '../terminal/interaction.ts';
import { openLineInput, readBatches, writeToStdout } from '../terminal/lines.ts';
import { type MemoryOptions, runMemoryCommand, withMemory } from '../terminal/output.ts';

/** Options that describe the environment. */
export interface EnvironmentOptions extends MemoryOptions {
  env?: Record<string, string>;
  envBucket?: string;
}

export type Verdict = 'worked' | 'failed';

export async function printSolutions(text: string, options: EnvironmentOptions & { limit?: number }): Promise<void> {
  const { env = {}, limit } = options;
  const query_text = await readArgument(text);
  await runMemoryCommand(
    options,
    ({ projectPath, sessionManager }) =>
      memory.rankedSolutions({ query_text, env, limit, projectPath }, sessionManager),
    (found) => formatSolutions(found, query_text),
  );
}

export async function recordOutcome(
  solution_id: string,
  verdict: Verdict,
  options: EnvironmentOptions & { lookup?: string; notes?: string },
): Promise<void> {
  const { env = {}, envBucket: env_bucket, lookup: lookup_id, notes } = options;
  const worked = verdict === 'worked';
  await runMemoryCommand(
    options,
    ({ projectPath, sessionManager }) =>
      memory.recordOutcome({ lookup_id, solution_id, worked, env, env_bucket, notes, projectPath }, sessionManager),
    formatOutcome,
  );
}

export async function addSolution(
  incident_id: string,
  steps: string,
  options: EnvironmentOptions & { lookup?: string },
): Promise<void> {
  const { env = {}, envBucket: env_bucket, lookup: lookup_id } = options;
  await runMemoryCommand(
    options,
    async ({ projectPath, sessionManager }) =>
      memory.addSolution(
        { incident_id, steps: await readArgument(steps), env, env_bucket, lookup_id, projectPath },
        sessionManager,
      ),
    formatAddedSolution,
  );
}

export interface IncidentOptions extends EnvironmentOptions {
  error?: string;
  summary?: string;
  tag?: string[];
  lookup?: string;
  notes?: string;
  force?: boolean;
}

export async function addIncident(
  title: string,
  steps: string,
  verdict: Verdict,
  options: IncidentOptions,
): Promise<void> {
  const { error: error_signature, summary, tag: tags, lookup: lookup_id, notes, force } = options;
  const { env = {}, envBucket: env_bucket } = options;
  const problem = { title, error_signature, summary, tags, lookup_id, notes, force };
  await runMemoryCommand(
    options,
    async ({ projectPath, sessionManager }) =>
      memory.addIncident(
        { ...problem, steps: await readArgument(steps), worked: verdict === 'worked', env, env_bucket, projectPath },
        sessionManager,
      ),
    formatAddedIncident,
  );
}

/** Returns the argument, or reads stdin if the argument is `-`, for example for a pasted stack trace. */
async function readArgument(text: string): Promise<string> {
  return text === '-' ? readText(io().stdin) : text;
}

/**
 * Number of lines in a batch. Each batch is a transaction: large enough to be fast, small enough that other writers can
 * write between batches.
 */
const IMPORT_BATCH_LINES = 1_000;
/** Limit for batches with long lines. */
const IMPORT_BATCH_BYTES = 8 * 1024 * 1024;
const EXPORT_PAGE_SIZE = 200;

/** The command `memory import`. Like export and search, it never holds a complete file in memory. */
export async function memoryImport(file: string, options: MemoryOptions): Promise<void> {
  await runMemoryCommand(
    options,
    async ({ projectPath, sessionManager }) => {
      const memory = await sessionManager.memories.findMemory(projectPath);
      const { input, size } = openLineInput(file);
      const progress = await startProgress(size);
      try {
        return await memory.write((engine) => importLines(engine, input, progress));
      } finally {
        progress.stop();
      }
    },
    formatMemoryImport,
    ({ refused }) => (refused.length > 0 ? EXIT_CODES.failures : EXIT_CODES.done),
  );
}

async function importLines(
  engine: EngineCalls,
  input: AsyncIterable<Uint8Array>,
  progress: Progress,
): Promise<MemoryImportResult> {
  const total: MemoryImportResult = { added: 0, updated: 0, solutions: 0, outcomes: 0, refused: [] };
  let previousLines = 0;
  for await (const lines of readBatches(input, { bytes: IMPORT_BATCH_BYTES, lines: IMPORT_BATCH_LINES })) {
    const done = await engine.memoryImport({ lines: new TextDecoder().decode(lines.bytes) });
    total.added += done.added;
    total.updated += done.updated;
    total.solutions += done.solutions;
    total.outcomes += done.outcomes;
    total.refused.push(...done.refused.map(({ line, message }) => ({ line: previousLines + line, message })));
    previousLines += lines.count;
    progress.advance(lines.bytes.length);
  }
  return total;
}

export async function memoryExport(options: MemoryOptions): Promise<void> {
  await withMemory(options, async (memory) => {
    let after: string | null = null;
    do {
      const page: { lines: string; next: string | null } = await memory.read((engine) =>
        engine.memoryExport({ after, limit: EXPORT_PAGE_SIZE }),
      );
      await writeToStdout(page.lines === '' || page.lines.endsWith('\n') ? page.lines : `${page.lines}\n`);
      after = page.next;
    } while (after !== null);
  });
}

export async function memorySearch(options: MemoryOptions & { threshold?: number }): Promise<void> {
  const threshold = options.threshold ?? null;
  await withMemory(options, async (memory) => {
    // Answer each question when it arrives, because the caller may wait for the answer before the next question.
    for await (const { bytes } of readBatches(io().stdin, { bytes: 1 })) {
      const asked = new TextDecoder()
        .decode(bytes)
        .split('\n')
        .filter((line) => line.trim() !== '');
      for (const line of asked) {
        await writeToStdout(
          `${JSON.stringify(await memory.read((engine) => answerQuestion(engine, line, threshold)))}\n`,
        );
      }
    }
  });
}

async function answerQuestion(engine: EngineCalls, line: string, threshold: number | null): Promise<object> {
  let id: unknown = null;
  try {
    const question = parseQuestion(line);
    id = sanitizeDeep(question.id);
    const [text, limit, env] = [requireText(question), requireLimit(question), requireEnvironment(question)];
    const { ranked } = await engine.memorySearch({ text, limit, env, threshold });
    return { id, ranked };
  } catch (thrown) {
    return { id, error: await toErrorBody(thrown) };
  }
}

/** The fields of a question. Their types are not checked yet. */
interface Question {
  id?: unknown;
  text?: unknown;
  env?: unknown;
  limit?: unknown;
}

function parseQuestion(line: string): Question {
  let question: unknown;
  try {
    question = JSON.parse(line);
  } catch {
    throw createQuestionError('no JSON');
  }
  if (typeof question !== 'object' || question === null) throw createQuestionError('no object');
  return question;
}

function requireText({ text }: Question): string {
  if (typeof text !== 'string') throw createQuestionError('text must be a string');
  return text;
}

function requireEnvironment({ env = null }: Question): Record<string, unknown> | null {
  if (env === null) return null;
  if (typeof env !== 'object' || Array.isArray(env)) throw createQuestionError('env must be an object');
  return { ...env };
}

function requireLimit({ limit = null }: Question): number | null {
  if (limit === null) return null;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1)
    throw createQuestionError('limit must be a number above 0');
  return limit;
}

function createQuestionError(what: string): ArgusError {
  return new ArgusError('INVALID_INPUT', `${what}; a line is {"id", "text", "env"?, "limit"?}.`);
}
