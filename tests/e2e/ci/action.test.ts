/**
 * The composite action, held to the published schema. Its script, run by bash: action.full.test.ts. The schema is
 * `src/schemas/json/github-action.json` of https://github.com/SchemaStore/schemastore at 3b6446a (Apache-2.0), as
 * https://json.schemastore.org has it.
 */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { action, parse, read, script, TOP, text, whole } from './action.ts';

test('matches the published schema of actions', () => {
  const schema = JSON.parse(read('tests/fixtures/schemas/github-action.json'));
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  expect(validate(whole)).toMatchObject({ valid: true });
  expect(validate({ ...whole, runs: { using: 'composite' } })).toMatchObject({ valid: false });
});

test('starts this version, pins the actions it uses, and puts no expression into a script', () => {
  const { version } = JSON.parse(read('packages/mcp/package.json')) as { version: string };
  expect(script?.run).toContain(` argus-mcp@${version})`);
  for (const { uses, run = '' } of action.runs.steps) {
    expect(run).not.toContain('${{');
    if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/u);
  }
  const named = [...text.matchAll(/inputs\.([\w-]+)/gu)].map(([, name = '']) => name);
  expect([...new Set(named)].sort()).toEqual(Object.keys(action.inputs).sort());
});

test('workflows pass only declared inputs, and check nothing out for pull_request_target', async () => {
  const Workflow = z.object({
    jobs: z.record(z.string(), z.object({ steps: z.array(z.looseObject({ uses: z.string().optional() })) })),
  });
  const uses: { uses?: string | undefined; with?: unknown }[] = [];
  for (const name of readdirSync(path.join(TOP, '.github/workflows'))) {
    const workflow = read(`.github/workflows/${name}`);
    expect(workflow).not.toContain('pull_request_target');
    uses.push(...Object.values(Workflow.parse(await parse(workflow)).jobs).flatMap(({ steps }) => steps));
  }
  const ours = uses.filter((one) => one.uses === './.github/actions/argus');
  expect(ours).toHaveLength(1);
  expect(Object.keys(action.inputs)).toEqual(
    expect.arrayContaining(Object.keys(z.record(z.string(), z.string()).parse(ours[0]?.with))),
  );
});
