/**
 * Checks the composite action against the published schema. action.full.test.ts runs its script with bash. The schema
 * is `src/schemas/json/github-action.json` of https://github.com/SchemaStore/schemastore at 3b6446a (Apache-2.0), as
 * published at https://json.schemastore.org.
 */

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  actionScript,
  actionText,
  compositeAction,
  parseYamlValue,
  REPOSITORY_ROOT,
  readRepositoryFile,
  wholeAction,
} from './action.ts';

test('the composite action matches the published schema of actions', () => {
  const schema = JSON.parse(readRepositoryFile('tests/fixtures/schemas/github-action.json'));
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  expect(validate(wholeAction)).toMatchObject({ valid: true });
  expect(validate({ ...wholeAction, runs: { using: 'composite' } })).toMatchObject({ valid: false });
});

test('the action starts this version, pins the actions it uses, and puts no expression into a script', () => {
  const { version } = JSON.parse(readRepositoryFile('packages/mcp/package.json')) as { version: string };
  expect(actionScript?.run).toContain(` argus-mcp@${version})`);
  for (const { uses, run = '' } of compositeAction.runs.steps) {
    expect(run).not.toContain('${{');
    if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/u);
  }
  const named = [...actionText.matchAll(/inputs\.([\w-]+)/gu)].map(([, name = '']) => name);
  expect([...new Set(named)].sort()).toEqual(Object.keys(compositeAction.inputs).sort());
});

test('workflows pass only declared inputs, and check out nothing for pull_request_target', async () => {
  const Workflow = z.object({
    jobs: z.record(z.string(), z.object({ steps: z.array(z.looseObject({ uses: z.string().optional() })) })),
  });
  const uses: { uses?: string | undefined; with?: unknown }[] = [];
  for (const name of readdirSync(path.join(REPOSITORY_ROOT, '.github/workflows'))) {
    const workflow = readRepositoryFile(`.github/workflows/${name}`);
    expect(workflow).not.toContain('pull_request_target');
    uses.push(...Object.values(Workflow.parse(await parseYamlValue(workflow)).jobs).flatMap(({ steps }) => steps));
  }
  const ours = uses.filter((one) => one.uses === './.github/actions/argus');
  expect(ours).toHaveLength(1);
  expect(Object.keys(compositeAction.inputs)).toEqual(
    expect.arrayContaining(Object.keys(z.record(z.string(), z.string()).parse(ours[0]?.with))),
  );
});
