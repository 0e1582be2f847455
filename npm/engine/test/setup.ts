/** Fixtures: folders and engines that are removed after the test, and the rows of a vector file. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, type OpenOptions, openEngine } from 'argus-engine';
import { onTestFinished } from 'vitest';
import type * as z from 'zod';

export function createTestFolder(prefix = 'argus-engine-'): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Opens an engine in memory, unless the options contain a path. */
export async function openTestEngine(options: Partial<OpenOptions> = {}): Promise<Engine> {
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: '/', ...options });
  onTestFinished(() => engine.close());
  return engine;
}

export function readVectorRows<T>(file: string, schema: z.ZodType<T>): T[] {
  const text = readFileSync(new URL(`../../../tests/vectors/${file}`, import.meta.url), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => schema.parse(JSON.parse(line)));
}
