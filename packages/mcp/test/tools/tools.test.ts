/**
 * Every tool needs a file, an entry in the registry, an end-to-end test, and the calls of the engine that it lists.
 * `tests/packaging/docs.test.ts` checks that the manual contains it. Each error code needs an end-to-end test too.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ENGINE_ERROR_CODES } from 'argus-engine';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import engine from '../../../../npm/engine/src/generated/calls.schema.json' with { type: 'json' };
import type { JsonSchema } from '../../src/system/zod.ts';
import { createListedSchemas } from '../../src/tools/shared/listing.ts';
import { TOOLS } from '../../src/tools/shared/registry.ts';

const ENGINE_SCHEMAS: { calls: Record<string, { params: JsonSchema }>; params: Record<string, JsonSchema> } = engine;
const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Full tests do not count, because the quick suite must cover every tool and every code. */
const findFiles = (pattern: string) =>
  globSync(pattern, { cwd: root, ignore: ['**/node_modules/**', '**/*.full.test.ts'] });
const readSource = (file: string) => readFileSync(`${root}/${file}`, 'utf8');
const TOOL_SOURCES = findFiles('packages/mcp/src/tools/**/*.ts');
const TEST_SOURCES = findFiles('tests/e2e/**/*.ts').map(readSource);
/** Read from the source code, because the error codes of this package exist only as a type. */
const HOST_CODES = [...readSource('packages/mcp/src/errors.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gmu)].map(
  ([, code = '']) => code,
);

test.each([...new Set([...ENGINE_ERROR_CODES, ...HOST_CODES])])('an end-to-end test covers %s', (code) => {
  expect(TEST_SOURCES.some((text) => text.includes(`'${code}'`) || text.includes(`${code}: `))).toBe(true);
});

describe.each(TOOLS)('$name', ({ name, output }) => {
  test('every tool has a file with its name', () => {
    const file = `/${name.replace(/^argus_/u, '').replaceAll('_', '-')}.ts`;
    const matchingSources = TOOL_SOURCES.filter((source) => source.endsWith(file));
    expect(matchingSources).toHaveLength(1);
    expect(readSource(String(matchingSources[0]))).toContain(`name: '${name}'`);
  });

  test('every tool answers with results of engine calls', () => {
    expect(output.calls.filter((call) => !(call in ENGINE_SCHEMAS.calls))).toEqual([]);
  });

  test('an end-to-end test calls every tool', () => {
    expect(TEST_SOURCES.some((text) => text.includes(`'${name}'`))).toBe(true);
  });
});

test('registers every defined tool', () => {
  const written = TOOL_SOURCES.filter((file) => /= defineTool\(/u.test(readSource(file)));
  expect(written).toHaveLength(TOOLS.length);
});

/**
 * For the other tools, the arguments are not the params of a call, because the host gathers the params: a project, a
 * run, cases of reports.
 */
const TOOLS_PASSING_ARGUMENTS = TOOLS.filter(
  ({ output }) => !['overview', 'recordRun', undefined].includes(output.calls[0]),
);

/** The host adds these to the arguments. */
const ADDED_PARAMS = ['detected_env', 'env'];

describe.each(TOOLS_PASSING_ARGUMENTS)('the arguments of $name', ({ name, output }) => {
  const input: JsonSchema = createListedSchemas(TOOLS)[name]?.input ?? {};
  const { projectPath: _, ...properties } = input.properties ?? {};
  const calls = output.calls.map((call) => resolveReference(ENGINE_SCHEMAS.calls[call]?.params));

  test.each(Object.entries(properties))('%s is a param of a call', (argument, argumentSchema) => {
    const params = calls.flatMap((call) => call.properties?.[argument] ?? []);
    expect(params).not.toEqual([]);
    for (const param of params)
      expect({ given: argumentSchema, fits: isCompatible(argumentSchema, param) }).toEqual({
        given: argumentSchema,
        fits: true,
      });
  });

  test('arguments include every required param', () => {
    // If a tool makes several calls, the arguments decide which call.
    const needed = calls.length > 1 ? [] : (calls[0]?.required ?? []);
    const providedParams = [...(input.required ?? []), ...paramsWithDefault(properties), ...ADDED_PARAMS];
    expect(needed.filter((param) => !providedParams.includes(param))).toEqual([]);
  });
});

function paramsWithDefault(properties: Record<string, JsonSchema>): string[] {
  return Object.entries(properties).flatMap(([argument, schema]) => ('default' in schema ? argument : []));
}

/** Returns true if each value that an argument accepts is valid for the param. */
function isCompatible(argumentSchema: JsonSchema, param: JsonSchema): boolean {
  const choices = resolveReference(param).anyOf?.map(resolveReference) ?? [resolveReference(param)];
  return choices.some(({ type, items, ...choice }) => {
    const names = choice.enum ?? choice.oneOf?.map((one) => one.const);
    if (names !== undefined) return argumentSchema.enum?.every((name) => names.includes(name)) === true;
    const types = [type].flat();
    if (
      !types.includes(String(argumentSchema.type)) &&
      !(argumentSchema.type === 'integer' && types.includes('number'))
    )
      return false;
    return items === undefined || (argumentSchema.items !== undefined && isCompatible(argumentSchema.items, items));
  });
}

function resolveReference(schema: JsonSchema = {}): JsonSchema {
  return schema.$ref === undefined ? schema : (ENGINE_SCHEMAS.params[schema.$ref.slice('#/params/'.length)] ?? {});
}
