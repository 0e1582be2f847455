/** Which commands the hook looks at, and what tells how they ended. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recognise } from '../../src/hook/commands.ts';
import { endingByText } from '../../src/hook/ending.ts';
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

test.each([
  ['npm test', 'npm test', true],
  ['npm run lint', 'npm run lint', true],
  ['yarn build', 'yarn build', true],
  ['npx vitest run src/a.test.ts', 'npx vitest run src/a.test.ts', true],
  ['CI=1 timeout 60 npx jest', 'npx jest', true],
  ['./node_modules/.bin/tsc --noEmit', './node_modules/.bin/tsc --noEmit', true],
  ['python -m pytest -q', 'python -m pytest -q', true],
  ['uv run ruff check .', 'uv run ruff check .', true],
  ['cargo clippy --all -- -D warnings', 'cargo clippy --all -- -D warnings', true],
  ['go vet ./... && go test ./...', 'go vet ./... && go test ./...', true],
  ['make -j 4 test', 'make -j 4 test', true],
  ['make', 'make', true],
  ['./gradlew :app:test', './gradlew :app:test', true],
  ['mvn -q verify', 'mvn -q verify', true],
  ['node --test 2>&1', 'node --test', true],
  // What ends the line is another command's.
  ['npm test 2>&1 | tail -20', 'npm test', false],
  ['npm test || true', 'npm test', false],
  ['npm test; echo done', 'npm test', false],
  ['npm ci && npm test', 'npm test', false],
  ['echo start && npm test', 'npm test', true],
])('%s', async (line, command, tells) => {
  expect(await recognise(line, root)).toEqual({ command, folder: root, tells });
});

test('a folder that it changes to is where it runs', async () => {
  const recognised = { command: 'npm test', folder: path.join(root, 'web'), tells: false };
  expect(await recognise('cd web && npm test 2>&1 | head', root)).toEqual(recognised);
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
  '(npm test)',
  '',
])('not %s', async (line) => {
  expect(await recognise(line, root)).toBeUndefined();
});

test.each([
  ['# tests 2\n# pass 1\n# fail 1\n', 'failed'],
  ['# tests 2\n# pass 2\n# fail 0\n', 'passed'],
  ['Tests  1 failed | 3 passed (4)', 'failed'],
  ['Tests  4 passed (4)', 'passed'],
  ['===== 2 passed in 0.02s =====', 'passed'],
  ['test result: FAILED. 1 passed; 1 failed', 'failed'],
  ['test result: ok. 2 passed; 0 failed', 'passed'],
  ["src/a.ts(3,1): error TS2322: Type 'x'", 'failed'],
  ['ok  \tshop/cart\t0.2s', 'passed'],
  ['FAIL\tshop/cart\t0.2s', 'failed'],
  ['BUILD SUCCESSFUL in 2s', 'passed'],
  ['done', 'unknown'],
  ['', 'unknown'],
])('%s ended as %s', (output, ending) => {
  expect(endingByText(output)).toBe(ending);
});
