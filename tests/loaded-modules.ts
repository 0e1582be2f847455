/**
 * Records which modules each test file has loaded, so that the file is not run again when only other modules change
 * (scripts/lib/test-files.mjs). Vitest knows the modules but has no public interface for them. If Vitest's internals
 * change, test files always run.
 */

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';

const listFile = process.env.ARGUS_LOADED_MODULES;
const projectRoot = path.resolve(import.meta.dirname, '..');

if (listFile !== undefined) {
  afterAll(() => {
    const worker: unknown = Reflect.get(globalThis, '__vitest_worker__');
    const modules = listLoadedFiles(worker).map((file) => path.relative(projectRoot, file).replaceAll('\\', '/'));
    const test = path.relative(projectRoot, expect.getState().testPath ?? '').replaceAll('\\', '/');
    if (modules.length > 0) appendFileSync(listFile, `${JSON.stringify({ test, modules })}\n`);
  });
}

function listLoadedFiles(worker: unknown): string[] {
  const evaluated = readProperty(worker, 'evaluatedModules');
  const files = readProperty(evaluated, 'fileToModulesMap');
  return files instanceof Map
    ? [...files.keys()].filter((file) => path.isAbsolute(file) && file.startsWith(projectRoot))
    : [];
}

function readProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
