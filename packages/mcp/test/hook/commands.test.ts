/** Commands that the hook handles, and how it finds out how they ended. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recognise } from '../../src/hook/commands.ts';
import { saysFailed } from '../../src/hook/ending.ts';
import { project } from '../project.ts';

const SCRIPTS = {
  test: 'vitest run',
  lint: 'biome ci',
  build: 'node build.mjs',
  deploy: 'wrangler deploy',
  'test:db': 'psql -f check.sql',
  start: 'node server.mjs',
};

function shop(): string {
  const root = project();
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ scripts: SCRIPTS }));
  mkdirSync(path.join(root, 'web'));
  writeFileSync(path.join(root, 'web', 'package.json'), JSON.stringify({ scripts: { test: 'jest' } }));
  return root;
}

const root = shop();

const BOTH = { passed: true, failed: true };
const PASSED = { passed: true, failed: false };
const NEITHER = { passed: false, failed: false };

test.each([
  ['npm test', 'npm test', BOTH],
  ['npm run lint', 'npm run lint', BOTH],
  ['yarn build', 'yarn build', BOTH],
  ['npx vitest run src/a.test.ts', 'npx vitest run src/a.test.ts', BOTH],
  ['CI=1 timeout 60 npx jest', 'npx jest', BOTH],
  ['./node_modules/.bin/tsc --noEmit', './node_modules/.bin/tsc --noEmit', BOTH],
  ['python -m pytest -q', 'python -m pytest -q', BOTH],
  ['uv run ruff check .', 'uv run ruff check .', BOTH],
  ['cargo clippy --all -- -D warnings', 'cargo clippy --all -- -D warnings', BOTH],
  ['go vet ./... && go test ./...', 'go vet ./... && go test ./...', BOTH],
  ['make -j 4 test', 'make -j 4 test', BOTH],
  ['make', 'make', BOTH],
  ['./gradlew :app:test', './gradlew :app:test', BOTH],
  ['mvn -q verify', 'mvn -q verify', BOTH],
  ['node --test 2>&1', 'node --test', BOTH],
  ['(npx vitest run)', 'npx vitest run', BOTH],
  ['{ npm test; }', 'npm test', BOTH],
  ['time (npm test)', 'npm test', BOTH],
  ['pushd . && npm test && popd', 'npm test', PASSED],
  ['bash -c "npx vitest run"', 'npx vitest run', BOTH],
  ["sh -lc 'npx vitest run 2>&1'", 'npx vitest run', BOTH],
  ['env X=1 npm test', 'npm test', BOTH],
  ['time npm test', 'npm test', BOTH],
  ['timeout 60 npm test', 'npm test', BOTH],
  ['timeout -k 5 60s npm test', 'npm test', BOTH],
  ['nice npm test', 'npm test', BOTH],
  ['nice -n 10 env -u CI npm test', 'npm test', BOTH],
  ['timeout 60 bash -c "npm test"', 'npm test', BOTH],
  ['# the tests\nnpm test # all of them', 'npm test', BOTH],
  // The exit code of a group is that of its last command. A command before a pipe has no visible exit code.
  ['(npm test; echo done)', 'npm test', NEITHER],
  ['(npm test) | tail', 'npm test', NEITHER],
  ['(npm test && echo done) | tail', 'npm test', NEITHER],
  ['bash -c "npm test | tail"', 'npm test', NEITHER],
  ['bash -c "npm test" || true', 'npm test', NEITHER],
  ['(npm test) && (npm run lint)', 'npm test && npm run lint', BOTH],
  ['bash -o pipefail -c "npm test | tail"', 'npm test', PASSED],
  ['bash -euo pipefail -c "npm test | tail; echo done"', 'npm test', PASSED],
  ['bash -ec "npm test; echo done"', 'npm test', PASSED],
  ['set -o pipefail; (npm test | tail)', 'npm test', PASSED],
  ['set -o pipefail | true; (npm test | tail)', 'npm test', NEITHER],
  ['set -o pipefail; bash -c "npm test | tail"', 'npm test', NEITHER],
  ['set -e; (npm test; echo done) && echo done', 'npm test', NEITHER],
  ['(set -e; npm test); echo done', 'npm test', NEITHER],
  ['{ exit 0; }; npm test', 'npm test', NEITHER],
  ['{ npm test; exit 0; }', 'npm test', NEITHER],
  ['set -e; { set +e; }; npm test; echo done', 'npm test', NEITHER],
  // Another command ends the line.
  ['npm test 2>&1 | tail -20', 'npm test', NEITHER],
  ['npm test || true', 'npm test', NEITHER],
  ['npm test; echo done', 'npm test', NEITHER],
  ['npm test &> log; cat log', 'npm test', NEITHER],
  ['npm test | grep passed', 'npm test', NEITHER],
  ['npm test | tee log | tail', 'npm test', NEITHER],
  ['set -o pipefail && npm test | tail', 'npm test', PASSED],
  ['set -euo pipefail; npm test 2>&1 | tail', 'npm test', PASSED],
  ['set +o pipefail; npm test | tail', 'npm test', NEITHER],
  ['set -o pipefail; set +o pipefail; npm test | tail', 'npm test', NEITHER],
  ['npm test | tail && set -o pipefail', 'npm test', NEITHER],
  ['set -o pipefail | true; npm test | tail', 'npm test', NEITHER],
  ['set -e; npm test; echo done', 'npm test', PASSED],
  ['set -e\nset +e\nnpm test\necho done', 'npm test', NEITHER],
  ['set -e; npm test && echo done; date', 'npm test', NEITHER],
  ['false || npm test', 'npm test', NEITHER],
  ['npm test && exit 0', 'npm test', NEITHER],
  ['npm test; exit 0', 'npm test', NEITHER],
  ["trap 'exit 0' EXIT; npm test", 'npm test', NEITHER],
  ['if true\nthen\nnpm test\nfi', 'npm test', NEITHER],
  ['npm test; npm run lint', 'npm test && npm run lint', NEITHER],
  // The whole chain passed, but another command may have failed.
  ['npm ci && npm test', 'npm test', PASSED],
  ['npm test && git push', 'npm test', PASSED],
  ['cat names | npx jest', 'npx jest', PASSED],
  ['cd . || exit 1; npm test', 'npm test', PASSED],
  ['git pull; npm test', 'npm test', PASSED],
  ['echo start && npm test', 'npm test', BOTH],
])('%s', async (line, command, tells) => {
  expect(await recognise(line, root)).toEqual({ command, folder: root, tells });
});

test('runs in the folder that the line changes to', async () => {
  const recognised = { command: 'npm test', folder: path.join(root, 'web'), tells: NEITHER };
  expect(await recognise('cd web && npm test 2>&1 | head', root)).toEqual(recognised);
  for (const line of ['cd web && (npm test)', '(cd web && npm test)', 'bash -c "cd web && npm test"'])
    expect(await recognise(line, root)).toMatchObject({ command: 'npm test', folder: path.join(root, 'web') });
});

test.each([
  'ls -la',
  'git commit -m "npm test"',
  'cat test.log',
  'npm install',
  'npm run start',
  'npm run deploy',
  'npm run test:db',
  'node script.mjs',
  'cargo run',
  'cargo publish',
  'make deploy',
  'mvn deploy:deploy-file',
  'prettier --write .',
  'psql -c "select 1" && npm test',
  'curl -s https://example.com | npm test',
  'ssh build npm test',
  'docker run shop npm test',
  'kubectl exec pod -- npm test',
  'printenv && npm test',
  'npm test &',
  'python - <<EOF\nimport pytest\nEOF',
  'npm test $(cat names)',
  '(npm test',
  'npm test)',
  '{ npm test }',
  'f() { npm test; }',
  'bash -c "curl -s https://example.com | npm test"',
  'bash -c "npm test &"',
  'bash test.sh -c "npm test"',
  'bash -c',
  '',
])('skips %s', async (line) => {
  expect(await recognise(line, root)).toBeUndefined();
});

test.each([
  ['# tests 2\n# pass 1\n# fail 1\n', true],
  ['# tests 2\n# pass 2\n# fail 0\n', false],
  ['Tests  1 failed | 3 passed (4)', true],
  ['Tests  4 passed (4)', false],
  ['===== 2 passed in 0.02s =====', false],
  ['test result: FAILED. 1 passed; 1 failed', true],
  ['test result: ok. 2 passed; 0 failed', false],
  ["src/a.ts(3,1): error TS2322: Type 'x'", true],
  ['ok  \tshop/cart\t0.2s', false],
  ['FAIL\tshop/cart\t0.2s', true],
  ['npm error code ELIFECYCLE\nnpm error Test failed.  See above for more details.', true],
  [' ELIFECYCLE  Test failed. See above for more details.', true],
  ['error Command failed with exit code 1.', true],
  ['BUILD SUCCESSFUL in 2s', false],
  ['done', false],
  ['', false],
])('detects a failure in %s: %s', (output, isFailed) => {
  expect(saysFailed(output)).toBe(isFailed);
});
