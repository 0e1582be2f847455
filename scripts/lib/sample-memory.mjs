// A memory as the team of a web shop would have it after a month. It is created through the engine from reports like
// those of a real runner. It is the same every time, except that its times are relative to now.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HOUR_MS = 3_600_000;
const RUN_COUNT = 64;
const HOURS_BETWEEN_RUNS = 9;

/**
 * For each failing test: the runs in which it fails (counted from the oldest run), the error text, and the reported
 * fix.
 */
const FAILURES = [
  {
    test: ['tests/orders/repository.test.ts', 'OrderRepository > saves an order'],
    fails: (run) => [3, 4, 17, 18, 31, 46, 60, 63].includes(run),
    error: (run) =>
      `Error: connect ECONNREFUSED 127.0.0.1:${54_300 + run * 7}\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16)\n    at async OrderRepository.save (src/orders/repository.ts:42:18)`,
    fix: 'Start Postgres before the suite: `docker compose up -d db`, and wait for its health check in globalSetup.',
  },
  {
    test: ['tests/orders/refund.test.ts', 'refund > pays back the shipping'],
    fails: (run) => [17, 46, 63].includes(run),
    error: (run) =>
      `Error: connect ECONNREFUSED 127.0.0.1:${54_300 + run * 7}\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16)\n    at async refund (src/orders/refund.ts:18:5)`,
  },
  {
    test: ['tests/live/feed.test.ts', 'price feed > reconnects after a lost connection'],
    fails: (run) => run % 5 === 2,
    flaky: (run) => run % 7 === 3,
    error: () =>
      'Error: Test timed out in 5000ms.\nIf this is a long-running test, pass a timeout value as the last argument.\n    at tests/live/feed.test.ts:31:3',
    fix: 'Close the socket in afterEach: an open handle kept the loop alive until the limit.',
    failedFix: 'Raised the timeout to 20 s.',
  },
  {
    test: ['src/format/money.test.ts', 'formatMoney > groups thousands'],
    fails: (run) => run >= 42,
    error: () =>
      "AssertionError: expected 'EUR 1.234,50' to be '€1,234.50' // Object.is equality\n\n- Expected\n+ Received\n\n- €1,234.50\n+ EUR 1.234,50\n\n ❯ src/format/money.test.ts:14:32\n     12|   test('groups thousands', () => {\n     13|     const text = formatMoney(1234.5, 'EUR');\n     14|     expect(text).toBe('€1,234.50');\n       |                  ^",
  },
  {
    test: ['tests/e2e/stock.spec.ts', 'stock page > shows what is left'],
    fails: (run) => [9, 10, 25, 40, 41, 58, 62].includes(run),
    flaky: (run) => run % 9 === 5,
    error: (run) =>
      `AxiosError: Request failed with status code 503\n    GET http://127.0.0.1:3000/api/v2/stock/${8000 + run * 13}\n    at settle (node_modules/axios/lib/core/settle.js:19:12)\n    at async loadStock (src/stock/client.ts:27:20)`,
    fix: 'Seed the stock service first; it answers 503 until its cache is warm.',
  },
  {
    test: ['tests/payments/charge.test.ts', 'charge > retries once'],
    fails: (run) => [12, 13, 14, 33].includes(run),
    error: () =>
      'NetConnectNotAllowedError: Nock: No match for request {\n  "method": "POST",\n  "url": "https://payments.example.com/charges",\n  "headers": { "idempotency-key": "b1946ac92492d2347c6235b4d2611184" }\n}',
    fix: 'Add the idempotency-key header to the interceptor; the client sends it since 4.2.',
  },
  {
    test: ['tests/search/index.test.ts', 'reindex > keeps aliases'],
    fails: (run) => [21, 22, 44].includes(run),
    error: () =>
      'Error: container "search-1" exited with code 137: OOMKilled\n    Reason: OOMKilled\n    Exit Code: 137\n    at waitForHealthy (tests/support/containers.ts:55:11)',
    fix: 'Raise the memory limit of the search container to 2 GiB and set ES_JAVA_OPTS=-Xmx1g.',
  },
  {
    test: ['tests/payments/setup.test.ts', 'payments > starts'],
    fails: (run) => [28, 29].includes(run),
    error: () =>
      'Error: Missing required environment variable: STRIPE_SECRET_KEY\n    at readConfig (src/config.ts:12:11)\n    at src/payments/index.ts:4:16',
    fix: 'Copy .env.example to .env.test; the pipeline reads the key from the vault.',
  },
  {
    test: ['tests/registry/pull.test.ts', 'pull > resolves the image'],
    fails: (run) => [36, 37].includes(run),
    error: () =>
      'Error: getaddrinfo ENOTFOUND registry.internal\n    at GetAddrInfoReqWrap.onlookup [as oncomplete] (node:dns:111:26)',
    fix: "Use the service's name inside the compose network, not the host's.",
  },
  {
    test: ['src/cart/CartSummary.test.tsx', 'CartSummary > renders an empty cart'],
    fails: (run) => [6, 7, 50, 51, 61].includes(run),
    error: () =>
      "TypeError: Cannot read properties of undefined (reading 'items')\n    at CartSummary (src/cart/CartSummary.tsx:18:26)\n    at renderWithHooks (node_modules/react-dom/cjs/react-dom.development.js:15486:18)",
    fix: 'Guard the empty cart: `cart?.items ?? []`.',
  },
  {
    test: ['src/list/loader.test.ts', 'loader > reads all pages'],
    fails: (run) => [38, 39, 55].includes(run),
    flaky: (run) => run % 11 === 4,
    error: () =>
      'AssertionError: expected [ { id: 1 }, { id: 2 } ] to have a length of 3 but got 2\n    at src/list/loader.test.ts:40:19',
    fix: 'Await the second page: the loader is paged since 2.0.',
  },
  {
    test: ['tests/k8s/rollout.test.ts', 'rollout > becomes ready'],
    fails: (run) => [48, 49].includes(run),
    error: () =>
      'Error: pod worker-7d4b9c6f5-x2x8p is not ready: CrashLoopBackOff\n    Reason: CrashLoopBackOff\n    Message: back-off 40s restarting failed container=worker\n    at waitForRollout (tests/k8s/support.ts:71:9)',
  },
];

/** Tests that always pass, so that a run looks realistic. */
const PASSING_FILES = [
  'auth/login',
  'auth/session',
  'cart/totals',
  'cart/coupons',
  'catalog/search',
  'catalog/facets',
  'mail/render',
];
const PASSING_NAMES = [
  'accepts what is valid',
  'refuses what is not',
  'keeps the order',
  'is the same twice',
  'is empty at first',
];

const INCIDENTS = [
  {
    title: 'npm ci hangs behind the proxy',
    error_signature: 'npm error code ETIMEDOUT\nnpm error network request to https://registry.internal/react failed',
    summary: 'The mirror closes idle connections after 30 seconds, and the client waits without a limit.',
    tags: ['ci', 'npm'],
    steps: 'Set fetch-timeout=600000 and maxsockets=4 in .npmrc.',
    env: { os: 'linux', runtime: 'node 22' },
    more: ['Point registry at the mirror inside the network.'],
  },
  {
    title: 'SQLITE_BUSY when two workers share one file',
    error_signature:
      'SqliteError: database is locked\n    at Database.exec (node_modules/better-sqlite3/lib/methods/wrappers.js:9:14)',
    summary: null,
    tags: ['sqlite'],
    steps: 'Set busy_timeout to 5000 and begin immediate.',
    env: { os: 'linux', runtime: 'node 20' },
    more: [],
  },
  {
    title: 'Playwright finds no Chromium in the pipeline',
    error_signature:
      "browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1148/chrome-linux/chrome",
    summary: 'The image has the browsers of another version.',
    tags: ['ci', 'playwright'],
    steps: 'Pin the image to the version of @playwright/test in the lock file.',
    env: { os: 'linux', runtime: 'node 22' },
    more: ['Run npx playwright install --with-deps chromium before the tests.'],
  },
  {
    title: 'Build fails: linker `cc` not found',
    error_signature: 'error: linker `cc` not found\n  |\n  = note: No such file or directory (os error 2)',
    summary: null,
    tags: ['rust'],
    steps: 'Install build-essential in the image.',
    env: { os: 'linux', runtime: 'rust 1.95' },
    more: [],
  },
  {
    title: 'The dev server answers 431 to long cookies',
    error_signature: 'HTTP/1.1 431 Request Header Fields Too Large',
    summary: 'The session cookie holds the whole cart.',
    tags: ['dev'],
    steps: 'Start node with --max-http-header-size=65536, and keep only the id in the cookie.',
    env: { os: 'macos', runtime: 'node 22' },
    more: [],
  },
];

/** Fills an empty memory through `engine`. `folder` receives the reports. */
export async function fillSample(engine, folder) {
  mkdirSync(folder, { recursive: true });
  const start = Date.now() - RUN_COUNT * HOURS_BETWEEN_RUNS * HOUR_MS;
  for (let run = 0; run < RUN_COUNT; run += 1)
    await runAtTime(start + run * HOURS_BETWEEN_RUNS * HOUR_MS, () => recordSampleRun(engine, folder, run));
  for (const [index, incident] of INCIDENTS.entries()) {
    await runAtTime(start + (10 + index * 9) * HOURS_BETWEEN_RUNS * HOUR_MS, () => addSampleIncident(engine, incident));
  }
}

/** Runs `work` with a replaced clock, because the engine asks the process for the time. */
async function runAtTime(time, work) {
  const { now } = Date;
  Date.now = () => time;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

async function recordSampleRun(engine, folder, run) {
  const failing = FAILURES.filter((it) => it.fails(run));
  const report = join(folder, `junit-${run}.xml`);
  writeFileSync(report, formatJunit(run));
  const { runId } = await engine.recordRun({
    command: run % 3 === 1 ? 'npx playwright test' : 'npx vitest run',
    runner: run % 3 === 1 ? 'playwright' : 'vitest',
    startedAt: Date.now(),
    durationMs: 41_000 + ((run * 7919) % 13_000) + (run > 40 ? 9000 : 0),
    exitCode: failing.length > 0 ? 1 : 0,
    timedOut: false,
    git: {
      commit: (0x9f3c21a7 + Math.floor(run / 2) * 7_654_321).toString(16).padStart(8, '0').repeat(5),
      branch: run % 6 === 4 ? 'feature/checkout-v2' : 'main',
      dirty: run % 4 === 1,
    },
    reports: [{ path: report }],
    containers: [],
    notes: [],
  });
  for (const failure of failing) await diagnoseAndFix(engine, runId, failure, run);
}

/** Simulates an agent that diagnoses a failure and reports a fix. */
async function diagnoseAndFix(engine, runId, { test, fix, failedFix }, run) {
  const caseName = test.join(' > ');
  await engine.diagnose({ runId, caseName });
  if (failedFix && run < 12) await engine.reportFix({ runId, caseName, fixDescription: failedFix, success: false });
  else if (fix && run % 4 !== 2) await engine.reportFix({ runId, caseName, fixDescription: fix, success: true });
}

async function addSampleIncident(engine, { more, ...incident }) {
  const { incident_id, solution_id } = await engine.addIncident({ ...incident, worked: true });
  const { env } = incident;
  await engine.recordOutcome({ solution_id, worked: true, env, notes: 'Also needed on the arm runner.' });
  for (const steps of more) {
    const added = await engine.addSolution({ incident_id, steps, env });
    await engine.recordOutcome({ solution_id: added.solution_id, worked: false, env });
  }
}

function formatJunit(run) {
  const loud = FAILURES.map((it) => formatCase(it.test, formatCaseBody(it, run)));
  const quiet = PASSING_FILES.flatMap((file) =>
    PASSING_NAMES.map((name) => formatCase([`src/${file}.test.ts`, name], skipElement(file, name))),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${[...loud, ...quiet].join('\n')}\n</testsuites>\n`;
}

const skipElement = (file, name) => (file === 'mail/render' && name === 'keeps the order' ? '<skipped/>' : '');

function formatCaseBody({ fails, flaky, error }, run) {
  const text = error(run);
  const [message] = text.split('\n');
  const inside = `message="${escapeXml(message)}" type="Error"`;
  if (fails(run)) return `<failure ${inside}>${escapeXml(text)}</failure>`;
  return flaky?.(run) ? `<flakyFailure ${inside}><stackTrace>${escapeXml(text)}</stackTrace></flakyFailure>` : '';
}

function formatCase([file, name], inside) {
  const time = (((file.length * 37 + name.length * 91) % 900) / 1000).toFixed(3);
  const names = `classname="${escapeXml(file)}" name="${escapeXml(name)}" file="${escapeXml(file)}"`;
  return `<testsuite name="${escapeXml(file)}" tests="1"><testcase ${names} time="${time}">${inside}</testcase></testsuite>`;
}

function escapeXml(text) {
  const NAMES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => NAMES[character]);
}
