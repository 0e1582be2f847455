/** Names of tests that a runner could read as an option. A real runner gets each name as a filter. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { copyRunnerProject } from '../e2e/harness.ts';
import { type ProgramName, RUNNER_PATH, skipWithoutPrograms } from '../runners/installed.ts';
import { type Folder, programsOf } from '../runners/scenario.ts';

export interface HostileName {
  folder: Folder;
  /** The name: an option of the runner that would write `evil.txt` or change the runner's behavior. */
  name: string;
  /** `file` is the test file that gets a test with a hostile name. `renamed` is the text in this file that the name
   * replaces. */
  file?: string;
  renamed?: string;
  /** Files that are added to the project. */
  files?: Readonly<Record<string, string>>;
  /** The command to run. By default the detected command. */
  command?: string;
  programs?: readonly ProgramName[];
  /**
   * `none` if no test can have the name, and `refused` if Argus refuses the filter. By default only the test with the
   * name runs.
   */
  ends?: 'none' | 'refused';
}

const WRITE_EVIL_FILE = "require('node:fs').writeFileSync('evil.txt', '')";

export const QUICK_NAMES: readonly HostileName[] = [
  {
    folder: 'vitest',
    name: '--config=evil.mjs',
    file: 'sum.test.js',
    files: { 'evil.mjs': "import fs from 'node:fs'; fs.writeFileSync('evil.txt', ''); export default {};" },
  },
  {
    folder: 'jest',
    name: '--globalSetup=./evil.cjs',
    file: 'sum.test.js',
    files: { 'evil.cjs': `${WRITE_EVIL_FILE}; module.exports = () => {};` },
  },
  { folder: 'mocha', name: '--require=./evil.cjs', file: 'sum.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  {
    folder: 'pytest',
    name: '-pevil',
    file: 'test_sum.py',
    renamed: 'def test_adds(self):',
    files: { 'evil.py': "open('evil.txt', 'w')" },
  },
  {
    folder: 'go',
    name: '-exec=./evil.sh',
    file: 'sum_test.go',
    renamed: '"adds"',
    files: { 'evil.sh': '#!/bin/sh\ntouch evil.txt\n' },
    ends: 'none',
  },
  {
    folder: 'cargo',
    name: `--config=target.'cfg(all())'.runner=["sh","-c","touch evil.txt"]`,
    command: 'cargo test --offline',
    ends: 'refused',
  },
];

export const SLOW_NAMES: readonly HostileName[] = [
  {
    folder: 'node-test',
    name: '--require=./evil.cjs',
    file: 'sum.js',
    files: { 'evil.cjs': WRITE_EVIL_FILE },
    command: 'node --test sum.js',
  },
  { folder: 'playwright', name: '--config=evil.js', file: 'tests/sum.js', files: { 'evil.js': WRITE_EVIL_FILE } },
  { folder: 'ava', name: '--config=evil.cjs', file: 'sum.test.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  { folder: 'tap', name: '--require=./evil.cjs', file: 'sum.test.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  { folder: 'jasmine', name: '--helper=./evil.cjs', file: 'spec/sum.spec.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  { folder: 'qunit', name: '--require=./evil.cjs', file: 'test/sum.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  { folder: 'qunit', name: '!is wrong', file: 'test/sum.js' },
  { folder: 'bun', name: '--preload=./evil.cjs', file: 'sum.test.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  { folder: 'deno', name: '--preload=./evil.cjs', file: 'sum_test.js', files: { 'evil.cjs': WRITE_EVIL_FILE } },
  { folder: 'unittest', name: '--locals', ends: 'none' },
  {
    folder: 'rspec',
    name: '--require=./evil.rb',
    file: 'spec/sum_spec.rb',
    files: { 'evil.rb': "File.write('evil.txt', '')" },
  },
  { folder: 'phpunit', name: '--bootstrap=evil.php', files: { 'evil.php': "<?php touch('evil.txt');" }, ends: 'none' },
  {
    folder: 'busted',
    name: '--helper=./evil.lua',
    file: 'spec/sum_spec.lua',
    files: { 'evil.lua': "io.open('evil.txt', 'w')" },
  },
  { folder: 'bats', name: '-xT', file: 'test/sum.bats' },
  { folder: 'ctest', name: '--extra-verbose', file: 'CMakeLists.txt', renamed: 'sum.adds' },
  {
    folder: 'nextest',
    name: '--config=build.rustc-wrapper="./evil.sh"',
    command: 'cargo nextest run',
    ends: 'refused',
  },
];

export function testHostileName({
  folder,
  name,
  file,
  renamed,
  files = {},
  command,
  programs,
  ends,
}: HostileName): void {
  test(`${folder} takes ${name} for a name`, async ({ skip }) => {
    skipWithoutPrograms(programs ?? programsOf({ name, folder, play: async () => {} }), skip);
    const root = copyRunnerProject(folder === 'nextest' ? 'cargo' : folder);
    for (const [path_, text] of Object.entries(files)) writeFileSync(path.join(root, path_), text, { mode: 0o755 });
    if (file !== undefined) renameTest(path.join(root, file), renamed, name);
    const given = command === undefined ? [] : ['--', command];
    const { status, stdout } = await argus(['run', '--json', '--filter', name, '--project', root, ...given], {
      env: { PATH: RUNNER_PATH },
    });
    const answer = JSON.parse(stdout);
    expect(existsSync(path.join(root, 'evil.txt'))).toBe(false);
    if (ends === 'refused') {
      expect(answer).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
      expect(answer.error.message).toContain('cannot be passed to');
    } else if (ends === 'none') {
      expect(answer.data.totals.passed).toBe(0);
    } else {
      expect({ status, totals: answer.data?.totals }).toMatchObject({ status: 0, totals: { passed: 1, failed: 0 } });
    }
  });
}

function renameTest(file: string, from: string | undefined, name: string): void {
  const text = readFileSync(file, 'utf8');
  const quoted = /(['"])adds\1/u;
  const after =
    from === undefined ? text.replace(quoted, () => `'${name}'`) : text.replaceAll(from, () => insertName(from, name));
  expect(after).not.toBe(text);
  writeFileSync(file, after);
}

function insertName(from: string, name: string): string {
  if (!from.startsWith('def ')) return from.startsWith('"') ? `"${name}"` : name;
  return `@pytest.mark.parametrize("x", [pytest.param(1, id="${name}")])\n    ${from.replace('self', 'self, x')}`;
}
