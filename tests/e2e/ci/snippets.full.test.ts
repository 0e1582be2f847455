/**
 * Tests the manual's snippets for other CI services: their YAML is valid, and their scripts run with the variables of
 * each service.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { parseYaml } from '../../../packages/mcp/src/system/files/yaml.ts';
import { createRepository, runGit } from '../fix-loop/fix-loop.ts';
import { createEnvironment, PROGRAM_PATH } from '../harness.ts';
import { createReport, errorsOf, REGRESSED_CASE } from './history.ts';

const CI_MANUAL = readFileSync(fileURLToPath(new URL('../../../docs/manual/ci.md', import.meta.url)), 'utf8');

function readSnippet(heading: string): { language: string; text: string } {
  const section = CI_MANUAL.split(/^#{2,3} /mu).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const [, language = '', text = ''] = /^```(yaml|groovy)\n(.*?)^```/msu.exec(section) ?? [];
  return { language, text };
}

/** Returns the part of a snippet from the tests to the end of the step, as the service passes it to a shell. */
function extractScript({ text }: { text: string }): string {
  const lines = text.split('\n').map((line) => line.trim().replace(/^- (?=outcome|base|git|tool|node)/u, ''));
  const from = lines.findIndex((line) => line.startsWith('outcome='));
  const script = lines
    .slice(from)
    .filter((line) => /^(?:outcome|base|tool)=|^(?:git|node|buildkite-agent|exit) /u.test(line));
  return script.join('\n').replaceAll('$$', '$');
}

const GITLAB_MERGE_REQUEST = {
  CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
  CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'change',
};

test.each<[string, Record<string, string>]>([
  ['GitLab', { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'main', ...GITLAB_MERGE_REQUEST }],
  ['Jenkins', { JENKINS_URL: 'https://ci', CHANGE_TARGET: 'main', CHANGE_BRANCH: 'change', BRANCH_NAME: 'PR-2' }],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_BRANCH: 'change', BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' }],
  [
    'CircleCI',
    { CIRCLECI: 'true', CIRCLE_BRANCH: 'change', CIRCLE_PULL_REQUEST: 'https://github.com/acme/shop/pull/2' },
  ],
])('%s', async (service, variables) => {
  const found = readSnippet(service);
  if (found.language === 'yaml') expect((await parseYaml(found.text)).value).toBeTypeOf('object');
  const quarantine = `cases:\n  - { case: ${JSON.stringify(REGRESSED_CASE)}, reason: waits, owner: ada, until: 2999-12-31 }\n`;
  const origin = createRepository({ 'package.json': '{}\n', 'argus-quarantine.yaml': quarantine });
  const root = createRepository({ 'package.json': '{}\n', 'argus-quarantine.yaml': quarantine });
  runGit(root, 'remote', 'add', 'origin', origin);
  runGit(root, 'fetch', '-q', 'origin');
  runGit(root, 'checkout', '-q', '--detach');
  mkdirSync(path.join(root, 'reports'));
  const programs = path.join(root, '..', `${path.basename(root)}-bin`);
  mkdirSync(programs);
  const program = (name: string, text: string) =>
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  // The tests fail, and an installation uses the program that was built here.
  const entry = 'node_modules/argus-mcp/dist';
  const install = `mkdir -p ${entry} && echo 'import ${JSON.stringify(pathToFileURL(PROGRAM_PATH).href)};' > ${entry}/cli.mjs`;
  program('npm', `[ "$1" = install ] || exit 1; ${install}`);
  program('buildkite-agent', 'cat > annotated.md');
  const run = (failures: Parameters<typeof createReport>[0]) => {
    writeFileSync(path.join(root, 'reports/tests.xml'), createReport(failures));
    const env = createEnvironment({
      CI: 'true',
      ...variables,
      PATH: `${programs}${path.delimiter}${process.env.PATH}`,
    });
    return spawnSync('bash', ['-e', '-c', extractScript(found)], { cwd: root, env, encoding: 'utf8' });
  };
  const excused = run(errorsOf(REGRESSED_CASE));
  expect(excused.status, excused.stderr).toBe(0);
  expect(excused.stdout).toContain('1 failure quarantined:');
  const line = JSON.parse(readFileSync(path.join(root, 'argus-runs.jsonl'), 'utf8'));
  expect(line).toMatchObject({ branch: 'change', commit: runGit(root, 'rev-parse', 'HEAD') });
  // The outcome is a failure although no test in the report failed.
  expect(run({}).status).toBe(1);
  if (service === 'Buildkite')
    expect(readFileSync(path.join(root, 'annotated.md'), 'utf8')).toContain('**Gate failed**');
});

test('GitHub', async () => {
  expect((await parseYaml(readSnippet('GitHub').text)).value).toMatchObject({
    steps: expect.arrayContaining([expect.objectContaining({ id: 'tests' })]),
  });
});
