/**
 * The version of the runner in what the reporters write, of each real runner. What becomes of it: crates/engine, evidence.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hookReporting, REPORTERS } from '../../../packages/mcp/src/run/reporters.ts';
import { environment, runnerProject } from '../harness.ts';
import { has, hasChrome, PATH } from '../runs/installed.ts';

const MODULES = fileURLToPath(new URL('../runners/node_modules', import.meta.url));
const BUSTED = path.join(REPORTERS, 'lua', 'argus_busted.lua');

/** What the process says of it; the version stands in its output. */
const said = (program: string, ...args: string[]) => {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: environment({ PATH }) });
  return /\d+(?:\.\d+)+/u.exec(stdout + stderr)?.[0];
};

const installed = (name: string): string =>
  JSON.parse(readFileSync(path.join(MODULES, name, 'package.json'), 'utf8')).version;

interface Runner {
  folder: string;
  command: string;
  version: () => string | undefined;
  missing?: boolean;
}

const RUNNERS: Runner[] = [
  { folder: 'vitest', command: 'vitest run', version: () => installed('vitest') },
  { folder: 'jest', command: 'jest', version: () => installed('@jest/core') },
  { folder: 'mocha', command: 'mocha sum.js', version: () => installed('mocha') },
  { folder: 'ava', command: 'ava', version: () => installed('ava') },
  { folder: 'qunit', command: 'qunit', version: () => installed('qunit') },
  {
    folder: 'web-test-runner',
    command: "wtr 'test/*.test.js'",
    version: () => installed('@web/test-runner'),
    missing: !hasChrome,
  },
  { folder: 'uvu', command: 'uvu', version: () => installed('uvu') },
  { folder: 'playwright', command: 'playwright test', version: () => installed('@playwright/test') },
  { folder: 'node-test', command: 'node --test sum.js', version: () => said('node', '--version') },
  { folder: 'pytest', command: 'python -m pytest', version: () => said('python', '-m', 'pytest', '--version') },
  { folder: 'unittest', command: 'python -m unittest discover -s tests', version: () => said('python', '--version') },
  {
    folder: 'rspec',
    command: 'rspec',
    version: () => said('ruby', '-e', 'require "rspec/core"; puts RSpec::Core::Version::STRING'),
    missing: !has('rspec'),
  },
  {
    folder: 'minitest',
    command: 'ruby -Itest test/test_sum.rb',
    version: () => said('ruby', '-e', 'require "minitest"; puts Minitest::VERSION'),
    missing: !has('ruby', ['-e', 'require "minitest"']),
  },
  {
    folder: 'test-unit',
    command: 'ruby -Itest test/test_sum.rb',
    version: () => said('ruby', '-e', 'require "test/unit/version"; puts Test::Unit::VERSION'),
    missing: !has('ruby', ['-e', 'require "test/unit/version"']),
  },
  {
    folder: 'busted',
    command: `busted -e 'dofile[[${BUSTED}]]'`,
    version: () => said('busted', '--version'),
    missing: !has('busted'),
  },
];

/** What the first report of the command says; CTRF, JSON in the shape of Jest's, or JUnit. */
function versionIn(folder: string): string | undefined {
  const root = runnerProject(folder);
  const dir = mkdtempSync(path.join(tmpdir(), 'argus-versions-'));
  const env = environment({ PATH, ...hookReporting({ dir, root, env: {} }).env });
  const command = RUNNERS.find((runner) => runner.folder === folder)?.command ?? '';
  const run = spawnSync(command, { cwd: root, env, shell: true, encoding: 'utf8' });
  const [file] = readdirSync(dir);
  if (file === undefined) throw new Error(`no report: ${run.stdout}${run.stderr}`);
  const text = readFileSync(path.join(dir, file), 'utf8');
  if (file.endsWith('.xml')) return /<property name="runner.version" value="([^"]+)"/u.exec(text)?.[1];
  const report = JSON.parse(text);
  return report.runnerVersion ?? report.results.tool.version.replace(/^v/u, '');
}

for (const { folder, version, missing } of RUNNERS) {
  test.skipIf(missing)(folder, () => {
    const expected = version();
    expect(expected).toMatch(/^\d+\.\d/u);
    expect(versionIn(folder)).toBe(expected);
  });
}
