/**
 * `npm run check-hosts [HOST...]`: installs the hosts that are npm packages into target/hosts (1.5 GB for all), lets
 * `argus install` configure each in a small project, and starts it with a scripted model. The model runs the tests, fixes
 * a line, commits, brings the fault back and runs the tests again. Checks that the server answers, that the hook records
 * what really happened and mentions the fix, and that `argus install --remove` leaves the project as it was. Not part of
 * the tests, because of the size. Needs `npm start`.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOSTS } from './hosts.mjs';
import { startScriptedModel } from './scripted-model.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ARGUS = path.join(ROOT, 'packages/mcp/dist/cli.mjs');
const PACKAGES = path.join(ROOT, 'target/hosts');
const MAX_RUN_MS = 180_000;

/** Files in which hosts note their own decisions. */
const OWN_FILES = [':!.claude/settings.local.json'];

const BROKEN = 'item.price + item.count';
const FIXED = 'item.price * item.count';
const FILES = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'cart.mjs': `export const total = (items) => items.reduce((sum, item) => sum + ${BROKEN}, 0);\n`,
  'cart.test.mjs': `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from './cart.mjs';
test('adds up', () => assert.equal(total([{ price: 2, count: 3 }]), 6));
`,
};

const GIT_AUTHOR = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'host'],
    [`GIT_${role}_EMAIL`, 'host@example.invalid'],
  ]),
);

function installPackage(name) {
  mkdirSync(PACKAGES, { recursive: true });
  execFileSync('npm', ['install', '--prefix', PACKAGES, '--no-audit', '--no-fund', '--loglevel=error', name], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Returns a problem for each check, or an empty text. */
async function checkHost(name, host) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-host-')));
  const [home, project] = ['home', 'project'].map((one) => path.join(folder, one));
  write(project, FILES);
  write(home, host.trust(project));
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...GIT_AUTHOR };
  const call = (program, ...args) => execFileSync(program, args, { cwd: project, env, encoding: 'utf8' });
  const argus = (...args) => call(process.execPath, ARGUS, ...args);
  call('git', 'init', '--quiet');
  call('git', 'add', '.');
  call('git', 'commit', '--quiet', '--message', 'count items');
  argus('install', '--agent', name, '--hook', '--yes');
  call('git', 'add', '.');
  call('git', 'commit', '--quiet', '--message', `configure ${name}`);
  const model = await startScriptedModel([
    { shell: 'npm test' },
    { shell: createEdit(BROKEN, FIXED) },
    { shell: 'npm test' },
    { shell: 'git commit --quiet --all --message "multiply by the count"' },
    { shell: createEdit(FIXED, BROKEN) },
    { shell: 'npm test' },
    { tool: host.runTool, input: { projectPath: project } },
  ]);
  try {
    await start(host, model.url, project, env);
    const seen = JSON.stringify(model.requests.at(-1) ?? '');
    const checks = {
      server: /cart\.test\.mjs > adds up/u.test(seen) ? '' : 'no answer of argus_run reached the model',
    };
    if (host.hasHook) Object.assign(checks, checkHook(seen, argus));
    argus('install', '--agent', name, '--remove', '--yes');
    // A host may have added keys of its own to a file, which stay.
    const left = findText(project, 'argus');
    checks.removal = left === '' ? '' : `left over: ${left}`;
    return checks;
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function checkHook(seen, argus) {
  const { runs } = JSON.parse(argus('history', '--json')).data;
  // The newest run is that of argus_run.
  const [, ...hooked] = runs.map(({ status }) => status);
  const expected = ['failed', 'passed', 'failed'];
  // A host that reports no exit code cannot show that a command passed.
  const withoutPass = expected.filter((status) => status === 'failed');
  const isRight = [expected, withoutPass].some((one) => String(one) === String(hooked));
  const fix = hooked.includes('passed') ? /proved to fix it/u : /./u;
  return {
    'recorded runs': isRight ? '' : `${hooked.join(', ') || 'none'} instead of ${expected.join(', ')}`,
    hint: fix.test(seen) ? '' : 'the model was not told of the fix',
  };
}

/** Returns the names of the files that contain a text, apart from the memory. */
function findText(project, text) {
  const args = [
    'grep',
    '--untracked',
    '--ignore-case',
    '--files-with-matches',
    text,
    '--',
    '.',
    ':!.argus',
    ...OWN_FILES,
  ];
  return spawnSync('git', args, { cwd: project, encoding: 'utf8' }).stdout.trim();
}

/** Starts the host and waits for its end. */
function start(host, url, project, env) {
  const { args, env: ownEnv } = host.start(url);
  const program = path.join(PACKAGES, 'node_modules/.bin', host.program);
  const child = spawn(program, args, { cwd: project, env: { ...env, ...ownEnv }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_RUN_MS);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`${host.program} ended with exit code ${code}:\n${output.slice(-2_000)}`));
    });
  });
}

function createEdit(from, to) {
  return `sed -i 's/${from.replace('*', '\\*')}/${to}/' cart.mjs`;
}

function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(HOSTS);
const unknown = names.filter((name) => !(name in HOSTS));
if (unknown.length > 0) throw new Error(`Unknown host ${unknown.join(', ')}. Known: ${Object.keys(HOSTS).join(', ')}`);
let hasFailed = false;
for (const name of names) {
  installPackage(HOSTS[name].package);
  const checks = await checkHost(name, HOSTS[name]);
  const failed = Object.entries(checks).filter(([, problem]) => problem !== '');
  hasFailed ||= failed.length > 0;
  console.log(`${failed.length === 0 ? 'ok    ' : 'failed'} ${HOSTS[name].package}: ${Object.keys(checks).join(', ')}`);
  for (const [check, problem] of failed) console.log(`       ${check}: ${problem}`);
}
process.exitCode = hasFailed ? 1 : 0;
