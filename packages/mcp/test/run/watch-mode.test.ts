import { expect, test, vi } from 'vitest';
import { planRun } from '../../src/run/planning/plan.ts';
import { withProgress } from '../../src/tools/shared/progress.ts';
import { folder } from '../project.ts';

function plan(command: string, scripts: Record<string, string> = {}) {
  const root = folder({ 'package.json': JSON.stringify({ scripts }) });
  return planRun({ command, root, dir: '/r', env: {} });
}

test.each([
  ['vitest --watch', "Pass 'vitest run'"],
  ['npx vitest watch', "Pass 'vitest run'"],
  ['node node_modules/.bin/jest --watchAll', 'Leave the option out'],
  ['node --test --watch test/a.js', 'Leave the option out'],
  ['CI=1 mocha -w test', 'Leave the option out'],
  ['ava --watch', 'Leave the option out'],
  ['playwright test --ui', 'Leave the option out'],
  ['bun test --watch a.test.ts', 'Leave the option out'],
  ['./gradlew test -t', 'Leave the option out'],
  ['cargo watch -x test', "Pass 'cargo test'"],
  ['npx tsc --noEmit -w', 'Leave the option out'],
  ['nodemon test.js', 'Pass the command that it starts'],
  ['python -m ptw', "Pass 'pytest'"],
  ['ng test', 'Add --watch=false'],
  ['npm test -- --watch', 'Leave the option out'],
])('refuses %s, which would not end', (command, advice) => {
  const scripts = { test: 'jest' };
  expect(() => plan(command, scripts)).toThrow(`'${command}' watches for changes and would not end. ${advice},`);
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
])('accepts %s', (command) => {
  expect(plan(command).shown).toBe(command);
});

test.each([
  'npm test -w packages/one',
  'npm test --workspace=packages/one',
  'npm run test -w one -- cart',
  'npm test --watch',
])('accepts %s, where the option belongs to npm', (command) => {
  expect(plan(command, { test: 'mocha' }).shown).toBe(command);
});

test('refuses a script that watches', () => {
  expect(() => plan('npm test', { test: 'npm run unit', unit: 'tsc && jest --watch' })).toThrow(/would not end/u);
});

test.each(['react-scripts test', 'kcd-scripts test --no-cache'])(
  'sets CI for %s, so that it does not watch',
  (script) => {
    expect(plan('npm test', { test: script }).reporting.env).toMatchObject({ CI: 'true' });
  },
);

test('reports a silence of five minutes while it lasts', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const told: string[] = [];
  let print = (_line: string) => {};
  let finish = () => {};
  const work = (onLine: (line: string) => void) => {
    print = onLine;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const done = withProgress({ progress: (_seconds, text) => told.push(text) }, work, (line) => line);
  print('compiling');
  vi.advanceTimersByTime(299_000);
  expect(told.at(-1)).toBe('299 s  compiling');
  vi.advanceTimersByTime(62_000);
  expect(told.at(-1)).toBe('361 s  nothing printed for 6 min  compiling');
  print('linking');
  vi.advanceTimersByTime(1_000);
  expect(told.at(-1)).toBe('362 s  linking');
  finish();
  await done;
  vi.useRealTimers();
});
