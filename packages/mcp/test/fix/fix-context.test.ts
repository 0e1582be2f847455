/**
 * Answers the fifteen questions of the contract about an error from the project, and checks what never leaves the
 * project.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFixLoop } from 'argus-engine';
import { describe, expect, test } from 'vitest';
import { type ContextRequest, type FixContext, gatherContext } from '../../src/fix/context/gather-context.ts';
import { researchQuery, runResearch, sourcesIn } from '../../src/fix/context/research.ts';
import { ask } from '../../src/system/ask.ts';
import { commit, folder, git, project, put } from '../project.ts';
import { answerOf, programs, withEnvironment } from './gathering.ts';

const CART = `import { fetchItems } from 'orders-client';
import fs from 'node:fs';
import { helper } from './helper.js';

const LIMIT = Number(process.env.CART_LIMIT);

/** Names of what lies in the cart of one customer. */
export async function itemNames(customer: string, max = LIMIT): Promise<string[]> {
  const items = await fetchItems(customer);
  return items.map((item) => item.name).slice(0, max);
}

export const itemCount = async (customer: string) => (await fetchItems(customer))?.length ?? 0;
`;

const SHOP = {
  'package.json': '{"name":"shop","dependencies":{"orders-client":"^2.0.0"},"devDependencies":{"typescript":"^5.4.0"}}',
  'package-lock.json': '{"packages":{"node_modules/orders-client":{"version":"2.3.1"}}}',
  'src/cart.ts': CART,
  'src/basket.ts': 'import { fetchItems } from "orders-client";\nexport const all = await fetchItems("all");\n',
  'test/cart.test.ts':
    'import { itemNames } from "../src/cart.ts";\ntest("names", async () => {\n  expect(await itemNames("zoe")).toEqual([]);\n});\n',
  '.env.example': 'CART_LIMIT=40\n',
};

const TYPE_ERROR = {
  error_type: 'TypeError',
  category: 'ASSERTION_FAILED',
  headline: "TypeError: Cannot read properties of undefined (reading 'map')",
  location: { file: 'src/cart.ts', line: 10, column: 16, function: 'itemNames' },
  frames: [],
};

function context(root: string, rest: Partial<ContextRequest> = {}): Promise<FixContext> {
  const error = rest.error ?? TYPE_ERROR;
  return gatherContext({ root, errorText: error.headline, error, config: {}, ...rest });
}

/** Returns the context of an error in a line of a file. */
const contextAt = (root: string, file: string, line: number, rest: object = {}) =>
  context(root, { error: { ...TYPE_ERROR, ...rest, location: { file, line } } });

/** An error with another text and an unknown line. */
const without = (headline: string, rest: object = {}) => ({ ...TYPE_ERROR, headline, location: null, ...rest });

describe('the fifteen questions', () => {
  test('are answered for an error in a project with history', async () => {
    const root = project(SHOP);
    commit(root, 'Carts');
    put(root, { 'src/cart.ts': `${CART}// more\n` });
    commit(root, 'Fix TypeError in itemNames when the cart is empty');
    const found = await context(root, { test: 'npm test' });
    expect(found.answers.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(found).toMatchObject({ error_type: 'TypeError', location: 'src/cart.ts:10', function: 'itemNames' });
    expect(found.hypothesis).toBe("the value whose 'map' is read is undefined");
    expect(found.tech_stack[0]).toBe('typescript 5');
    const texts = found.answers.map(({ answer, why_not }) => answer ?? `NOT: ${why_not}`);
    expect(texts[0]).toContain('runtime error');
    expect(texts[2]).toBe('itemNames (src/cart.ts:8)');
    expect(texts[3]).toContain('Rosa Quill: Carts');
    expect(texts[4]).toContain(' 7 | /** Names of what lies in the cart of one customer. */');
    expect(texts[4]).toContain('> 10 |   return items.map((item) => item.name).slice(0, max);');
    expect(texts[5]).toContain('itemNames(customer: string, max = LIMIT): Promise<string[]>');
    expect(texts[6]).toMatch(/^orders-client: package\.json:1: orders-client":"\^2\.0\.0"/u);
    expect(texts[7]).toContain('src/cart.ts:13');
    expect(texts[8]).toContain('NOT: No namespace was given');
    expect(texts[9]).toContain('CART_LIMIT: not set; named in .env.example');
    expect(texts[9]).not.toContain('40');
    expect(texts[10]).toContain('no compose file');
    expect(texts[11]).toContain('no log files');
    expect(texts[12]).toContain('Fix TypeError in itemNames');
    expect(texts[13]).toContain('shares: itemNames');
    expect(texts[14]).toContain('expect(await itemNames("zoe")).toEqual([])');
    expect(texts[14]).toContain('Verified by: npm test');
    for (const { answer, why_not, source } of found.answers) {
      expect((answer === null) !== (why_not === null)).toBe(true);
      expect(source === null).toBe(answer === null);
    }
  });

  test('are answered about the function that a failed test calls', async () => {
    const root = project(SHOP);
    commit(root, 'the shop');
    const location = { file: 'test/cart.test.ts', line: 3, column: 3, function: null };
    const error = { ...TYPE_ERROR, headline: 'AssertionError: expected [ 1 ] to equal []', location };
    const found = await context(root, { error });
    expect(answerOf(found, 5)).toMatchObject({
      answer: expect.stringMatching(
        /^test\/cart\.test\.ts:3 calls itemNames, at src\/cart\.ts:8\n(?:.*\n)*> +8 \| export async/u,
      ),
      source: 'src/cart.ts:8',
    });
    expect(answerOf(found, 6).answer).toMatch(/^export async function itemNames\(customer: string/u);
    expect(answerOf(found, 15).answer).toContain('> 3 |   expect(await itemNames("zoe")).toEqual([]);');

    put(root, { 'lib/names.ts': CART });
    const twice = await context(root, { error });
    expect(answerOf(twice, 5).answer, 'which of two is not known').toMatch(/> 3 \|/u);
    expect(answerOf(twice, 15).answer).toBe('The lines of question 5.');
  });

  test('have reasons without git, without a place and without anything', async () => {
    const found = await context(folder(), { error: without('boom', { error_type: '' }) });
    expect(found.answers).toHaveLength(15);
    const open = found.answers.filter(({ answer }) => answer === null);
    expect(open.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    for (const { why_not } of open) expect(why_not).toMatch(/\.$/u);
    expect(answerOf(found, 13).why_not).toBe('The project is not a git repository.');
  });

  test('are answered by a search of the files without git', async () => {
    const found = await context(folder(SHOP));
    expect(answerOf(found, 8)).toMatchObject({ answer: expect.stringContaining('src/cart.ts:13') });
    expect(answerOf(found, 15).source).toBe('test/cart.test.ts:3');
  });

  test('are answered in a repository without a commit, and for an uncommitted line', async () => {
    const root = project(SHOP);
    const found = await context(root);
    expect(answerOf(found, 4).why_not).toContain('git knows nothing of src/cart.ts');
    expect(answerOf(found, 13).answer).toContain('src/cart.ts (new)');
    commit(root, 'Carts');
    put(root, { 'src/cart.ts': CART.replace('items.map', '[...items].map') });
    const changed = await context(root);
    expect(answerOf(changed, 4).answer).toContain('is not committed yet');
    expect(answerOf(changed, 13).answer).toContain('Not committed: src/cart.ts (changed)');
  });

  test('use frames of other machines, and ignore frames of packages', async () => {
    const root = project({ ...SHOP, 'node_modules/orders-client/index.js': 'x\n' });
    const place = async (...files: string[]) => {
      const frames = files.map((file) => ({ file, line: 10 }));
      return (await context(root, { error: { ...TYPE_ERROR, location: null, frames } })).location;
    };
    expect(await place('/app/src/cart.ts')).toBe('src/cart.ts:10');
    expect(await place(`file://${root}/src/cart.ts`)).toBe('src/cart.ts:10');
    expect(await place('webpack-internal:///./src/cart.ts')).toBe('src/cart.ts:10');
    expect(await place('C:\\build\\src\\cart.ts')).toBe('src/cart.ts:10');
    expect(await place(`${root}/node_modules/orders-client/index.js`, 'node:internal/x', 'src/cart.ts')).toBe(
      'src/cart.ts:10',
    );
    expect(await place('/etc/passwd')).toBeNull();
  });

  test('find a Java file by its name and class', async () => {
    const java =
      'package shop.cart;\n\npublic class Cart {\n  int total(int[] prices) {\n    return prices[0];\n  }\n}\n';
    const root = project({ 'src/main/java/shop/cart/Cart.java': java, 'src/main/java/shop/old/Cart.java': java });
    const frame = { file: 'Cart.java', line: 5, function: 'shop.cart.Cart.total' };
    const found = await context(root, { error: { ...TYPE_ERROR, location: frame } });
    expect(found.location).toBe('src/main/java/shop/cart/Cart.java:5');
    expect(answerOf(found, 6).answer).toContain('int total(int[] prices)');
  });

  test('use the line that the engine finds in an output', async () => {
    const root = project({ ...SHOP, 'app/run.py': 'import os\n\ndef run():\n    go()\n' });
    const engine = await createFixLoop({});
    const place = async (errorText: string) => {
      const error = engine.understand({ text: errorText, exit_code: 1 });
      return (await context(root, { errorText, error })).location;
    };
    const stack = `location: '${root}/test/cart.test.ts:3:9'\n  itemNames (file://${root}/src/cart.ts:10:16)\n  node:internal/x:3:4`;
    expect(await place(`not ok 1\n  stack: |-\n    ${stack}\n`)).toBe('src/cart.ts:10');
    expect(await place('src\\cart.ts(9,3): error TS2322: no')).toBe('src/cart.ts:9');
    expect(await place('  File "app/run.py", line 4\nSyntaxError: no')).toBe('app/run.py:4');
    expect(await place('at 12:30:10 nothing.ts:3, src/none.ts:4, v1.2:3')).toBeNull();
  });

  test('find the line with the words of the message without a trace', async () => {
    const root = project({
      'lib/ledger.py':
        'def close(day):\n    """Closes the books."""\n    raise Wrong("the ledger is not balanced: %d")\n',
    });
    const error = without('Wrong: the ledger is not balanced: 17', { error_type: 'Wrong' });
    const found = await context(root, { error });
    expect(found).toMatchObject({ location: 'lib/ledger.py:3', function: 'close' });
    expect(answerOf(found, 2).answer).toContain('holds the words of the error');
    expect(answerOf(found, 5).answer).toContain('Closes the books.');
  });

  test.each([
    ['a.py', 'import os\n\n', 'async def run(\n    job: Job,\n) -> int:', '\n    x = 1\n    return job.go()\n', 7],
    ['a.go', '// Run runs.\n', 'func (s *S) Run(j Job) error', ' {\n\tif j == nil {\n\t\tpanic("x")\n\t}\n}\n', 4],
    [
      'a.rs',
      'impl S {\n    /// Runs.\n    ',
      'pub async fn run(&self) -> u8',
      ' {\n        self.x.unwrap()\n    }\n}\n',
      4,
    ],
    ['a.rb', 'class S\n  # Runs.\n  ', 'def run(job)', '\n    job.go\n  end\nend\n', 4],
    ['a.js', 'class S {\n  ', 'async run(job)', ' {\n    if (job) {\n      job.go();\n    }\n  }\n}\n', 4],
    ['a.ts', '', 'export const run = async (job: Job) =>', ' {\n  job.go();\n};\n', 2],
    ['A.cs', 'class S {\n  ', 'public async Task<int> Run(Job job)', '\n  {\n    job.Go();\n  }\n}\n', 4],
    ['a.sh', '', 'run()', ' {\n  job_go\n}\n', 2],
  ])('find the function around a line of %s', async (file, before, signature, after, line) => {
    const found = await contextAt(project({ [file]: before + signature + after }), file, line);
    expect(found.function?.toLowerCase()).toBe('run');
    expect(answerOf(found, 6).answer).toContain(signature.replaceAll(/\s+/gu, ' '));
  });

  test('list declared and missing dependencies', async () => {
    const root = project({
      'requirements.txt': 'flask==3.0.1\n',
      'app/main.py': 'import os\nfrom flask import Flask\nimport yaml\nfrom app.util import x\nfrom helper import y\n',
      'app/__init__.py': '',
      'app/helper.py': '',
    });
    const error_type = 'ModuleNotFoundError';
    const headline = `${error_type}: No module named 'yaml'`;
    const found = await contextAt(root, 'app/main.py', 3, { headline, error_type });
    expect(answerOf(found, 7).answer).toBe(
      'yaml: not declared in requirements.txt\nflask: requirements.txt:1: flask==3.0.1',
    );
    expect(found.hypothesis).toContain('yaml is imported but not declared');
  });

  test.each([
    [
      'a.go',
      'import (\n\t"fmt"\n\t"git.test/acme/pear/store"\n)\n',
      'go.mod',
      'module x\n\nrequire git.test/acme/pear v1.2.0\n',
    ],
    ['a.rs', 'use serde_json::Value;\nuse std::fs;\n', 'Cargo.toml', '[dependencies]\n\nserde-json = "1.0"\n'],
    ['A.java', 'import org.junit.jupiter.api.Test;\n', 'pom.xml', '<x>\n\n<groupId>org.junit.jupiter</groupId>\n'],
    ['a.rb', "require 'rack/test'\n", 'Gemfile', "source 'https://gems.test'\n\ngem 'rack'\n"],
    ['a.ts', "import { x } from '@acme/pear/deep';\n", 'package.json', '{\n\n"dependencies": { "@acme/pear": "2" }}'],
  ])('list the dependencies of %s', async (file, code, manifest, text) => {
    const { answer } = answerOf(await contextAt(project({ [file]: code, [manifest]: text }), file, 1), 7);
    expect(answer).toMatch(new RegExp(`^\\S+: ${manifest}:3: `, 'u'));
    expect(answer?.split('\n')).toHaveLength(1);
  });

  test('list variables and whether they are set, but never a value', async () => {
    const root = project({
      'run.py':
        'import os\nurl = os.environ["LEDGER_URL"]\nmode = os.getenv("LEDGER_MODE")\nkey = os.environ.get("LEDGER_KEY")\n',
      '.env': 'LEDGER_KEY=sesame-two\n',
    });
    const env = { LEDGER_URL: 'postgres://rosa:sesame@db/ledger', LEDGER_MODE: '' };
    const headline = "KeyError: 'LEDGER_KEY'";
    const found = await withEnvironment(env, () => contextAt(root, 'run.py', 4, { headline }));
    expect(answerOf(found, 10).answer).toContain('LEDGER_URL: set\nLEDGER_MODE: set, but empty');
    expect(answerOf(found, 10).answer).toContain('LEDGER_KEY: not set; named in .env');
    expect(JSON.stringify(found)).not.toMatch(/sesame/u);
    expect(found.hypothesis).toContain('the environment variable LEDGER_KEY is not set');
  });

  test('quote log files around the words of the error, only from the newest part', async () => {
    const noise = 'nothing of note\n'.repeat(40_000);
    const entry = "12:00 start\n12:01 TypeError: Cannot read properties of undefined (reading 'map')\n12:02 stop\n";
    const root = project({ ...SHOP, 'logs/shop.log': noise + entry, 'logs/other.log': 'quiet\n' });
    const found = await context(root);
    expect(answerOf(found, 12).answer).toContain('logs/shop.log:');
    expect(answerOf(found, 12).answer).toContain('12:02 stop');
    expect(answerOf(found, 12).answer?.length).toBeLessThan(1_000);
  });

  test('quote the end of a log that was just written if no log has the words', async () => {
    const root = project({
      ...SHOP,
      'logs/new.log': 'one\ntwo\nthree\n',
      'logs/old.log': 'long ago\n',
      'log/log.go': 'x\n',
    });
    utimesSync(path.join(root, 'logs/old.log'), new Date(0), new Date(0));
    const { answer, source } = answerOf(await context(root), 12);
    expect(answer).toBe('end of logs/new.log, which does not hold the words of the error:\none\ntwo\nthree');
    expect(source).toContain('logs/new.log');
    utimesSync(path.join(root, 'logs/new.log'), new Date(0), new Date(0));
    expect(answerOf(await context(root), 12).why_not).toContain('None of the 2 newest log files');
  });

  test.each<[name: string, env: NodeJS.ProcessEnv, search: string, history: string]>([
    [
      'refuses a repository of another user',
      programs({ git: 'echo "fatal: detected dubious ownership in repository" >&2; exit 128' }),
      'It could not be answered: fatal: detected dubious ownership in repository.',
      'fatal: detected dubious ownership in repository.',
    ],
    [
      'is not installed',
      { PATH: folder() },
      'It could not be answered: git is not installed.',
      'git is not installed.',
    ],
  ])('are answered without git if it %s', async (_, env, search, history) => {
    const found = await withEnvironment(env, () => context(folder(SHOP)));
    expect(answerOf(found, 5).answer).toContain('> 10 |');
    expect(answerOf(found, 8).why_not).toBe(search);
    expect(answerOf(found, 13).why_not).toBe(history);
  });

  test('are answered even if one search by git fails', async () => {
    const root = project(SHOP);
    commit(root, 'Carts');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const env = programs({ git: `case "$*" in *" grep "*) echo too much >&2; exit 2;; esac; exec '${real}' "$@"` });
    const found = await withEnvironment(env, () => context(root));
    expect(answerOf(found, 8).why_not).toBe('It could not be answered: too much.');
    expect(answerOf(found, 13).answer).toContain('Carts');
  });

  test.skipIf(process.platform === 'win32')('do not wait for a pipe in place of a file', async () => {
    const root = project({ ...SHOP, 'logs/a.log': 'x\n' });
    const pipes = ['pipe.ts', 'logs/pipe.log', 'compose.yaml', '.env'];
    execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', ...pipes.map((name) => path.join(root, name))]);
    expect((await contextAt(root, 'pipe.ts', 3)).location).toBeNull();
  });

  test('do not take a binary file or a folder for the place of an error', async () => {
    const root = project();
    writeFileSync(path.join(root, 'data.bin'), Buffer.from([0, 1, 2]));
    mkdirSync(path.join(root, 'src.ts'));
    for (const file of ['data.bin', 'src.ts', 'a\u0000b']) expect((await contextAt(root, file, 3)).location).toBeNull();
  });
});

describe('the context never contains', () => {
  test('files outside the project, even behind links', async () => {
    const outside = folder({
      'secret.ts': 'const plan = "swordfish";\n'.repeat(12),
      'app.log': 'TypeError swordfish\n',
    });
    const root = project({ ...SHOP });
    symlinkSync(path.join(outside, 'secret.ts'), path.join(root, 'src/link.ts'));
    mkdirSync(path.join(root, 'logs'));
    symlinkSync(path.join(outside, 'app.log'), path.join(root, 'logs/app.log'));
    for (const file of ['src/link.ts', '../orchard/secret.ts', path.join(outside, 'secret.ts'), 'src/../../x']) {
      expect(JSON.stringify(await contextAt(root, file, 1))).not.toContain('swordfish');
    }
  });

  test('lines of files with secrets', async () => {
    const root = project({ ...SHOP, '.env': 'MODE=swordfish\n', 'deploy/tls.key': 'swordfish swordfish\n' });
    for (const file of ['.env', 'deploy/tls.key']) {
      expect(JSON.stringify(await contextAt(root, file, 1, { headline: '' }))).not.toContain('swordfish');
      const error = without(`Error: swordfish, line 1 of ${file} is not understood`);
      const { answers } = await context(root, { error });
      expect(JSON.stringify(answers.slice(4).map(({ answer }) => answer))).not.toContain('swordfish');
    }
  });

  test('a key block around the failing line', async () => {
    const body = Array.from(
      { length: 24 },
      (_, index) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCB${index}KcwggSjAgEAAoIBAQC7`,
    );
    const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'];
    const log = `${key.join('\n')}\ndone\n`;
    const root = project({
      'logs/a.log': log,
      'a.js': `const key = \`${key.join('\n')}\`;\nfunction run() {\n  go(key);\n}\n`,
    });
    for (const line of [4, 14, 28]) {
      const found = await contextAt(root, 'a.js', line);
      expect(JSON.stringify(found)).not.toContain('KcwggSjAgEA');
      expect(answerOf(found, 5).answer).toContain(
        line === 28 ? '> 28 |   go(key);' : `> ${String(line).padStart(2)} | [REDACTED]`,
      );
    }
  });

  test('secrets in code, in logs and in commits; control characters', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const root = project({
      'a.js': `function run() {\n  const token = "${token}";\n  go(token);\u001b[31m\u202e\n}\n`,
      'logs/a.log': `boom went the boat, Authorization: Bearer ${token}\n`,
    });
    commit(root, `boom went the boat with ${token}`);
    const found = await contextAt(root, 'a.js', 3, { headline: 'Error: boom went the boat' });
    expect(answerOf(found, 12).answer).toContain('boom went the boat');
    expect(answerOf(found, 14).answer).toContain('boom went the boat');
    expect(JSON.stringify(found)).not.toContain(token);
    expect(JSON.stringify(found)).not.toMatch(/\\u001b|\u202e/u);
  });

  test('the repository stays unchanged', async () => {
    const root = project(SHOP);
    commit(root, 'Carts');
    put(root, { 'src/cart.ts': `${CART}\n` });
    const status = git(root, 'status', '--porcelain', '--ignored');
    const before = readFileSync(path.join(root, '.git/index'));
    await context(root);
    expect(readFileSync(path.join(root, '.git/index')).equals(before)).toBe(true);
    expect(git(root, 'status', '--porcelain', '--ignored')).toBe(status);
  });
});

describe('programs', () => {
  const here = { cwd: tmpdir() };

  test('are ended if they take too long, print too much, or are cancelled', async () => {
    const [slow, endless] = await Promise.all([
      ask('sleep', ['600'], { ...here, timeoutMs: 300 }),
      ask('sh', ['-c', 'yes'], { ...here, maxBytes: 1_000 }),
    ]);
    expect(slow).toMatchObject({ problem: 'sleep did not answer within 0.3 s' });
    expect(endless).toMatchObject({ problem: null, stdout: expect.stringMatching(/^[y\n]{1000}$/u) });
    const asked = ask('sleep', ['600'], { ...here, signal: AbortSignal.timeout(50) });
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('are reported if they are missing or fail, and may leave a process behind', async () => {
    expect(await ask('no-such-program', [], here)).toMatchObject({ problem: 'no-such-program is not installed' });
    expect(await ask('sh', ['-c', 'echo bad >&2; exit 3'], here)).toMatchObject({ problem: 'bad', exitCode: 3 });
    expect(await ask('sh', ['-c', 'sleep 600 & echo done'], here)).toMatchObject({ stdout: 'done\n' });
  });

  test.each([
    ['kubectl', { namespace: 'shop' }],
    ['docker', { config: { containers: ['shop-db'] } }],
  ])('%s is ended if the call is cancelled', async (program, rest) => {
    const abort = new AbortController();
    const begun = path.join(folder(), 'begun');
    const env = programs({ [program]: `touch '${begun}'; exec sleep 600` });
    const gathering = withEnvironment(env, () => context(folder(SHOP), { ...rest, signal: abort.signal }));
    await expect.poll(() => existsSync(begun)).toBe(true);
    abort.abort();
    await expect(gathering).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('research', () => {
  test('has the form of the contract', async () => {
    const root = project(SHOP);
    const { query, markdown } = researchQuery(await context(root), 2031);
    expect(query).toMatch(
      /^How to fix TypeError in typescript 5, node \d+ when the value whose 'map' is read is undefined best practices defensive programming 2031$/u,
    );
    expect(markdown.split('\n').slice(0, 5)).toEqual([
      '## Context Summary',
      '- Error: TypeError',
      '- Location: src/cart.ts:10',
      '- Function: itemNames',
      "- Root Cause Hypothesis: the value whose 'map' is read is undefined",
    ]);
    expect(markdown).toContain('- Environment: local\n\n## Generated Research Query\n"How to fix');
  });

  test('is read by the program of the user, and its answer has sources', async () => {
    const query = { query: 'q', markdown: '## Context Summary\nmark\n' };
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const script = `read first; read second; printf 'asked %s\\033[31m\\nsee https://docs.test/a?b=1, (https://docs.test/c). ${token}\\n' "$second"`;
    const redact = (text: string) => text.replaceAll(token, '[redacted]');
    const found = await runResearch(script, query, { cwd: tmpdir(), redact });
    expect(found).toEqual({
      text: 'asked mark\nsee https://docs.test/a?b=1, (https://docs.test/c). [redacted]',
      sources: ['https://docs.test/a?b=1', 'https://docs.test/c'],
      problem: null,
    });
    const slow = await runResearch('sleep 30', query, { cwd: tmpdir(), timeoutMs: 200 });
    expect(slow).toMatchObject({ text: '', sources: [], problem: expect.stringContaining('did not answer') });
    const failing = await runResearch('echo no quota >&2; exit 1', query, { cwd: tmpdir() });
    expect(failing.problem).toBe('The research command gave nothing: no quota.');
    expect((await runResearch('yes', query, { cwd: tmpdir() })).text.length).toBeLessThan(9_000);
    expect(sourcesIn('x')).toEqual([]);
  });
});
