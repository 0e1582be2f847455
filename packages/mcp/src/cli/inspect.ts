/**
 * inspect: what Argus concludes from error texts, with nothing stored; one text, or a stream of JSON lines.
 * Does not: open a project, so its own rules do not apply.
 */

import { once } from 'node:events';
import { createInspector } from 'argus-engine';
import { formatInspection } from '../format/inspection.ts';

/** Large enough that crossing into the engine costs nothing, small enough to answer while reading. */
const BATCH_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;

export async function inspect(options: { json?: boolean; jsonl?: boolean; case?: string }): Promise<void> {
  const inspector = await createInspector({});
  if (options.jsonl) {
    for await (const lines of batches(process.stdin)) await write(inspector.inspectJsonlBytes(lines));
    return;
  }
  const text = await readAll(process.stdin);
  const inspection = inspector.inspect({ text, ...(options.case === undefined ? {} : { caseName: options.case }) });
  await write(`${options.json ? JSON.stringify(inspection) : formatInspection(inspection)}\n`);
}

/** Whole lines in batches, as bytes: the engine decodes them. */
export async function* batches(input: AsyncIterable<Uint8Array>, batchBytes = BATCH_BYTES): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    const lastNewline = chunk.lastIndexOf(NEWLINE);
    pending.push(chunk);
    size += chunk.length;
    if (size < batchBytes || lastNewline < 0) continue;
    const rest = chunk.subarray(lastNewline + 1);
    const whole = Buffer.concat(pending);
    yield whole.subarray(0, whole.length - rest.length);
    pending = [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(pending);
}

async function readAll(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Waits for a slow reader instead of filling memory. */
async function write(text: string | Uint8Array): Promise<void> {
  if (text.length > 0 && !process.stdout.write(text)) await once(process.stdout, 'drain');
}
