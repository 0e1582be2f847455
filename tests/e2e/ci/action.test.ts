/**
 * The composite action: held to the published schema, and its script run by bash with the variables that a runner sets. What
 * the actions of GitHub do in it is not run here. The schema is `src/schemas/json/github-action.json` of
 * https://github.com/SchemaStore/schemastore at 3b6446a (Apache-2.0), as https://json.schemastore.org has it.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { readYaml } from '../../../packages/mcp/src/system/files/yaml.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import { BUNDLE, environment } from '../harness.ts';
import { type GitHub, startGitHub, step, withToken } from './github.ts';
import { pick, REGRESSED, reportOf } from './history.ts';

const TOP = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string) => readFileSync(path.join(TOP, file), 'utf8');

const Action = z.object({
  inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
  runs: z.object({
    steps: z.array(
      z.object({
        if: z.string().optional(),
        uses: z.string().optional(),
        run: z.string().optional(),
        shell: z.string().optional(),
        env: z.record(z.string(), z.string()).default({}),
      }),
    ),
  }),
});
const text = read('.github/actions/argus/action.yml');
const parse = async (yaml: string) => (await readYaml(yaml)).value;
const whole = z.record(z.string(), z.unknown()).parse(await parse(text));
const action = Action.parse(whole);
const script = action.runs.steps.find(({ run }) => run !== undefined);

test('it is an action by the published schema', () => {
  const schema = JSON.parse(read('tests/fixtures/schemas/github-action.json'));
  const validate = new AjvJsonSchemaValidator().getValidator(schema);
  expect(validate(whole)).toMatchObject({ valid: true });
  expect(validate({ ...whole, runs: { using: 'composite' } })).toMatchObject({ valid: false });
});

test('it starts this version, pins what it uses, and puts nothing of others into a script', () => {
  const { version } = JSON.parse(read('packages/mcp/package.json')) as { version: string };
  expect(action.inputs.command?.default).toBe(`npx --yes argus-mcp@${version}`);
  for (const { uses, run = '' } of action.runs.steps) {
    expect(run).not.toContain('${{');
    if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/u);
  }
  const named = [...text.matchAll(/inputs\.([\w-]+)/gu)].map(([, name = '']) => name);
  expect([...new Set(named)].sort()).toEqual(Object.keys(action.inputs).sort());
});

test('workflows hand it inputs that it has, and check nothing out for pull_request_target', async () => {
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

let gitHub: GitHub;

beforeEach(async () => {
  gitHub = await startGitHub();
});

afterEach(() => gitHub.close());

/** `github` is what an expression may name beside the inputs. */
function run(root: string, event: string, inputs: Record<string, string>, github: Record<string, string> = {}) {
  const { GITHUB_TOKEN: token, GITHUB_API_URL } = withToken(gitHub);
  const defaults = Object.entries(action.inputs).map(([name, one]) => [name, one.default ?? '']);
  const given: Record<string, string> = {
    ...Object.fromEntries(defaults),
    name: 'test-0',
    token,
    command: `${process.execPath} ${BUNDLE}`,
    ...inputs,
  };
  const known = new Map<string, string>([
    ...Object.entries(given).map(([name, value]) => [`inputs.${name}`, value] as const),
    ...Object.entries(github).map(([name, value]) => [`github.${name}`, value] as const),
  ]);
  const evaluated = (value: string) =>
    value.replaceAll(
      /\$\{\{ (.*?) \}\}/gu,
      (_, words: string) =>
        words
          .split(' || ')
          .map((name) => known.get(name))
          .find(Boolean) ?? '',
    );
  const env = Object.fromEntries(Object.entries(script?.env ?? {}).map(([name, value]) => [name, evaluated(value)]));
  const temporary = mkdtempSync(path.join(tmpdir(), 'argus-e2e-runner-'));
  const file = path.join(temporary, 'script.sh');
  writeFileSync(file, script?.run ?? '');
  const started = step(root, event, [file], { ...env, GITHUB_API_URL, RUNNER_TEMP: temporary }, [
    'bash',
    '--noprofile',
    '--norc',
    '-eo',
    'pipefail',
  ]);
  return started.then((ended) => ({ ...ended, artifact: path.join(temporary, 'argus/runs.jsonl') }));
}

test('a pull request: the base is fetched for its quarantine, and the gate, the comment and the artifact are there', async () => {
  const quarantine = `cases:\n  - { case: ${JSON.stringify(REGRESSED)}, reason: waits, owner: ada, until: 2999-12-31 }\n`;
  const origin = repository({
    'package.json': '{}\n',
    'argus-quarantine.yaml': quarantine,
    '.gitignore': 'report.json\n',
  });
  git(origin, 'checkout', '-q', '-b', 'changes');
  git(origin, 'commit', '-q', '--allow-empty', '-m', 'change');
  const root = path.join(mkdtempSync(path.join(tmpdir(), 'argus-e2e-clone-')), 'clone');
  const shallow = ['--depth=1', '--single-branch', '--branch=changes'];
  execFileSync('git', ['clone', '-q', ...shallow, `file://${origin}`, root], { env: environment(), stdio: 'pipe' });
  writeFileSync(path.join(root, 'report.json'), reportOf(pick(REGRESSED)));
  const inputs = { reports: 'report.json', outcome: 'failure', environment: 'browser=firefox\nlocale=de' };
  const { status, stderr, stdout, artifact, summary } = await run(root, 'pull_request', inputs, { base_ref: 'main' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('1 failure quarantined:');
  expect(summary).toContain('**Gate passed**: 0 to mend, 0 not of this change, 1 quarantined');
  expect(gitHub.comments.map(({ body }) => body.split('\n')[0])).toEqual(['<!-- argus-ci:test-0 -->']);
  expect(JSON.parse(readFileSync(artifact, 'utf8')).environment).toMatchObject({ browser: 'firefox', locale: 'de' });
});

test('a push: the gate fails the step; what is given it is no code', async () => {
  const root = repository({ 'package.json': '{}\n', '.gitignore': '*.json\n' });
  const name = '$(touch made) `touch made`; touch made .json';
  writeFileSync(path.join(root, name), reportOf(pick(REGRESSED)));
  const github = { 'event.repository.default_branch': 'main' };
  const inputs = { reports: name, environment: 'a=$(touch made)', 'team-url': 'https://argus.invalid' };
  const { status, summary, artifact } = await run(root, 'push', inputs, github);
  expect(status).toBe(1);
  expect(summary).toContain('**Gate failed**: 1 to mend');
  expect(existsSync(path.join(root, 'made'))).toBe(false);
  expect(existsSync(artifact)).toBe(true);
  const quiet = { reports: name, gate: 'false', comment: 'false', artifact: 'false' };
  const told = await run(root, 'pull_request', quiet, github);
  expect(told.status).toBe(0);
  expect(existsSync(told.artifact)).toBe(false);
  expect(gitHub.requests).toEqual([]);
});
