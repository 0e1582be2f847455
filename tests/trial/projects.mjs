// Public projects for the trial of Argus: the repository, the test command that its users run, and the faults that the
// trial plants. trial.mjs runs the trial. This repository contains no files of these projects.

const NPM_INSTALL = 'npm install --no-audit --no-fund --ignore-scripts';
const PNPM_INSTALL = 'pnpm install --frozen-lockfile --ignore-scripts';
const pythonInstall = (...packages) =>
  `python3 -m venv .venv && .venv/bin/pip -q install pytest . ${packages.join(' ')}`;

const NODE_CONNECTS = `new Promise((resolve, reject) => {
    require('net').connect(1, '127.0.0.1').on('connect', resolve).on('error', reject);
  })`;
const ESM_CONNECTS = NODE_CONNECTS.replace("require('net')", 'net');
const ESM = "import net from 'node:net';\n";

/** Returns the source of a test in an ES module, with the given import. */
const createConnectingTest = (imported) =>
  `${ESM}import ${imported};\n\ntest('reads from the store', () => ${ESM_CONNECTS});\n`;
const VITEST_CONNECTS = createConnectingTest("{ test } from 'vitest'");
const PLAYWRIGHT_CONNECTS = createConnectingTest("{ test } from '@playwright/test'");
/** The test has an assertion, because AVA fails a test without one. */
const AVA_CONNECTS = `${ESM}import test from 'ava';\n\ntest('reads from the store', async (t) => {\n  await ${ESM_CONNECTS};\n  t.pass();\n});\n`;
const TAPE_CONNECTS = `const test = require('tape');\n\ntest('reads from the store', async (t) => {\n  await ${NODE_CONNECTS};\n  t.pass();\n});\n`;
const PYTEST_CONNECTS =
  'import socket\n\n\ndef test_reads_from_the_store():\n    socket.create_connection(("127.0.0.1", 1)).close()\n';
const RUST_CONNECTS =
  '#[test]\nfn reads_from_the_store() {\n    std::net::TcpStream::connect("127.0.0.1:1").unwrap();\n}\n';
const RSPEC_CONNECTS =
  'require "socket"\n\nRSpec.describe "store" do\n  it "is read" do\n    TCPSocket.new("127.0.0.1", 1)\n  end\nend\n';
const goConnects = (name) =>
  `package ${name}\n\nimport (\n\t"net"\n\t"testing"\n)\n\nfunc TestReadsFromTheStore(t *testing.T) {\n\tif _, err := net.Dial("tcp", "127.0.0.1:1"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n`;

/** A fault that adds a test which connects to a port without a server. */
const refusedPort = (file, text) => ({ kind: 'refused port', file, text, says: /ECONNREFUSED|[Cc]onnection refused/u });
const changedConstant = (file, find, replace, says, place = file) => ({
  kind: 'wrong constant',
  file,
  find,
  replace,
  says,
  place,
});
const deletedExport = (file, find, replace, says, place) => ({
  kind: 'deleted export',
  file,
  find,
  replace,
  says,
  place,
});

/** A fault that removes `export` or `pub` from a declaration, so that other files can no longer use it. */
function hiddenDeclaration(file, declaration, place) {
  const [name] = declaration.match(/\w+(?=\(?$)/u);
  return deletedExport(file, declaration, declaration.replace(/^(?:export|pub) /u, ''), new RegExp(name, 'u'), place);
}

/** Used twice in `PROJECTS`, with different commands. */
const ITOA = {
  repository: 'dtolnay/itoa',
  commit: '1577ed901354d0d7448ac162328f9dbf5183124c',
  broken: [
    changedConstant(
      'src/lib.rs',
      '$Signed::MAX.ilog10() as usize + 2',
      '$Signed::MAX.ilog10() as usize + 3',
      /left: `?5|left: 5/u,
      'tests/',
    ),
    hiddenDeclaration('src/lib.rs', 'pub struct Buffer', ''),
    refusedPort('tests/store.rs', RUST_CONNECTS),
  ],
};

/** `run` is the command of the project's users. `narrow` replaces it for planted faults if `run` takes minutes. */
export const PROJECTS = [
  {
    repository: 'unjs/ufo',
    commit: '11308c0bb5cb4a4bc3bfcbdc5c03177b097423e6',
    runner: 'vitest',
    setup: PNPM_INSTALL,
    run: 'pnpm vitest run',
    broken: [
      changedConstant(
        'src/utils.ts',
        'return withProtocol(input, "https://");',
        'return withProtocol(input, "http://");',
        /https:\/\//u,
        'test/utilities.test.ts',
      ),
      hiddenDeclaration('src/utils.ts', 'export function withHttps(', 'test/utilities.test.ts'),
      refusedPort('test/store.test.ts', VITEST_CONNECTS),
    ],
  },
  {
    repository: 'vuejs/pinia',
    commit: '254eec764ecccd120ab9dbc31352d76ffd6ecfa3',
    runner: 'vitest',
    workspace: 'pnpm',
    setup: PNPM_INSTALL,
    run: 'pnpm run test:vitest run',
    broken: [
      changedConstant(
        'packages/pinia/src/createPinia.ts',
        'ref<Record<string, StateTree>>({})',
        'ref<Record<string, StateTree>>({ shop: { open: true } })',
        /shop|open/u,
        'packages/pinia/__tests__/',
      ),
      deletedExport(
        'packages/pinia/src/index.ts',
        '  mapStores,\n',
        '',
        /mapStores/u,
        'packages/pinia/__tests__/mapHelpers.spec.ts',
      ),
      refusedPort('packages/pinia/__tests__/shop.spec.ts', VITEST_CONNECTS),
    ],
  },
  {
    repository: 'vercel/ms',
    commit: '4b85938394832e62e6e25cca5c151bbc97fe26e2',
    runner: 'jest',
    setup: PNPM_INSTALL,
    run: 'pnpm run test:nodejs',
    broken: [
      changedConstant(
        'src/index.ts',
        'const w = d * 7;',
        'const w = d * 8;',
        /604800000|691200000/u,
        'src/index.test.ts',
      ),
      hiddenDeclaration('src/index.ts', 'export function parseStrict(', 'src/parse-strict.test.ts'),
      refusedPort('src/store.test.ts', createConnectingTest("{ test } from '@jest/globals'")),
    ],
  },
  {
    repository: 'expressjs/express',
    commit: 'a3714473feb3d2908add734d340e7755fd85e0a3',
    runner: 'mocha',
    setup: NPM_INSTALL,
    run: 'npm test',
    broken: [
      changedConstant('lib/application.js', "|| 'development'", "|| 'devel'", /development|devel/u, 'test/app.js'),
      deletedExport('lib/express.js', 'exports.Route = Router.Route', '', /Route/u, 'test/'),
      refusedPort('test/store.js', `it('reads from the store', () => ${NODE_CONNECTS})\n`),
    ],
  },
  {
    repository: 'tj/commander.js',
    commit: 'ba6d13ddb4243e5913367734f8c159089ffe7834',
    runner: 'node:test',
    setup: NPM_INSTALL,
    run: 'node --test',
    broken: [
      changedConstant(
        'lib/suggestSimilar.js',
        'const maxDistance = 3;',
        'const maxDistance = 1;',
        /null|undefined|sub|example/u,
        'tests/',
      ),
      hiddenDeclaration('lib/suggestSimilar.js', 'export function suggestSimilar', 'lib/command.js'),
      refusedPort('tests/store.test.js', createConnectingTest("{ test } from 'node:test'")),
    ],
  },
  {
    repository: 'lukeed/klona',
    commit: 'e563341d88f433e74a9b4c3c0372d4ba55d2f79e',
    runner: 'uvu',
    setup: NPM_INSTALL,
    run: 'npm test',
    broken: [
      changedConstant('src/json.js', 'out[k] = (tmp=val[k])', 'out[k] = (tmp=val.x)', /./u, 'test/'),
      deletedExport('src/json.js', 'export function klona', 'function klona', /klona|function/u, 'test/'),
      refusedPort(
        'test/store.js',
        `import net from 'net';\nimport { test } from 'uvu';\n\ntest('reads from the store', () => ${ESM_CONNECTS});\ntest.run();\n`,
      ),
    ],
  },
  {
    repository: 'sindresorhus/p-map',
    commit: 'bc26cf03f81292325236a1188063dac8e7a4de0f',
    runner: 'ava',
    setup: NPM_INSTALL,
    run: 'npx ava',
    broken: [
      changedConstant('index.js', 'result[index] = value;', 'result[index] = 7;', /\b7\b/u, 'test.js'),
      hiddenDeclaration('index.js', 'export const pMapSkip', 'test'),
      refusedPort('store.test.js', AVA_CONNECTS),
    ],
  },
  {
    repository: 'npm/node-semver',
    commit: '6e05b7637396ac66522cff8731f07cfe0ef49a29',
    runner: 'tap',
    setup: NPM_INSTALL,
    run: 'npm test',
    broken: [
      changedConstant('functions/minor.js', 'loose).minor', 'loose).major', /minor\(/u, 'test/'),
      deletedExport('internal/constants.js', '  RELEASE_TYPES,\n  SEMVER', '  SEMVER', /./u, 'test/'),
      refusedPort(
        'test/internal/store.js',
        `const t = require('tap')\n\nt.test('reads from the store', () => ${NODE_CONNECTS})\n`,
      ),
    ],
  },
  {
    repository: 'pallets/itsdangerous',
    commit: '672971d66a2ef9f85151e53283113f33d642dabd',
    runner: 'pytest',
    setup: pythonInstall('freezegun'),
    run: '.venv/bin/python -m pytest',
    environment: { PYTHONPATH: 'src' },
    broken: [
      changedConstant('src/itsdangerous/encoding.py', '.rstrip(b"=")', '.rstrip(b"A")', /b'|b"/u, 'tests/'),
      deletedExport(
        'src/itsdangerous/encoding.py',
        'def int_to_bytes',
        'def int_to_octets',
        /int_to_bytes/u,
        'src/itsdangerous/',
      ),
      refusedPort('tests/test_store.py', PYTEST_CONNECTS),
    ],
  },
  {
    repository: 'python/typing_extensions',
    commit: '43174610ec0c407ce05ad750077c4e62b9192b2b',
    runner: 'unittest',
    setup: 'true',
    run: 'cd src && python3 -m unittest test_typing_extensions.py',
    broken: [
      deletedExport(
        'src/typing_extensions.py',
        "    'assert_never',\n",
        '',
        /assert_never/u,
        'src/test_typing_extensions.py',
      ),
    ],
  },
  {
    repository: 'dry-rb/dry-inflector',
    commit: 'd75f216348fb02e4b8b13fab3488f98386114716',
    runner: 'rspec',
    setup: 'true',
    run: 'rspec',
    broken: [
      changedConstant(
        'lib/dry/inflector.rb',
        'when 1 then "#{number}st"',
        'when 1 then "#{number}th"',
        /1(st|th)/u,
        'spec/',
      ),
      deletedExport('lib/dry/inflector.rb', 'def ordinalize(', 'def ordinal(', /ordinalize/u, 'spec/'),
      refusedPort('spec/unit/store_spec.rb', RSPEC_CONNECTS),
    ],
  },
  {
    ...ITOA,
    runner: 'cargo test',
    setup: 'cargo fetch',
    run: 'cargo test',
  },
  {
    repository: 'google/uuid',
    commit: '2d3c2a9cc518326daf99a383f07c4d3c44317e4d',
    runner: 'go test',
    setup: 'true',
    run: 'go test ./...',
    broken: [
      changedConstant(
        'version4.go',
        '(uuid[6] & 0x0f) | 0x40 // Version 4\n\tuuid[8] = (uuid[8] & 0x3f) | 0x80 // Variant is 10\n\treturn uuid, nil',
        '(uuid[6] & 0x0f) | 0x50\n\tuuid[8] = (uuid[8] & 0x3f) | 0x80\n\treturn uuid, nil',
        /VERSION_5|version 5|[Vv]ersion/u,
        'uuid_test.go',
      ),
      deletedExport('util.go', 'func Compare(', 'func compared(', /Compare/u, ''),
      refusedPort('store_test.go', goConnects('uuid')),
    ],
  },
  {
    repository: 'apache/commons-cli',
    commit: '0a68ae0e826bb08eb59bda9bae7ec5d84008b62a',
    runner: 'maven',
    setup: 'mvn -q test-compile -Drat.skip',
    run: 'mvn test -Drat.skip',
    broken: [
      changedConstant(
        'src/main/java/org/apache/commons/cli/HelpFormatter.java',
        'DEFAULT_WIDTH = 74',
        'DEFAULT_WIDTH = 40',
        /./u,
        'src/test/',
      ),
      deletedExport(
        'src/main/java/org/apache/commons/cli/Util.java',
        'static String stripLeadingHyphens',
        'static String stripHyphens',
        /stripLeadingHyphens/u,
        'src/',
      ),
      refusedPort(
        'src/test/java/org/apache/commons/cli/StoreTest.java',
        'package org.apache.commons.cli;\n\nimport org.junit.jupiter.api.Test;\n\nclass StoreTest {\n    @Test\n    void testReadsFromTheStore() throws Exception {\n        new java.net.Socket("127.0.0.1", 1).close();\n    }\n}\n',
      ),
    ],
  },
  {
    repository: 'fastify/secure-json-parse',
    commit: 'aa7555b85eb6aed4f4e4fbf0b4ef85d795822320',
    runner: 'tape',
    setup: 'npm install --no-audit --no-fund --ignore-scripts --no-save tape nyc',
    run: 'npx nyc npm run test:unit',
    broken: [
      changedConstant('index.js', 'text.slice(1)', 'text.slice(0)', /JSON|token/u, 'index.js'),
      deletedExport(
        'index.js',
        'module.exports.safeParse = safeParse',
        '',
        /safeParse|function/u,
        'test/index.test.js',
      ),
      refusedPort('test/store.test.js', TAPE_CONNECTS),
    ],
  },
  {
    repository: 'remarkjs/remark',
    commit: '6c18384e9731146a3e8dffe79d1d8e59316c6bf7',
    runner: 'node:test',
    workspace: 'npm',
    setup: NPM_INSTALL,
    run: 'npm run test-api',
    broken: [
      changedConstant(
        'packages/remark-parse/lib/index.js',
        "self.data('micromarkExtensions')",
        "self.data('micromarkExtension')",
        /./u,
        'test.js',
      ),
      hiddenDeclaration('packages/remark/index.js', 'export const remark', 'test.js'),
    ],
  },
  {
    repository: 'rust-cli/anstyle',
    commit: '59a784c47529798108ad048b44326e55992059ac',
    runner: 'cargo test',
    workspace: 'cargo',
    setup: 'cargo test --no-run -p anstyle-git -p anstyle-lossy',
    run: 'cargo test -p anstyle-git -p anstyle-lossy --no-fail-fast',
    narrow: 'cargo test -p anstyle-git -p anstyle-lossy --lib --tests --no-fail-fast',
    broken: [
      changedConstant('crates/anstyle-git/src/lib.rs', '"bold" =>', '"bolder" =>', /bold/u, 'crates/anstyle-git/'),
      deletedExport('crates/anstyle-git/src/lib.rs', 'pub fn parse(', 'fn parsed(', /parse/u, 'crates/'),
    ],
  },
  {
    repository: 'google/gson',
    commit: '9835b6f90192f79cdf5300c528fc6212455fb6c1',
    runner: 'maven',
    workspace: 'maven',
    setup:
      'mvn -q -o test-compile -pl gson,extras -Dspotless.skip || mvn -q test-compile -pl gson,extras -Dspotless.skip',
    run: 'mvn test -pl gson,extras -Dspotless.skip',
    narrow:
      'mvn test -pl gson -Dspotless.skip -Dtest=FieldNamingPolicyTest,LowerCaseTest,CommentsTest,StoreTest -Dsurefire.failIfNoSpecifiedTests=false',
    broken: [
      refusedPort(
        'gson/src/test/java/com/google/gson/StoreTest.java',
        'package com.google.gson;\n\nimport org.junit.Test;\n\npublic class StoreTest {\n  @Test\n  public void testReadsFromTheStore() throws Exception {\n    new java.net.Socket("127.0.0.1", 1).close();\n  }\n}\n',
      ),
    ],
  },
  {
    repository: 'bottlepy/bottle',
    commit: '2a743a302a71460bfe4c0b8b7cb99a306b0328c6',
    runner: 'unittest',
    setup: 'true',
    run: 'python3 -m unittest',
    broken: [
      changedConstant(
        'bottle.py',
        "default_content_type = 'text/html;",
        "default_content_type = 'text/plain;",
        /text\/(?:html|plain)/u,
        'test/',
      ),
      deletedExport('bottle.py', 'def parse_date(', 'def _parse_date(', /parse_date/u, ''),
      refusedPort(
        'test/test_store.py',
        'import socket\nimport unittest\n\n\nclass TestStore(unittest.TestCase):\n    def test_reads(self):\n        socket.create_connection(("127.0.0.1", 1))\n',
      ),
    ],
  },
  {
    repository: 't3-oss/t3-env',
    commit: '7d26a645904a8fa8712c16f31a4737a80e7066fd',
    runner: 'vitest',
    workspace: 'bun',
    setup: 'bun install --frozen-lockfile',
    run: 'bun run test:run',
    broken: [
      changedConstant(
        'packages/core/src/index.ts',
        'new Error("Invalid environment variables")',
        'new Error("Invalid variables")',
        /Invalid environment variables/u,
        'packages/core/',
      ),
      hiddenDeclaration('packages/core/src/index.ts', 'export function createEnv', 'packages/core/'),
      refusedPort('packages/core/test/store.test.ts', VITEST_CONNECTS),
    ],
  },
  {
    repository: 'rack/rack',
    commit: '8bf4eb078498edc9105fb04add80d89c5340e60b',
    runner: 'minitest',
    setup: 'true',
    run: 'rake test:regular',
    broken: [
      changedConstant('lib/rack/utils.rb', "404 => 'Not Found'", "404 => 'Missing'", /Not Found|Missing/u, 'test/'),
      refusedPort(
        'test/spec_store.rb',
        'require_relative "helper"\nrequire "socket"\n\ndescribe "store" do\n  it "is read" do\n    TCPSocket.new("127.0.0.1", 1)\n  end\nend\n',
      ),
    ],
  },
  {
    // The package manager needs Node 22, so both versions are on `PATH`.
    repository: 'TanStack/store',
    commit: '8699e10440b8f0bb8fc655b60abd546fab7697a7',
    runner: 'vitest',
    workspace: 'nx',
    setup: PNPM_INSTALL,
    run: 'pnpm nx run-many --target=test:lib --projects=@tanstack/store,@tanstack/react-store --skip-nx-cache',
    narrow: 'pnpm nx run-many --target=test:lib --projects=@tanstack/store --skip-nx-cache',
    broken: [
      changedConstant(
        'packages/store/src/store.ts',
        'this.atom.set(updater)',
        'this.atom.set((before) => before)',
        /expected/u,
        'packages/store/tests/',
      ),
      deletedExport(
        'packages/store/src/index.ts',
        "export * from './store'\n",
        '',
        /createStore/u,
        'packages/store/tests/',
      ),
      refusedPort('packages/store/tests/shop.test.ts', VITEST_CONNECTS),
    ],
  },
  {
    repository: 'vercel/edge-runtime',
    commit: '77be36e84fbeb20ecd83ad065243ded353a3f803',
    runner: 'jest',
    workspace: 'turbo',
    setup: PNPM_INSTALL,
    run: 'pnpm turbo run test --filter @edge-runtime/cookies --filter @edge-runtime/format --continue --force',
    narrow: 'pnpm turbo run test --filter @edge-runtime/cookies --continue --force',
    broken: [
      changedConstant(
        'packages/cookies/src/serialize.ts',
        '`Domain=$',
        '`Domains=$',
        /Domain/u,
        'packages/cookies/test/',
      ),
      deletedExport('packages/cookies/src/index.ts', 'stringifyCookie, parseCookie, ', '', /undefined/u, 'packages/'),
      refusedPort('packages/cookies/test/shop.test.ts', `test('reads from the store', () => ${NODE_CONNECTS});\n`),
    ],
  },
  {
    repository: 'reduxjs/reselect',
    commit: '93bb49091fc5e0e0569c745a7240df433548f386',
    runner: 'vitest',
    setup: 'yarn install --immutable',
    run: 'yarn test',
    broken: [
      changedConstant('src/lruMemoize.ts', 'maxSize = 1,', 'maxSize = 2,', /\d/u, 'test/'),
      deletedExport(
        'src/index.ts',
        'export { createStructuredSelector }',
        'import { createStructuredSelector }',
        /createStructuredSelector/u,
        '',
      ),
      refusedPort('test/shop.test.ts', VITEST_CONNECTS),
    ],
  },
  {
    ...ITOA,
    runner: 'nextest',
    setup: 'cargo fetch',
    run: 'cargo nextest run',
  },
  {
    // Needs a browser, or a link to a browser, in the folder where Playwright looks for it.
    repository: 'hotwired/turbo',
    commit: '4481af6b6d7483363a44ee9f4af2e0f879c83b3c',
    runner: 'playwright',
    setup: 'yarn install --frozen-lockfile --ignore-scripts',
    run: 'npx rollup -c && npx playwright test --project=chrome preloader_tests import_tests shop_tests',
    broken: [
      changedConstant(
        'src/http/fetch_request.js',
        'text/html, application/xhtml+xml',
        'text/html',
        /xhtml/u,
        'src/tests/functional/preloader_tests.js',
      ),
      hiddenDeclaration(
        'src/tests/helpers/page.js',
        'export async function nextEventOnTarget(',
        'src/tests/functional/',
      ),
      refusedPort('src/tests/functional/shop_tests.js', PLAYWRIGHT_CONNECTS),
    ],
  },
];
