/**
 * Gathers answers to the contract's fifteen questions about an error from the project, and checks which data never
 * leaves the project.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFixLoop } from 'argus-engine';
import { describe, expect, test } from 'vitest';
import { type ContextRequest, type FixContext, gatherContext } from '../../src/fix/context/gather-context.ts';
import { createResearchQuery, extractUrls, runResearch } from '../../src/fix/context/research.ts';
import { runProgram } from '../../src/system/programs.ts';
import { commitAll, createFolder, createProject, runGit, writeFiles } from '../project.ts';
import { createPathWithPrograms, getAnswer, runWithEnvironment } from './gathering.ts';

const CART_SOURCE = `import { fetchItems } from 'orders-client';
import fs from 'node:fs';
import { helper } from './helper.js';

const LIMIT = Number(process.env.CART_LIMIT);

/** Names of the items in the cart of a customer. */
export async function itemNames(customer: string, max = LIMIT): Promise<string[]> {
  const items = await fetchItems(customer);
  return items.map((item) => item.name).slice(0, max);
}

export const itemCount = async (customer: string) => (await fetchItems(customer))?.length ?? 0;
`;

const SHOP_FILES = {
  'package.json': '{"name":"shop","dependencies":{"orders-client":"^2.0.0"},"devDependencies":{"typescript":"^5.4.0"}}',
  'package-lock.json': '{"packages":{"node_modules/orders-client":{"version":"2.3.1"}}}',
  'src/cart.ts': CART_SOURCE,
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

function gatherTestContext(root: string, rest: Partial<ContextRequest> = {}): Promise<FixContext> {
  const error = rest.error ?? TYPE_ERROR;
  return gatherContext({ root, errorText: error.headline, error, config: {}, ...rest });
}

/** Returns the context of an error at a line of a file. */
const gatherContextAt = (root: string, file: string, line: number, rest: object = {}) =>
  gatherTestContext(root, { error: { ...TYPE_ERROR, ...rest, location: { file, line } } });

/** Returns the error with another headline and without a location. */
const errorWithoutLocation = (headline: string, rest: object = {}) => ({
  ...TYPE_ERROR,
  headline,
  location: null,
  ...rest,
});

describe('context answers', () => {
  test('the fifteen questions are answered for an error in a project with history', async () => {
    const root = createProject(SHOP_FILES);
    commitAll(root, 'Carts');
    writeFiles(root, { 'src/cart.ts': `${CART_SOURCE}// more\n` });
    commitAll(root, 'Fix TypeError in itemNames when the cart is empty');
    const context = await gatherTestContext(root, { test: 'npm test' });
    expect(context.answers.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(context).toMatchObject({ error_type: 'TypeError', location: 'src/cart.ts:10', function: 'itemNames' });
    expect(context.hypothesis).toBe("the value whose 'map' is read is undefined");
    expect(context.tech_stack[0]).toBe('typescript 5');
    const texts = context.answers.map(({ answer, why_not }) => answer ?? `NOT: ${why_not}`);
    expect(texts[0]).toContain('runtime error');
    expect(texts[2]).toBe('itemNames (src/cart.ts:8)');
    expect(texts[3]).toContain('Rosa Quill: Carts');
    expect(texts[4]).toContain(' 7 | /** Names of the items in the cart of a customer. */');
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
    for (const { answer, why_not, source } of context.answers) {
      expect((answer === null) !== (why_not === null)).toBe(true);
      expect(source === null).toBe(answer === null);
    }
  });

  test('the questions are answered about the function that a failed test calls', async () => {
    const root = createProject(SHOP_FILES);
    commitAll(root, 'the shop');
    const location = { file: 'test/cart.test.ts', line: 3, column: 3, function: null };
    const error = { ...TYPE_ERROR, headline: 'AssertionError: expected [ 1 ] to equal []', location };
    const context = await gatherTestContext(root, { error });
    expect(getAnswer(context, 5)).toMatchObject({
      answer: expect.stringMatching(
        /^test\/cart\.test\.ts:3 calls itemNames, at src\/cart\.ts:8\n(?:.*\n)*> +8 \| export async/u,
      ),
      source: 'src/cart.ts:8',
    });
    expect(getAnswer(context, 6).answer).toMatch(/^export async function itemNames\(customer: string/u);
    expect(getAnswer(context, 15).answer).toContain('> 3 |   expect(await itemNames("zoe")).toEqual([]);');

    writeFiles(root, { 'lib/names.ts': CART_SOURCE });
    const twice = await gatherTestContext(root, { error });
    expect(getAnswer(twice, 5).answer, 'which of two is not known').toMatch(/> 3 \|/u);
    expect(getAnswer(twice, 15).answer).toBe('See question 5.');
  });

  test('a question without an answer has a reason, without git, a place or anything else', async () => {
    const context = await gatherTestContext(createFolder(), {
      error: errorWithoutLocation('boom', { error_type: '' }),
    });
    expect(context.answers).toHaveLength(15);
    const unanswered = context.answers.filter(({ answer }) => answer === null);
    expect(unanswered.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    for (const { why_not } of unanswered) expect(why_not).toMatch(/\.$/u);
    expect(getAnswer(context, 13).why_not).toBe('The project is not a git repository.');
  });

  test('questions are answered by searching the files if git is missing', async () => {
    const context = await gatherTestContext(createFolder(SHOP_FILES));
    expect(getAnswer(context, 8)).toMatchObject({ answer: expect.stringContaining('src/cart.ts:13') });
    expect(getAnswer(context, 15).source).toBe('test/cart.test.ts:3');
  });

  test('the questions are answered in a repository without a commit, and for an uncommitted line', async () => {
    const root = createProject(SHOP_FILES);
    const context = await gatherTestContext(root);
    expect(getAnswer(context, 4).why_not).toContain('git has no history of src/cart.ts');
    expect(getAnswer(context, 13).answer).toContain('src/cart.ts (new)');
    commitAll(root, 'Carts');
    writeFiles(root, { 'src/cart.ts': CART_SOURCE.replace('items.map', '[...items].map') });
    const changed = await gatherTestContext(root);
    expect(getAnswer(changed, 4).answer).toContain('is not committed yet');
    expect(getAnswer(changed, 13).answer).toContain('Not committed: src/cart.ts (changed)');
  });

  test('frames of other machines are used, and frames of packages are ignored', async () => {
    const root = createProject({ ...SHOP_FILES, 'node_modules/orders-client/index.js': 'x\n' });
    const place = async (...files: string[]) => {
      const frames = files.map((file) => ({ file, line: 10 }));
      return (await gatherTestContext(root, { error: { ...TYPE_ERROR, location: null, frames } })).location;
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

  test('a Java file is found by its name and class', async () => {
    const java =
      'package shop.cart;\n\npublic class Cart {\n  int total(int[] prices) {\n    return prices[0];\n  }\n}\n';
    const root = createProject({ 'src/main/java/shop/cart/Cart.java': java, 'src/main/java/shop/old/Cart.java': java });
    const frame = { file: 'Cart.java', line: 5, function: 'shop.cart.Cart.total' };
    const context = await gatherTestContext(root, { error: { ...TYPE_ERROR, location: frame } });
    expect(context.location).toBe('src/main/java/shop/cart/Cart.java:5');
    expect(getAnswer(context, 6).answer).toContain('int total(int[] prices)');
  });

  test('the line that the engine finds in an output is used', async () => {
    const root = createProject({ ...SHOP_FILES, 'app/run.py': 'import os\n\ndef run():\n    go()\n' });
    const engine = await createFixLoop({});
    const place = async (errorText: string) => {
      const error = engine.understand({ text: errorText, exit_code: 1 });
      return (await gatherTestContext(root, { errorText, error })).location;
    };
    const stack = `location: '${root}/test/cart.test.ts:3:9'\n  itemNames (file://${root}/src/cart.ts:10:16)\n  node:internal/x:3:4`;
    expect(await place(`not ok 1\n  stack: |-\n    ${stack}\n`)).toBe('src/cart.ts:10');
    expect(await place('src\\cart.ts(9,3): error TS2322: no')).toBe('src/cart.ts:9');
    expect(await place('  File "app/run.py", line 4\nSyntaxError: no')).toBe('app/run.py:4');
    expect(await place('at 12:30:10 nothing.ts:3, src/none.ts:4, v1.2:3')).toBeNull();
  });

  test('without a trace, the line that contains the words of the message is found', async () => {
    const root = createProject({
      'lib/ledger.py':
        'def close(day):\n    """Closes the books."""\n    raise Wrong("the ledger is not balanced: %d")\n',
    });
    const error = errorWithoutLocation('Wrong: the ledger is not balanced: 17', { error_type: 'Wrong' });
    const context = await gatherTestContext(root, { error });
    expect(context).toMatchObject({ location: 'lib/ledger.py:3', function: 'close' });
    expect(getAnswer(context, 2).answer).toContain('contains the words of the error');
    expect(getAnswer(context, 5).answer).toContain('Closes the books.');
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
  ])('the function around a line of %s is found', async (file, codeBefore, signature, codeAfter, line) => {
    const context = await gatherContextAt(createProject({ [file]: codeBefore + signature + codeAfter }), file, line);
    expect(context.function?.toLowerCase()).toBe('run');
    expect(getAnswer(context, 6).answer).toContain(signature.replaceAll(/\s+/gu, ' '));
  });

  test('declared and missing dependencies are listed', async () => {
    const root = createProject({
      'requirements.txt': 'flask==3.0.1\n',
      'app/main.py': 'import os\nfrom flask import Flask\nimport yaml\nfrom app.util import x\nfrom helper import y\n',
      'app/__init__.py': '',
      'app/helper.py': '',
    });
    const error_type = 'ModuleNotFoundError';
    const headline = `${error_type}: No module named 'yaml'`;
    const context = await gatherContextAt(root, 'app/main.py', 3, { headline, error_type });
    expect(getAnswer(context, 7).answer).toBe(
      'yaml: not declared in requirements.txt\nflask: requirements.txt:1: flask==3.0.1',
    );
    expect(context.hypothesis).toContain('yaml is imported but not declared');
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
  ])('the dependencies of %s are listed', async (file, code, manifest, text) => {
    const { answer } = getAnswer(await gatherContextAt(createProject({ [file]: code, [manifest]: text }), file, 1), 7);
    expect(answer).toMatch(new RegExp(`^\\S+: ${manifest}:3: `, 'u'));
    expect(answer?.split('\n')).toHaveLength(1);
  });

  test('environment variables are listed as set or unset, but never with a value', async () => {
    const root = createProject({
      'run.py':
        'import os\nurl = os.environ["LEDGER_URL"]\nmode = os.getenv("LEDGER_MODE")\nkey = os.environ.get("LEDGER_KEY")\n',
      '.env': 'LEDGER_KEY=sesame-two\n',
    });
    const env = { LEDGER_URL: 'postgres://rosa:sesame@db/ledger', LEDGER_MODE: '' };
    const headline = "KeyError: 'LEDGER_KEY'";
    const context = await runWithEnvironment(env, () => gatherContextAt(root, 'run.py', 4, { headline }));
    expect(getAnswer(context, 10).answer).toContain('LEDGER_URL: set\nLEDGER_MODE: set, but empty');
    expect(getAnswer(context, 10).answer).toContain('LEDGER_KEY: not set; named in .env');
    expect(JSON.stringify(context)).not.toMatch(/sesame/u);
    expect(context.hypothesis).toContain('the environment variable LEDGER_KEY is not set');
  });

  test('log files are quoted around the words of the error, and only from the newest part', async () => {
    const noise = 'nothing of note\n'.repeat(40_000);
    const entry = "12:00 start\n12:01 TypeError: Cannot read properties of undefined (reading 'map')\n12:02 stop\n";
    const root = createProject({ ...SHOP_FILES, 'logs/shop.log': noise + entry, 'logs/other.log': 'quiet\n' });
    const context = await gatherTestContext(root);
    expect(getAnswer(context, 12).answer).toContain('logs/shop.log:');
    expect(getAnswer(context, 12).answer).toContain('12:02 stop');
    expect(getAnswer(context, 12).answer?.length).toBeLessThan(1_000);
  });

  test('the end of a log that was just written is quoted if no log has the words', async () => {
    const root = createProject({
      ...SHOP_FILES,
      'logs/new.log': 'one\ntwo\nthree\n',
      'logs/old.log': 'long ago\n',
      'log/log.go': 'x\n',
    });
    utimesSync(path.join(root, 'logs/old.log'), new Date(0), new Date(0));
    const { answer, source } = getAnswer(await gatherTestContext(root), 12);
    expect(answer).toBe('end of logs/new.log, which does not contain the words of the error:\none\ntwo\nthree');
    expect(source).toContain('logs/new.log');
    utimesSync(path.join(root, 'logs/new.log'), new Date(0), new Date(0));
    expect(getAnswer(await gatherTestContext(root), 12).why_not).toContain('None of the 2 newest log files');
  });

  test.each<[name: string, env: NodeJS.ProcessEnv, search: string, history: string]>([
    [
      'refuses a repository of another user',
      createPathWithPrograms({ git: 'echo "fatal: detected dubious ownership in repository" >&2; exit 128' }),
      'This could not be answered: fatal: detected dubious ownership in repository.',
      'fatal: detected dubious ownership in repository.',
    ],
    [
      'is not installed',
      { PATH: createFolder() },
      'This could not be answered: git is not installed.',
      'git is not installed.',
    ],
  ])('the questions are answered without git if git %s', async (_, env, search, history) => {
    const context = await runWithEnvironment(env, () => gatherTestContext(createFolder(SHOP_FILES)));
    expect(getAnswer(context, 5).answer).toContain('> 10 |');
    expect(getAnswer(context, 8).why_not).toBe(search);
    expect(getAnswer(context, 13).why_not).toBe(history);
  });

  test('the questions are answered even if a search by git fails', async () => {
    const root = createProject(SHOP_FILES);
    commitAll(root, 'Carts');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const env = createPathWithPrograms({
      git: `case "$*" in *" grep "*) echo too much >&2; exit 2;; esac; exec '${real}' "$@"`,
    });
    const context = await runWithEnvironment(env, () => gatherTestContext(root));
    expect(getAnswer(context, 8).why_not).toBe('This could not be answered: too much.');
    expect(getAnswer(context, 13).answer).toContain('Carts');
  });

  test.skipIf(process.platform === 'win32')('gathering does not wait for a pipe in place of a file', async () => {
    const root = createProject({ ...SHOP_FILES, 'logs/a.log': 'x\n' });
    const pipes = ['pipe.ts', 'logs/pipe.log', 'compose.yaml', '.env'];
    execFileSync('sh', ['-c', 'mkfifo "$@"', 'sh', ...pipes.map((name) => path.join(root, name))]);
    expect((await gatherContextAt(root, 'pipe.ts', 3)).location).toBeNull();
  });

  test('a binary file or a folder is not taken for the place of an error', async () => {
    const root = createProject();
    writeFileSync(path.join(root, 'data.bin'), Buffer.from([0, 1, 2]));
    mkdirSync(path.join(root, 'src.ts'));
    for (const file of ['data.bin', 'src.ts', 'a\u0000b'])
      expect((await gatherContextAt(root, file, 3)).location).toBeNull();
  });
});

describe('the context never contains', () => {
  test('files outside the project, even behind links', async () => {
    const outside = createFolder({
      'secret.ts': 'const plan = "swordfish";\n'.repeat(12),
      'app.log': 'TypeError swordfish\n',
    });
    const root = createProject({ ...SHOP_FILES });
    symlinkSync(path.join(outside, 'secret.ts'), path.join(root, 'src/link.ts'));
    mkdirSync(path.join(root, 'logs'));
    symlinkSync(path.join(outside, 'app.log'), path.join(root, 'logs/app.log'));
    for (const file of ['src/link.ts', '../orchard/secret.ts', path.join(outside, 'secret.ts'), 'src/../../x']) {
      expect(JSON.stringify(await gatherContextAt(root, file, 1))).not.toContain('swordfish');
    }
  });

  test('lines of files with secrets', async () => {
    const root = createProject({
      ...SHOP_FILES,
      '.env': 'MODE=swordfish\n',
      'deploy/tls.key': 'swordfish swordfish\n',
    });
    for (const file of ['.env', 'deploy/tls.key']) {
      expect(JSON.stringify(await gatherContextAt(root, file, 1, { headline: '' }))).not.toContain('swordfish');
      const error = errorWithoutLocation(`Error: swordfish, line 1 of ${file} is not understood`);
      const { answers } = await gatherTestContext(root, { error });
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
    const root = createProject({
      'logs/a.log': log,
      'a.js': `const key = \`${key.join('\n')}\`;\nfunction run() {\n  go(key);\n}\n`,
    });
    for (const line of [4, 14, 28]) {
      const context = await gatherContextAt(root, 'a.js', line);
      expect(JSON.stringify(context)).not.toContain('KcwggSjAgEA');
      expect(getAnswer(context, 5).answer).toContain(
        line === 28 ? '> 28 |   go(key);' : `> ${String(line).padStart(2)} | [REDACTED]`,
      );
    }
  });

  test('secrets in code, logs or commits, or control characters', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const root = createProject({
      'a.js': `function run() {\n  const token = "${token}";\n  go(token);\u001b[31m\u202e\n}\n`,
      'logs/a.log': `boom went the boat, Authorization: Bearer ${token}\n`,
    });
    commitAll(root, `boom went the boat with ${token}`);
    const context = await gatherContextAt(root, 'a.js', 3, { headline: 'Error: boom went the boat' });
    expect(getAnswer(context, 12).answer).toContain('boom went the boat');
    expect(getAnswer(context, 14).answer).toContain('boom went the boat');
    expect(JSON.stringify(context)).not.toContain(token);
    expect(JSON.stringify(context)).not.toMatch(/\\u001b|\u202e/u);
  });

  test('gathering a context does not change the repository', async () => {
    const root = createProject(SHOP_FILES);
    commitAll(root, 'Carts');
    writeFiles(root, { 'src/cart.ts': `${CART_SOURCE}\n` });
    const status = runGit(root, 'status', '--porcelain', '--ignored');
    const indexBefore = readFileSync(path.join(root, '.git/index'));
    await gatherTestContext(root);
    expect(readFileSync(path.join(root, '.git/index')).equals(indexBefore)).toBe(true);
    expect(runGit(root, 'status', '--porcelain', '--ignored')).toBe(status);
  });
});

describe('programs that gather context', () => {
  const options = { cwd: tmpdir() };

  test('programs are ended if they take too long, print too much, or are cancelled', async () => {
    const [slow, endless] = await Promise.all([
      runProgram('sleep', ['600'], { ...options, timeoutMs: 300 }),
      runProgram('sh', ['-c', 'yes'], { ...options, maxBytes: 1_000 }),
    ]);
    expect(slow).toMatchObject({ problem: 'sleep did not answer within 0.3 s' });
    expect(endless).toMatchObject({ problem: null, stdout: expect.stringMatching(/^[y\n]{1000}$/u) });
    const endedProgram = runProgram('sleep', ['600'], { ...options, signal: AbortSignal.timeout(50) });
    await expect(endedProgram).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('missing or failing programs are reported, and a program may leave a process behind', async () => {
    expect(await runProgram('no-such-program', [], options)).toMatchObject({
      problem: 'no-such-program is not installed',
    });
    expect(await runProgram('sh', ['-c', 'echo bad >&2; exit 3'], options)).toMatchObject({
      problem: 'bad',
      exitCode: 3,
    });
    expect(await runProgram('sh', ['-c', 'sleep 600 & echo done'], options)).toMatchObject({ stdout: 'done\n' });
  });

  test.each([
    ['kubectl', { namespace: 'shop' }],
    ['docker', { config: { containers: ['shop-db'] } }],
  ])('%s is ended if the call is cancelled', async (program, rest) => {
    const abort = new AbortController();
    const startFile = path.join(createFolder(), 'begun');
    const env = createPathWithPrograms({ [program]: `touch '${startFile}'; exec sleep 600` });
    const gathering = runWithEnvironment(env, () =>
      gatherTestContext(createFolder(SHOP_FILES), { ...rest, signal: abort.signal }),
    );
    await expect.poll(() => existsSync(startFile)).toBe(true);
    abort.abort();
    await expect(gathering).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('research', () => {
  test('the research request has the format that the contract specifies', async () => {
    const root = createProject(SHOP_FILES);
    const { query, markdown } = createResearchQuery(await gatherTestContext(root), 2031);
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

  test("research is done by the user's program, and its answer has sources", async () => {
    const query = { query: 'q', markdown: '## Context Summary\nmark\n' };
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const script = `read first; read second; printf 'asked %s\\033[31m\\nsee https://docs.test/a?b=1, (https://docs.test/c). ${token}\\n' "$second"`;
    const redact = (text: string) => text.replaceAll(token, '[redacted]');
    const result = await runResearch(script, query, { cwd: tmpdir(), redact });
    expect(result).toEqual({
      text: 'asked mark\nsee https://docs.test/a?b=1, (https://docs.test/c). [redacted]',
      sources: ['https://docs.test/a?b=1', 'https://docs.test/c'],
      problem: null,
    });
    const slow = await runResearch('sleep 30', query, { cwd: tmpdir(), timeoutMs: 200 });
    expect(slow).toMatchObject({ text: '', sources: [], problem: expect.stringContaining('did not answer') });
    const failing = await runResearch('echo no quota >&2; exit 1', query, { cwd: tmpdir() });
    expect(failing.problem).toBe('The research command failed: no quota.');
    expect((await runResearch('yes', query, { cwd: tmpdir() })).text.length).toBeLessThan(9_000);
    expect(extractUrls('x')).toEqual([]);
  });
});
