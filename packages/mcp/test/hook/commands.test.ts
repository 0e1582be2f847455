/** Tests which commands the hook records, and how it decides whether they passed or failed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hasFailureSummary } from '../../src/hook/agent-events.ts';
import { findTestProgram, recognizeCommand } from '../../src/hook/recognize-command.ts';
import { createProject } from '../project.ts';

const PACKAGE_SCRIPTS = {
  test: 'vitest run',
  lint: 'biome ci',
  build: 'node build.mjs',
  deploy: 'wrangler deploy',
  'test:db': 'psql -f check.sql',
  start: 'node server.mjs',
};

function createShop(): string {
  const root = createProject();
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ scripts: PACKAGE_SCRIPTS }));
  mkdirSync(path.join(root, 'web'));
  writeFileSync(path.join(root, 'web', 'package.json'), JSON.stringify({ scripts: { test: 'jest' } }));
  return root;
}

const root = createShop();

const KNOWN_ANY_OUTCOME = { passed: true, failed: true };
const KNOWN_IF_PASSED = { passed: true, failed: false };
const NEVER_KNOWN = { passed: false, failed: false };

test.each([
  ['npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['npm run lint', 'npm run lint', KNOWN_ANY_OUTCOME],
  ['yarn build', 'yarn build', KNOWN_ANY_OUTCOME],
  ['npx vitest run src/a.test.ts', 'npx vitest run src/a.test.ts', KNOWN_ANY_OUTCOME],
  ['CI=1 timeout 60 npx jest', 'npx jest', KNOWN_ANY_OUTCOME],
  ['./node_modules/.bin/tsc --noEmit', './node_modules/.bin/tsc --noEmit', KNOWN_ANY_OUTCOME],
  ['python -m pytest -q', 'python -m pytest -q', KNOWN_ANY_OUTCOME],
  ['uv run ruff check .', 'uv run ruff check .', KNOWN_ANY_OUTCOME],
  ['cargo clippy --all -- -D warnings', 'cargo clippy --all -- -D warnings', KNOWN_ANY_OUTCOME],
  ['go vet ./... && go test ./...', 'go vet ./... && go test ./...', KNOWN_ANY_OUTCOME],
  ['make -j 4 test', 'make -j 4 test', KNOWN_ANY_OUTCOME],
  ['make', 'make', KNOWN_ANY_OUTCOME],
  ['./gradlew :app:test', './gradlew :app:test', KNOWN_ANY_OUTCOME],
  ['mvn -q verify', 'mvn -q verify', KNOWN_ANY_OUTCOME],
  ['node --test 2>&1', 'node --test', KNOWN_ANY_OUTCOME],
  ['(npx vitest run)', 'npx vitest run', KNOWN_ANY_OUTCOME],
  ['{ npm test; }', 'npm test', KNOWN_ANY_OUTCOME],
  ['time (npm test)', 'npm test', KNOWN_ANY_OUTCOME],
  ['pushd . && npm test && popd', 'npm test', KNOWN_IF_PASSED],
  ['bash -c "npx vitest run"', 'npx vitest run', KNOWN_ANY_OUTCOME],
  ["sh -lc 'npx vitest run 2>&1'", 'npx vitest run', KNOWN_ANY_OUTCOME],
  ['env CI=1 npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['time npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['timeout 60 npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['timeout -k 5 60s npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['nice npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['nice -n 10 env -u CI npm test', 'npm test', KNOWN_ANY_OUTCOME],
  ['timeout 60 bash -c "npm test"', 'npm test', KNOWN_ANY_OUTCOME],
  ['# the tests\nnpm test # all of them', 'npm test', KNOWN_ANY_OUTCOME],
  // The exit code of a group is that of its last command. The exit code of a command before a pipe is unknown.
  ['(npm test; echo done)', 'npm test', NEVER_KNOWN],
  ['(npm test) | tail', 'npm test', NEVER_KNOWN],
  ['(npm test && echo done) | tail', 'npm test', NEVER_KNOWN],
  ['bash -c "npm test | tail"', 'npm test', NEVER_KNOWN],
  ['bash -c "npm test" || true', 'npm test', NEVER_KNOWN],
  ['(npm test) && (npm run lint)', 'npm test && npm run lint', KNOWN_ANY_OUTCOME],
  ['bash -o pipefail -c "npm test | tail"', 'npm test', KNOWN_IF_PASSED],
  ['bash -euo pipefail -c "npm test | tail; echo done"', 'npm test', KNOWN_IF_PASSED],
  ['bash -ec "npm test; echo done"', 'npm test', KNOWN_IF_PASSED],
  ['set -o pipefail; (npm test | tail)', 'npm test', KNOWN_IF_PASSED],
  ['set -o pipefail | true; (npm test | tail)', 'npm test', NEVER_KNOWN],
  ['set -o pipefail; bash -c "npm test | tail"', 'npm test', NEVER_KNOWN],
  ['set -e; (npm test; echo done) && echo done', 'npm test', NEVER_KNOWN],
  ['(set -e; npm test); echo done', 'npm test', NEVER_KNOWN],
  ['{ exit 0; }; npm test', 'npm test', NEVER_KNOWN],
  ['{ npm test; exit 0; }', 'npm test', NEVER_KNOWN],
  ['set -e; { set +e; }; npm test; echo done', 'npm test', NEVER_KNOWN],
  // Another command ends the line.
  ['npm test 2>&1 | tail -20', 'npm test', NEVER_KNOWN],
  ['npm test || true', 'npm test', NEVER_KNOWN],
  ['npm test; echo done', 'npm test', NEVER_KNOWN],
  ['npm test &> log; cat log', 'npm test', NEVER_KNOWN],
  ['npm test | grep passed', 'npm test', NEVER_KNOWN],
  ['npm test | tee log | tail', 'npm test', NEVER_KNOWN],
  ['set -o pipefail && npm test | tail', 'npm test', KNOWN_IF_PASSED],
  ['set -euo pipefail; npm test 2>&1 | tail', 'npm test', KNOWN_IF_PASSED],
  ['set +o pipefail; npm test | tail', 'npm test', NEVER_KNOWN],
  ['set -o pipefail; set +o pipefail; npm test | tail', 'npm test', NEVER_KNOWN],
  ['npm test | tail && set -o pipefail', 'npm test', NEVER_KNOWN],
  ['set -o pipefail | true; npm test | tail', 'npm test', NEVER_KNOWN],
  ['set -e; npm test; echo done', 'npm test', KNOWN_IF_PASSED],
  ['set -e\nset +e\nnpm test\necho done', 'npm test', NEVER_KNOWN],
  ['set -e; npm test && echo done; date', 'npm test', NEVER_KNOWN],
  ['false || npm test', 'npm test', NEVER_KNOWN],
  ['npm test && exit 0', 'npm test', NEVER_KNOWN],
  ['npm test; exit 0', 'npm test', NEVER_KNOWN],
  ["trap 'exit 0' EXIT; npm test", 'npm test', NEVER_KNOWN],
  ['alias npm=true\nnpm test', 'npm test', NEVER_KNOWN],
  ['hash -p /bin/true npm && npm test', 'npm test', NEVER_KNOWN],
  ['if true\nthen\nnpm test\nfi', 'npm test', NEVER_KNOWN],
  ['npm test; npm run lint', 'npm test && npm run lint', NEVER_KNOWN],
  // The whole chain passed, but another command in it may have failed.
  ['npm ci && npm test', 'npm test', KNOWN_IF_PASSED],
  ['npm test && git push', 'npm test', KNOWN_IF_PASSED],
  ['cat names | npx jest', 'npx jest', KNOWN_IF_PASSED],
  ['cd . || exit 1; npm test', 'npm test', KNOWN_IF_PASSED],
  ['git pull; npm test', 'npm test', KNOWN_IF_PASSED],
  ['echo start && npm test', 'npm test', KNOWN_ANY_OUTCOME],
])('recognizes the test command in %s', async (line, command, exitCodeMeaning) => {
  expect(await recognizeCommand(line, root)).toEqual({ command, folder: root, variables: '', exitCodeMeaning });
});

test.each([
  ['PYTEST_ADDOPTS="-k other" pytest', 'PYTEST_ADDOPTS=-k other'],
  ['CI=1 B=2 env A=1 timeout 60 npm test', 'A=1\0B=2'],
  ['export NODE_OPTIONS=--test-only; npm test', 'NODE_OPTIONS=--test-only'],
  ['declare -x NODE_OPTIONS=--test-only; npm test', 'NODE_OPTIONS=--test-only'],
  ["A=1 bash -c 'B=2 npm test'", 'A=1\0B=2'],
  ['cross-env A=1 npm test', 'A=1'],
  ['FORCE_COLOR=0 RUST_BACKTRACE=1 npm test', ''],
])('reads the variables of %s', async (line, variables) => {
  expect(await recognizeCommand(line, root)).toMatchObject({ variables });
});

test('runs the command in the folder that the line changes to', async () => {
  const recognised = {
    command: 'npm test',
    folder: path.join(root, 'web'),
    variables: '',
    exitCodeMeaning: NEVER_KNOWN,
  };
  expect(await recognizeCommand('cd web && npm test 2>&1 | head', root)).toEqual(recognised);
  for (const line of ['cd web && (npm test)', '(cd web && npm test)', 'bash -c "cd web && npm test"'])
    expect(await recognizeCommand(line, root)).toMatchObject({ command: 'npm test', folder: path.join(root, 'web') });
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
  expect(await recognizeCommand(line, root)).toBeUndefined();
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
  expect(hasFailureSummary(output)).toBe(isFailed);
});

test.each([
  ['npm test', 'npm test'],
  ['npm run test:unit -- --silent', 'npm test:unit'],
  ['npx vitest run -t adds', 'vitest'],
  ['CI=1 node --test', 'node:test'],
  ['npm run build && cargo test', 'cargo test'],
  ['make check', undefined],
  ['npm run lint', undefined],
  ['npx eslint test', undefined],
])('the test program of %s is %s', (command, program) => {
  expect(findTestProgram(command)).toBe(program);
});
