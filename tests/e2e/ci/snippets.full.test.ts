/**
 * The manual's snippets for other services: their YAML is valid, and their scripts run with each service's variables.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readYaml } from '../../../packages/mcp/src/system/files/yaml.ts';
import { git, repository } from '../fix-loop/fix-loop.ts';
import { BUNDLE, environment } from '../harness.ts';
import { pick, REGRESSED, reportOf } from './history.ts';

const MANUAL = readFileSync(fileURLToPath(new URL('../../../docs/manual/ci.md', import.meta.url)), 'utf8');

function snippet(heading: string): { language: string; text: string } {
  const section = MANUAL.split(/^#{2,3} /mu).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const [, language = '', text = ''] = /^```(yaml|groovy)\n(.*?)^```/msu.exec(section) ?? [];
  return { language, text };
}

/** The part of a snippet from the tests to the end of the step, as the service passes it to a shell. */
function scriptOf({ text }: { text: string }): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/^- (?=outcome|base|git|tool|node)/u, ''));
  const from = lines.findIndex((line) => line.startsWith('outcome='));
  const script = lines
    .slice(from)
    .filter((line) => /^(?:outcome|base|tool)=|^(?:git|node|buildkite-agent|exit) /u.test(line));
  return script.join('\n').replaceAll('$$', '$');
}

const MERGE = { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main', CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'change' };

test.each<[string, Record<string, string>]>([
  ['GitLab', { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'main', ...MERGE }],
  ['Jenkins', { JENKINS_URL: 'https://ci', CHANGE_TARGET: 'main', CHANGE_BRANCH: 'change', BRANCH_NAME: 'PR-2' }],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_BRANCH: 'change', BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' }],
  [
    'CircleCI',
    { CIRCLECI: 'true', CIRCLE_BRANCH: 'change', CIRCLE_PULL_REQUEST: 'https://github.com/acme/shop/pull/2' },
  ],
])('%s', async (service, variables) => {
  const found = snippet(service);
  if (found.language === 'yaml') expect((await readYaml(found.text)).value).toBeTypeOf('object');
  const quarantine = `cases:\n  - { case: ${JSON.stringify(REGRESSED)}, reason: waits, owner: ada, until: 2999-12-31 }\n`;
  const origin = repository({ 'package.json': '{}\n', 'argus-quarantine.yaml': quarantine });
  const root = repository({ 'package.json': '{}\n', 'argus-quarantine.yaml': quarantine });
  git(root, 'remote', 'add', 'origin', origin);
  git(root, 'fetch', '-q', 'origin');
  git(root, 'checkout', '-q', '--detach');
  mkdirSync(path.join(root, 'reports'));
  const programs = path.join(root, '..', `${path.basename(root)}-bin`);
  mkdirSync(programs);
  const program = (name: string, text: string) =>
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  // The tests fail, and an installation uses the program that was built here.
  const entry = 'node_modules/argus-mcp/dist';
  const install = `mkdir -p ${entry} && echo 'import ${JSON.stringify(pathToFileURL(BUNDLE).href)};' > ${entry}/cli.mjs`;
  program('npm', `[ "$1" = install ] || exit 1; ${install}`);
  program('buildkite-agent', 'cat > annotated.md');
  const run = (failures: Parameters<typeof reportOf>[0]) => {
    writeFileSync(path.join(root, 'reports/tests.xml'), reportOf(failures));
    const env = environment({ CI: 'true', ...variables, PATH: `${programs}${path.delimiter}${process.env.PATH}` });
    return spawnSync('bash', ['-e', '-c', scriptOf(found)], { cwd: root, env, encoding: 'utf8' });
  };
  const excused = run(pick(REGRESSED));
  expect(excused.status, excused.stderr).toBe(0);
  expect(excused.stdout).toContain('1 failure quarantined:');
  const line = JSON.parse(readFileSync(path.join(root, 'argus-runs.jsonl'), 'utf8'));
  expect(line).toMatchObject({ branch: 'change', commit: git(root, 'rev-parse', 'HEAD') });
  // The outcome is a failure although no test in the report failed.
  expect(run({}).status).toBe(1);
  if (service === 'Buildkite')
    expect(readFileSync(path.join(root, 'annotated.md'), 'utf8')).toContain('**Gate failed**');
});

test('GitHub', async () => {
  expect((await readYaml(snippet('GitHub').text)).value).toMatchObject({
    steps: expect.arrayContaining([expect.objectContaining({ id: 'tests' })]),
  });
});
