/** Names of tests that a runner would read as an option, each given to a real runner as a filter. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { runnerProject } from '../e2e/harness.ts';
import { need, PATH, type ProgramName } from '../runners/installed.ts';
import { type Folder, programsOf } from '../runners/scenario.ts';

export interface HostileName {
  folder: Folder;
  /** An option of the runner that would write `evil.txt` or change the runner's behavior. */
  name: string;
  /** `file` is the file that gets the name; `renamed` is the text in it that the name replaces. */
  file?: string;
  renamed?: string;
  /** More files. */
  files?: Readonly<Record<string, string>>;
  /** Default: the detected command. */
  command?: string;
  programs?: readonly ProgramName[];
  /** `none`: no test can have the name. `refused`: Argus refuses the filter. Default: the test with the name runs alone. */
  ends?: 'none' | 'refused';
}

const WRITES = "require('node:fs').writeFileSync('evil.txt', '')";

export const QUICK: readonly HostileName[] = [
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
    files: { 'evil.cjs': `${WRITES}; module.exports = () => {};` },
  },
  { folder: 'mocha', name: '--require=./evil.cjs', file: 'sum.js', files: { 'evil.cjs': WRITES } },
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

export const SLOW: readonly HostileName[] = [
  {
    folder: 'node-test',
    name: '--require=./evil.cjs',
    file: 'sum.js',
    files: { 'evil.cjs': WRITES },
    command: 'node --test sum.js',
  },
  { folder: 'playwright', name: '--config=evil.js', file: 'tests/sum.js', files: { 'evil.js': WRITES } },
  { folder: 'ava', name: '--config=evil.cjs', file: 'sum.test.js', files: { 'evil.cjs': WRITES } },
  { folder: 'tap', name: '--require=./evil.cjs', file: 'sum.test.js', files: { 'evil.cjs': WRITES } },
  { folder: 'jasmine', name: '--helper=./evil.cjs', file: 'spec/sum.spec.js', files: { 'evil.cjs': WRITES } },
  { folder: 'qunit', name: '--require=./evil.cjs', file: 'test/sum.js', files: { 'evil.cjs': WRITES } },
  { folder: 'qunit', name: '!is wrong', file: 'test/sum.js' },
  { folder: 'bun', name: '--preload=./evil.cjs', file: 'sum.test.js', files: { 'evil.cjs': WRITES } },
  { folder: 'deno', name: '--preload=./evil.cjs', file: 'sum_test.js', files: { 'evil.cjs': WRITES } },
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
    need(programs ?? programsOf({ name, folder, play: async () => {} }), skip);
    const root = runnerProject(folder === 'nextest' ? 'cargo' : folder);
    for (const [path_, text] of Object.entries(files)) writeFileSync(path.join(root, path_), text, { mode: 0o755 });
    if (file !== undefined) rename(path.join(root, file), renamed, name);
    const given = command === undefined ? [] : ['--', command];
    const { status, stdout } = await argus(['run', '--json', '--filter', name, '--project', root, ...given], {
      env: { PATH },
    });
    const answer = JSON.parse(stdout);
    expect(existsSync(path.join(root, 'evil.txt'))).toBe(false);
    if (ends === 'refused') {
      expect(answer).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
      expect(answer.error.message).toContain('cannot be given to');
    } else if (ends === 'none') {
      expect(answer.data.totals.passed).toBe(0);
    } else {
      expect({ status, totals: answer.data?.totals }).toMatchObject({ status: 0, totals: { passed: 1, failed: 0 } });
    }
  });
}

function rename(file: string, from: string | undefined, name: string): void {
  const text = readFileSync(file, 'utf8');
  const quoted = /(['"])adds\1/u;
  const after =
    from === undefined ? text.replace(quoted, () => `'${name}'`) : text.replaceAll(from, () => place(from, name));
  expect(after).not.toBe(text);
  writeFileSync(file, after);
}

function place(from: string, name: string): string {
  if (!from.startsWith('def ')) return from.startsWith('"') ? `"${name}"` : name;
  return `@pytest.mark.parametrize("x", [pytest.param(1, id="${name}")])\n    ${from.replace('self', 'self, x')}`;
}
