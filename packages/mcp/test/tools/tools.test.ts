/**
 * The parts that a tool needs: its call in the engine's list, its file, its line in the registry, and an end-to-end
 * test. `tests/packaging/docs.test.ts` checks its line in the manual. Each error code needs an end-to-end test too.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ENGINE_ERROR_CODES } from 'argus-engine';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import engine from '../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { Schema } from '../../src/system/json-schema.ts';
import { listedSchemas } from '../../src/tools/shared/listing.ts';
import { TOOLS } from '../../src/tools/shared/registry.ts';

const ENGINE: { calls: Record<string, { params: Schema }>; params: Record<string, Schema> } = engine;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Full tests do not count, because the quick suite must cover every tool and every code. */
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root, ignore: ['**/node_modules/**', '**/*.full.test.ts'] });
const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8');
const SOURCES = filesOf('packages/mcp/src/tools/**/*.ts');
const TESTS = filesOf('tests/e2e/**/*.ts').map(read);
/** Read from the source, because the codes of this package are only a type. */
const HOST_CODES = [...read('packages/mcp/src/errors.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gmu)].map(
  ([, code = '']) => code,
);

test.each([...new Set([...ENGINE_ERROR_CODES, ...HOST_CODES])])('an end-to-end test covers %s', (code) => {
  expect(TESTS.some((text) => text.includes(`'${code}'`) || text.includes(`${code}: `))).toBe(true);
});

describe.each(TOOLS)('$name', ({ name, output }) => {
  test('has a file of its own name', () => {
    const file = `/${name.replace(/^argus_/u, '').replaceAll('_', '-')}.ts`;
    const found = SOURCES.filter((source) => source.endsWith(file));
    expect(found).toHaveLength(1);
    expect(read(String(found[0]))).toContain(`name: '${name}'`);
  });

  test('answers with results of engine calls', () => {
    expect(output.calls.filter((call) => !(call in ENGINE.calls))).toEqual([]);
  });

  test('is called by an end-to-end test', () => {
    expect(TESTS.some((text) => text.includes(`'${name}'`))).toBe(true);
  });
});

test('registers every defined tool', () => {
  const written = SOURCES.filter((file) => /= defineTool\(/u.test(read(file)));
  expect(written).toHaveLength(TOOLS.length);
});

/**
 * The params of the other tools are not their arguments, because the host gathers them: a project, a run, cases of
 * reports.
 */
const PASSED_ON = TOOLS.filter(({ output }) => !['overview', 'recordRun', undefined].includes(output.calls[0]));

/** The host adds these to the arguments. */
const ADDED = ['detected_env', 'env'];

describe.each(PASSED_ON)('the arguments of $name', ({ name, output }) => {
  const input: Schema = listedSchemas(TOOLS)[name]?.input ?? {};
  const { projectPath: _, ...properties } = input.properties ?? {};
  const calls = output.calls.map((call) => resolved(ENGINE.calls[call]?.params));

  test.each(Object.entries(properties))('%s is a param of a call', (argument, given) => {
    const params = calls.flatMap((call) => call.properties?.[argument] ?? []);
    expect(params).not.toEqual([]);
    for (const param of params) expect({ given, fits: fits(given, param) }).toEqual({ given, fits: true });
  });

  test('include every required param', () => {
    // For a tool with several calls, the arguments decide which call is made.
    const needed = calls.length > 1 ? [] : (calls[0]?.required ?? []);
    const given = [...(input.required ?? []), ...defaulted(properties), ...ADDED];
    expect(needed.filter((param) => !given.includes(param))).toEqual([]);
  });
});

function defaulted(properties: Record<string, Schema>): string[] {
  return Object.entries(properties).flatMap(([argument, schema]) => ('default' in schema ? argument : []));
}

/** True when each value of an argument is valid for the param. */
function fits(given: Schema, param: Schema): boolean {
  const choices = resolved(param).anyOf?.map(resolved) ?? [resolved(param)];
  return choices.some(({ type, items, ...choice }) => {
    const names = choice.enum ?? choice.oneOf?.map((one) => one.const);
    if (names !== undefined) return given.enum?.every((name) => names.includes(name)) === true;
    const types = [type].flat();
    if (!types.includes(String(given.type)) && !(given.type === 'integer' && types.includes('number'))) return false;
    return items === undefined || (given.items !== undefined && fits(given.items, items));
  });
}

function resolved(schema: Schema = {}): Schema {
  return schema.$ref === undefined ? schema : (ENGINE.params[schema.$ref.slice('#/params/'.length)] ?? {});
}
