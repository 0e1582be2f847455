import { expect, test, vi } from 'vitest';
import { planRun } from '../../src/run/planning/plan.ts';
import { withProgress } from '../../src/tools/shared/tool.ts';
import { createFolder } from '../project.ts';

function plan(command: string, scripts: Record<string, string> = {}) {
  const root = createFolder({ 'package.json': JSON.stringify({ scripts }) });
  return planRun({ command, root, dir: '/r', env: {} });
}

test.each([
  ['vitest --watch', "Pass 'vitest run'"],
  ['npx vitest watch', "Pass 'vitest run'"],
  ['node node_modules/.bin/jest --watchAll', 'Remove the option'],
  ['node --test --watch test/a.js', 'Remove the option'],
  ['CI=1 mocha -w test', 'Remove the option'],
  ['ava --watch', 'Remove the option'],
  ['playwright test --ui', 'Remove the option'],
  ['bun test --watch a.test.ts', 'Remove the option'],
  ['./gradlew test -t', 'Remove the option'],
  ['cargo watch -x test', "Pass 'cargo test'"],
  ['npx tsc --noEmit -w', 'Remove the option'],
  ['nodemon test.js', 'Pass the command that it starts'],
  ['python -m ptw', "Pass 'pytest'"],
  ['ng test', 'Add --watch=false'],
  ['npm test -- --watch', 'Remove the option'],
])('refuses %s, which would never end', (command, advice) => {
  const scripts = { test: 'jest' };
  expect(() => plan(command, scripts)).toThrow(`'${command}' watches for changes and never ends. ${advice},`);
});

test.each([
  'vitest',
  'vitest run --watch=false',
  'jest --watchAll=false',
  'jest --watchAll false',
  'node --test test/watch.js',
  'ng test --watch=false',
  'karma start --single-run',
  'mocha test/watch',
  'ls -w',
  'tsc -p watch',
  'grep -- --watch README.md',
  'nodemon --version',
])('accepts %s, which does not watch', (command) => {
  expect(plan(command).displayCommand).toBe(command);
});

test.each([
  'npm test -w packages/one',
  'npm test --workspace=packages/one',
  'npm run test -w one -- cart',
  'npm test --watch',
])('accepts %s, where the option belongs to npm', (command) => {
  expect(plan(command, { test: 'mocha' }).displayCommand).toBe(command);
});

test('refuses a script that watches', () => {
  expect(() => plan('npm test', { test: 'npm run unit', unit: 'tsc && jest --watch' })).toThrow(/never ends/u);
});

test.each(['react-scripts test', 'kcd-scripts test --no-cache'])(
  'sets CI for %s, so that it does not watch',
  (script) => {
    expect(plan('npm test', { test: script }).reporting.env).toMatchObject({ CI: 'true' });
  },
);

test('reports that a command has printed nothing for more than five minutes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const progressLines: string[] = [];
  let printLine = (_line: string) => {};
  let finish = () => {};
  const work = (onLine: (line: string) => void) => {
    printLine = onLine;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const finished = withProgress({ progress: (_seconds, text) => progressLines.push(text) }, work, (line) => line);
  printLine('compiling');
  vi.advanceTimersByTime(299_000);
  expect(progressLines.at(-1)).toBe('299 s  compiling');
  vi.advanceTimersByTime(62_000);
  expect(progressLines.at(-1)).toBe('361 s  nothing printed for 6 min  compiling');
  printLine('linking');
  vi.advanceTimersByTime(1_000);
  expect(progressLines.at(-1)).toBe('362 s  linking');
  finish();
  await finished;
  vi.useRealTimers();
});
