/**
 * Records which modules each test file has loaded, so that a change in any other module does not run it again
 * (scripts/lib/test-files.mjs). Vitest knows the modules but has no public interface for them. If its internals change,
 * test files always run.
 */

import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';

const list = process.env.ARGUS_LOADED_MODULES;
const root = path.resolve(import.meta.dirname, '..');

if (list !== undefined) {
  afterAll(() => {
    const worker: unknown = Reflect.get(globalThis, '__vitest_worker__');
    const modules = loadedFiles(worker).map((file) => path.relative(root, file).replaceAll('\\', '/'));
    const test = path.relative(root, expect.getState().testPath ?? '').replaceAll('\\', '/');
    if (modules.length > 0) appendFileSync(list, `${JSON.stringify({ test, modules })}\n`);
  });
}

function loadedFiles(worker: unknown): string[] {
  const evaluated = property(worker, 'evaluatedModules');
  const files = property(evaluated, 'fileToModulesMap');
  return files instanceof Map ? [...files.keys()].filter((file) => path.isAbsolute(file) && file.startsWith(root)) : [];
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
