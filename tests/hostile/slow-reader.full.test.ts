/** A command that prints more than fits into memory, with a reader that is slow, stops reading, or exits. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { createEnvironment, createProject, PROGRAM_PATH } from '../e2e/harness.ts';

const PRINTED_BYTES = 400_000_000;
const PRINTING_COMMAND = `yes 0123456789012345678901234567890123456789 | head -c ${PRINTED_BYTES}`;

/**
 * Node and the engine that records the run use most of this memory. A buffer for the whole output would exceed the
 * limit.
 */
const MAX_RESIDENT_KILOBYTES = 320 * 1024;

function startRun(root: string, command: string, ...options: string[]): ChildProcess {
  const args = [PROGRAM_PATH, 'run', '--project', root, ...options, '--', 'sh', '-c', command];
  return spawn(process.execPath, args, { env: createEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Returns the peak resident memory of the process. */
function peakKilobytes({ pid }: ChildProcess): number {
  return Number(/^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function listRuns(root: string): Promise<unknown[]> {
  return JSON.parse((await argus(['history', '--project', root, '--json'])).stdout).data.runs;
}

describe.runIf(process.platform === 'linux')('a reader of 400 MB of output', () => {
  test('a slow reader gets the whole output, and memory use stays small', async () => {
    const root = createProject();
    const child = startRun(root, PRINTING_COMMAND);
    let bytes = 0;
    let peak = 0;
    let chunks = 0;
    for await (const chunk of child.stdout ?? []) {
      bytes += chunk.length;
      chunks += 1;
      if (chunks % 50 !== 1) continue;
      // The pause makes the reader slower than the command.
      await sleep(20);
      if (bytes < PRINTED_BYTES) peak = Math.max(peak, peakKilobytes(child));
    }
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
    expect(bytes).toBeGreaterThan(PRINTED_BYTES);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MAX_RESIDENT_KILOBYTES);
    expect(await listRuns(root)).toHaveLength(1);
  });

  test('a reader that stops reading delays neither the timeout nor the recording', async () => {
    const root = createProject();
    const child = startRun(root, PRINTING_COMMAND, '--timeout', '2');
    await expect.poll(() => listRuns(root)).toMatchObject([{ status: 'failed' }]);
    expect(peakKilobytes(child)).toBeLessThan(MAX_RESIDENT_KILOBYTES);
    child.stdout?.resume();
    expect((await once(child, 'exit'))[0]).toBe(1);
  });

  test('the run continues if the reader of its notes exits', async () => {
    const root = createProject();
    const child = startRun(root, `${PRINTING_COMMAND} >&2; echo done`);
    child.stderr?.once('data', () => child.stderr?.destroy());
    let printed = '';
    for await (const chunk of child.stdout ?? []) printed += chunk;
    expect(printed).toMatch(/^done\n/u);
    expect(await listRuns(root)).toHaveLength(1);
  });
});
