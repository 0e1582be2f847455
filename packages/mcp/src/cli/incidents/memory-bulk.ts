/**
 * memory import, export and search: process many incidents or questions as a stream of JSON lines. No file is held in
 * memory whole.
 */

import type { MemoryImported } from 'argus-engine';
import { toErrorBody } from '../../answer.ts';
import { ArgusError } from '../../errors.ts';
import { formatImported } from '../../format/memory/memory-text.ts';
import type { Calling } from '../../storage/database.ts';
import { io } from '../../system/io.ts';
import { fitToLeaveDeep } from '../../text/outgoing.ts';
import { EXIT } from '../terminal/exit.ts';
import { batches, openLines, write } from '../terminal/lines.ts';
import { answerBare, type MemoryOptions, withMemory } from '../terminal/output.ts';
import { type Progress, startProgress } from '../terminal/progress-bar.ts';

/** Each batch is a transaction: large enough to be fast, small enough that other writers get a turn. */
const IMPORT_BATCH_LINES = 1_000;
/** A second limit, because lines may be long. */
const IMPORT_BATCH_BYTES = 8 * 1024 * 1024;
const EXPORT_PAGE_SIZE = 200;

export async function memoryImport(file: string, options: MemoryOptions): Promise<void> {
  await answerBare(
    options,
    async ({ projectPath, sessionManager }) => {
      const memory = await sessionManager.memories.of(projectPath);
      const { input, size } = openLines(file);
      const progress = await startProgress(size);
      try {
        return await memory.write((engine) => importAll(engine, input, progress));
      } finally {
        progress.stop();
      }
    },
    formatImported,
    ({ refused }) => (refused.length > 0 ? EXIT.failures : EXIT.done),
  );
}

async function importAll(
  engine: Calling,
  input: AsyncIterable<Uint8Array>,
  progress: Progress,
): Promise<MemoryImported> {
  const total: MemoryImported = { added: 0, updated: 0, solutions: 0, outcomes: 0, refused: [] };
  let before = 0;
  for await (const lines of batches(input, { bytes: IMPORT_BATCH_BYTES, lines: IMPORT_BATCH_LINES })) {
    const done = await engine.memoryImport({ lines: new TextDecoder().decode(lines.bytes) });
    total.added += done.added;
    total.updated += done.updated;
    total.solutions += done.solutions;
    total.outcomes += done.outcomes;
    total.refused.push(...done.refused.map(({ line, message }) => ({ line: before + line, message })));
    before += lines.count;
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
      await write(page.lines === '' || page.lines.endsWith('\n') ? page.lines : `${page.lines}\n`);
      after = page.next;
    } while (after !== null);
  });
}

export async function memorySearch(options: MemoryOptions & { threshold?: number }): Promise<void> {
  const threshold = options.threshold ?? null;
  await withMemory(options, async (memory) => {
    // Answer each question when it arrives, because the caller may wait for the answer before the next question.
    for await (const { bytes } of batches(io().stdin, { bytes: 1 })) {
      const asked = new TextDecoder()
        .decode(bytes)
        .split('\n')
        .filter((line) => line.trim() !== '');
      for (const line of asked) {
        await write(`${JSON.stringify(await memory.read((engine) => searched(engine, line, threshold)))}\n`);
      }
    }
  });
}

async function searched(engine: Calling, line: string, threshold: number | null): Promise<object> {
  let id: unknown = null;
  try {
    const question = questionOf(line);
    id = fitToLeaveDeep(question.id);
    const [text, limit, env] = [textOf(question), limitOf(question), envOf(question)];
    const { ranked } = await engine.memorySearch({ text, limit, env, threshold });
    return { id, ranked };
  } catch (thrown) {
    return { id, error: await toErrorBody(thrown) };
  }
}

/** The fields of a question, not yet checked. */
interface Question {
  id?: unknown;
  text?: unknown;
  env?: unknown;
  limit?: unknown;
}

function questionOf(line: string): Question {
  let question: unknown;
  try {
    question = JSON.parse(line);
  } catch {
    throw wrong('no JSON');
  }
  if (typeof question !== 'object' || question === null) throw wrong('no object');
  return question;
}

function textOf({ text }: Question): string {
  if (typeof text !== 'string') throw wrong('text is missing or no text');
  return text;
}

function envOf({ env = null }: Question): Record<string, unknown> | null {
  if (env === null) return null;
  if (typeof env !== 'object' || Array.isArray(env)) throw wrong('env is no object');
  return { ...env };
}

function limitOf({ limit = null }: Question): number | null {
  if (limit === null) return null;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) throw wrong('limit is no number above 0');
  return limit;
}

function wrong(what: string): ArgusError {
  return new ArgusError('INVALID_INPUT', `${what}; a line is {"id", "text", "env"?, "limit"?}.`);
}
