// Templates of failures for each runner, in the words of that runner. `{thing}`, `{Thing}` and `{THING}` name a part of the
// shop, `{m}` and `{n}` are numbers that belong to the failure, and `{a}`, `{b}`, `{c}` are lines of source files. The other
// names are values of one occurrence; see `circumstances` in chance.mjs. `fix` is the description of the reported fix.

/** Parts of the shop. */
export const THINGS = [
  ...['order', 'invoice', 'refund', 'parcel', 'coupon', 'basket', 'ledger', 'stock', 'voucher', 'customer', 'address'],
  ...['payment', 'catalog', 'review', 'wishlist', 'subscription', 'shipment', 'tax', 'discount', 'receipt', 'supplier'],
  ...['courier', 'label', 'session', 'webhook', 'mailing', 'report', 'pallet', 'return', 'price', 'currency', 'banner'],
];

const vitest = [
  {
    name: 'sums the {thing} lines',
    type: 'AssertionError',
    text: 'AssertionError: expected {m} to be {n} // Object.is equality\n\n- Expected\n+ Received\n\n- {n}\n+ {m}\n\n ❯ {file}:{a}:32',
    fix: 'Round each {thing} line before the sum, not after it.',
  },
  {
    name: 'saves a {thing}',
    type: 'Error',
    text: "Error: connect ECONNREFUSED 127.0.0.1:{port}\n ❯ TCPConnectWrap.afterConnect [as oncomplete] node:net:1595:16\n ❯ {Thing}Repository.save packages/web/src/{thing}/repository.ts:{b}:18\n ❯ {file}:{a}:5\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯\nSerialized Error: { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: {port} }",
    fix: 'Start the {thing} database before the suite: `docker compose up -d --wait {thing}-db`.',
  },
  {
    name: 'follows the {thing} feed',
    type: 'Error',
    text: 'Error: Test timed out in 5000ms.\nIf this is a long-running test, pass a timeout value as the last argument or configure it globally with "testTimeout".\n ❯ {file}:{a}:3',
    fix: 'Close the {thing} socket in afterEach; an open handle kept the loop alive until the limit.',
  },
  {
    name: 'renders an empty {thing}',
    type: 'TypeError',
    text: "TypeError: Cannot read properties of undefined (reading '{thing}Items')\n ❯ {Thing}Summary packages/web/src/{thing}/{Thing}Summary.tsx:{b}:26\n ❯ renderWithHooks node_modules/react-dom/cjs/react-dom.development.js:15486:18\n ❯ {file}:{a}:11",
    fix: 'Guard the empty {thing}: `{thing}?.{thing}Items ?? []`.',
  },
  {
    name: 'charges the {thing} once',
    type: 'NetConnectNotAllowedError',
    text: 'NetConnectNotAllowedError: Nock: No match for request {\n  "method": "POST",\n  "url": "https://payments.example.com/{thing}s",\n  "headers": { "idempotency-key": "{uuid}", "content-length": "{ms}" }\n}\n ❯ {file}:{a}:9',
    fix: 'Add the idempotency-key header to the {thing} interceptor; the client sends it since 4.2.',
  },
  {
    name: 'reads the exported {thing}',
    type: 'Error',
    text: "Error: ENOENT: no such file or directory, open '{tmp}/{thing}.json'\n ❯ Module.read{Thing} packages/web/src/{thing}/export.ts:{b}:22\n ❯ {file}:{a}:7\n\n⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯\nSerialized Error: { errno: -2, code: 'ENOENT', syscall: 'open', path: '{tmp}/{thing}.json' }",
    fix: 'Await the {thing} export before it is read; it is written by a worker since 3.0.',
  },
  {
    name: 'configures the {thing} client',
    type: 'Error',
    text: 'Error: Missing required environment variable: {THING}_API_KEY\n ❯ readConfig packages/web/src/config.ts:{b}:11\n ❯ packages/web/src/{thing}/index.ts:{c}:16\n ❯ {file}:{a}:1',
    fix: 'Copy .env.example to .env.test; it has {THING}_API_KEY.',
  },
  {
    name: 'calls the {thing} listener',
    type: 'AssertionError',
    text: 'AssertionError: expected "on{Thing}" to be called {m} times, but got {n} times\n ❯ {file}:{a}:22',
    fix: 'Subscribe to the {thing} events before the store is filled.',
  },
  {
    name: 'looks the {thing} host up',
    type: 'TypeError',
    text: 'TypeError: fetch failed\n ❯ load{Thing} packages/web/src/{thing}/client.ts:{b}:20\n ❯ {file}:{a}:5\n\nCaused by: Error: getaddrinfo ENOTFOUND {thing}.internal\n ❯ GetAddrInfoReqWrap.onlookup [as oncomplete] node:dns:111:26',
    fix: "Use the {thing} service's name inside the compose network, not the host's.",
  },
  {
    name: 'formats the {thing} amount',
    type: 'AssertionError',
    text: "AssertionError: expected 'EUR {m},50' to be '€{m}.50' // Object.is equality\n\nExpected: \"€{m}.50\"\nReceived: \"EUR {m},50\"\n\n ❯ {file}:{a}:32\n     {a}|     expect(format{Thing}({m}.5)).toBe('€{m}.50');\n       |                                  ^",
    fix: 'Pin the locale of the {thing} formatter to en-IE in the tests.',
  },
];

const jest = [
  {
    name: 'shows the {thing} total',
    text: 'Error: expect(received).toEqual(expected) // deep equality\n\n- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "{thing}Total": {n},\n+   "{thing}Total": {m},\n  }\n    at Object.toEqual ({root}/{file}:{a}:61)\n    at Promise.finally.completed ({root}/node_modules/jest-circus/build/jestAdapterInit.js:1834:28)\n    at new Promise (<anonymous>)',
    fix: 'Include the shipping in the {thing} total.',
  },
  {
    name: 'finds the {thing} button',
    text: 'TestingLibraryElementError: Unable to find an accessible element with the role "button" and name "Save {thing}"\n\nHere are the accessible roles:\n\n  document:\n\n  Name "":\n  <body />\n\n--------------------------------------------------\n    at Object.getElementError ({root}/node_modules/@testing-library/dom/dist/config.js:37:19)\n    at {root}/node_modules/@testing-library/dom/dist/query-helpers.js:76:38\n    at Object.getByRole ({root}/{file}:{a}:25)',
    fix: 'Wait for the {thing} form with findByRole; it is loaded lazily.',
  },
  {
    name: 'posts the {thing} form',
    text: 'AxiosError: Request failed with status code {status}\n    at settle ({root}/node_modules/axios/lib/core/settle.js:19:12)\n    at IncomingMessage.handleStreamEnd ({root}/node_modules/axios/lib/adapters/http.js:599:11)\n    at async save{Thing} ({root}/packages/admin/src/{thing}/api.ts:{b}:20)\n    at async Object.<anonymous> ({root}/{file}:{a}:5)',
    fix: 'Seed the {thing} service first; it answers {status} until its cache is warm.',
  },
  {
    name: 'sorts {thing}s by date',
    text: 'TypeError: {thing}s.toSorted is not a function\n    at sort{Thing}s ({root}/packages/admin/src/{thing}/sort.ts:{b}:14)\n    at Object.<anonymous> ({root}/{file}:{a}:18)\n    at Promise.finally.completed ({root}/node_modules/jest-circus/build/jestAdapterInit.js:1834:28)',
    fix: 'Run the {thing} tests on Node 20; toSorted is missing in 18.',
  },
  {
    name: 'waits for the {thing} job',
    text: 'thrown: "Exceeded timeout of 5000 ms for a test.\nAdd a timeout value to this test to increase the timeout, if this is a long-running test. See https://jestjs.io/docs/api#testname-fn-timeout."\n    at {root}/{file}:{a}:3\n    at _dispatchDescribe ({root}/node_modules/jest-circus/build/index.js:91:26)',
    fix: 'Use fake timers for the {thing} job; it polls every ten seconds.',
  },
  {
    name: 'matches the {thing} snapshot',
    text: 'Error: expect(received).toMatchSnapshot()\n\nSnapshot name: `{Thing} matches the {thing} snapshot 1`\n\n- Snapshot  - 1\n+ Received  + 1\n\n  <h2\n-   class="{thing}-title"\n+   class="{thing}-heading"\n  >\n    at Object.toMatchSnapshot ({root}/{file}:{a}:33)',
    fix: 'Update the {thing} snapshot; the class was renamed with the new design.',
  },
  {
    name: 'mocks the {thing} service',
    text: 'Error: expect(jest.fn()).toHaveBeenCalledWith(...expected)\n\n- Expected\n+ Received\n\n  Object {\n-   "{thing}Id": "{m}",\n+   "{thing}Id": "{n}",\n  },\n\nNumber of calls: 1\n    at Object.toHaveBeenCalledWith ({root}/{file}:{a}:27)',
    fix: 'Reset the {thing} mock in beforeEach; the call of the test before was counted.',
  },
  {
    name: 'loads the {thing} page',
    text: "Cannot find module '../{thing}/legacyAdapter' from 'packages/admin/src/{thing}/page.ts'\n\nRequire stack:\n  packages/admin/src/{thing}/page.ts\n  {file}\n\n    at Resolver._throwModNotFoundError ({root}/node_modules/jest-resolve/build/index.js:863:11)\n    at Object.<anonymous> ({root}/packages/admin/src/{thing}/page.ts:{b}:1)",
    fix: 'Import the {thing} adapter from its new place, ../{thing}/adapter.',
  },
];

const playwright = [
  {
    name: 'buyer opens the {thing} page',
    text: 'Error: expect(locator).toHaveText(expected) failed\n\nLocator: getByTestId(\'{thing}-count\')\nExpected string: "{n}"\nReceived string: "{m}"\nTimeout: 5000ms\n\nCall log:\n  - Expect "toHaveText" with timeout 5000ms\n  - waiting for getByTestId(\'{thing}-count\')\n    9 × locator resolved to <span data-testid="{thing}-count">{m}</span>\n      - unexpected value "{m}"\n\n    at {root}/{file}:{a}:48',
    fix: 'Wait for the {thing} response before the count is read.',
  },
  {
    name: 'buyer pays for the {thing}',
    text: "TimeoutError: locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for getByRole('button', { name: 'Pay {thing}' })\n    - locator resolved to <button disabled class=\"btn\">Pay {thing}</button>\n  - attempting click action\n    - waiting for element to be visible, enabled and stable\n    - element is not enabled\n\n    at {root}/{file}:{a}:62",
    fix: 'Fill the {thing} consent box; the button stays disabled without it.',
  },
  {
    name: 'clerk prints the {thing}',
    text: 'Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:{port}/{thing}s/new\nCall log:\n  - navigating to "http://localhost:{port}/{thing}s/new", waiting until "load"\n\n    at {root}/{file}:{a}:14',
    fix: 'Set webServer.reuseExistingServer for the {thing} project, so that the server is started.',
  },
  {
    name: 'clerk exports the {thing}',
    text: "Error: browserType.launch: Executable doesn't exist at {root}/.cache/ms-playwright/chromium_{thing}-1148/chrome-linux/chrome\n╔═════════════════════════════════════════════════╗\n║ Looks like Playwright was just updated.         ║\n╚═════════════════════════════════════════════════╝\n    at {root}/{file}:{a}:20",
    fix: 'Run npx playwright install --with-deps chromium in the {thing} image.',
  },
  {
    name: 'api answers with the {thing}',
    text: 'Error: apiRequestContext.get: getaddrinfo EAI_AGAIN {thing}.staging.example.com\nCall log:\n  - → GET https://{thing}.staging.example.com/v1/{uuid}\n    - user-agent: Playwright/1.65.1 (x64; debian 12) node/22.11\n    - accept: */*\n\n    at {root}/{file}:{a}:31',
    fix: 'Point the {thing} base URL at the local stub; staging is not reachable from CI.',
  },
];

const nodeTest = [
  {
    name: 'counts {thing}s in the archive',
    text: 'Expected values to be strictly equal:\n\n{m} !== {n}\n\n    at TestContext.<anonymous> (file://{root}/{file}:{a}:12)\n    at Test.runInAsyncScope (node:async_hooks:206:9)\n    at Test.run (node:internal/test_runner/test:796:25)',
    type: 'AssertionError',
    fix: 'Skip the header line when {thing}s are counted.',
  },
  {
    name: 'parses the {thing} manifest',
    text: 'Unexpected token \'{\', "{{ {thing}" is not valid JSON\n    at JSON.parse (<anonymous>)\n    at parse{Thing} (file://{root}/tools/src/{thing}.js:{b}:15)\n    at TestContext.<anonymous> (file://{root}/{file}:{a}:18)',
    type: 'SyntaxError',
    fix: 'Render the {thing} template before it is parsed.',
  },
  {
    name: 'spawns the {thing} worker',
    text: 'spawn {thing}-worker ENOENT\n    at ChildProcess._handle.onexit (node:internal/child_process:286:19)\n    at onErrorNT (node:internal/child_process:484:16)\n    at process.processTicksAndRejections (node:internal/process/task_queues:82:21)',
    type: 'Error',
    fix: 'Install the {thing} worker with npm ci in tools/ first.',
  },
  {
    name: 'keeps the {thing} lock',
    text: "EEXIST: file already exists, open '{tmp}/{thing}.lock'\n    at async open (node:internal/fs/promises:639:25)\n    at async lock{Thing} (file://{root}/tools/src/lock.js:{b}:18)\n    at async TestContext.<anonymous> (file://{root}/{file}:{a}:3)",
    type: 'Error',
    fix: 'Remove the {thing} lock in an after hook.',
  },
];

const mocha = [
  {
    name: 'routes a {thing} request',
    type: 'AssertionError',
    text: "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n\n'{thing}-v{m}' !== '{thing}-v{n}'\n\n    at Context.<anonymous> ({file}:{a}:14)\n    at process.processImmediate (node:internal/timers:483:21)\n\n      + expected - actual\n\n      -{thing}-v{m}\n      +{thing}-v{n}",
    fix: 'Bump the {thing} route to version {n}.',
  },
  {
    name: 'limits {thing} calls',
    type: 'Error',
    text: 'Error: expected {status} "Too Many {Thing}s", got 200 "OK"\n    at Context.<anonymous> ({file}:{a}:8)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n  ----\n    at Test._assertStatus (node_modules/supertest/lib/test.js:252:14)',
    fix: 'Key the {thing} limiter by token, not by address.',
  },
  {
    name: 'signs the {thing} token',
    type: 'JsonWebTokenError',
    text: 'JsonWebTokenError: jwt audience invalid. expected: {thing}-api\n    at module.exports [as verify] (node_modules/jsonwebtoken/verify.js:197:14)\n    at verify{Thing} (services/gateway/src/{thing}.js:{b}:22)\n    at Context.<anonymous> ({file}:{a}:21)',
    fix: 'Sign the {thing} token for {thing}-api; the audience was renamed.',
  },
  {
    name: 'drains the {thing} queue',
    type: 'Error',
    text: 'Error: Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called; if returning a Promise, ensure it resolves. ({root}/{file})\n    at listOnTimeout (node:internal/timers:581:17)\n    at process.processTimers (node:internal/timers:519:7)',
    fix: 'Call done in the {thing} handler when the queue is empty.',
  },
  {
    name: 'reconnects the {thing} broker',
    type: 'Error',
    text: 'Error: read ECONNRESET\n    at TCP.onStreamRead (node:internal/stream_base_commons:218:20)\n    at {Thing}Broker.receive (services/gateway/src/broker/{thing}.js:{b}:9) [peer {ip}:{port}]',
    fix: 'Retry the {thing} subscription once after a reset.',
  },
];

const pytest = [
  {
    name: 'test_{thing}_total',
    message: 'assert {m} == {n}',
    text: 'self = <tests.test_{thing}.Test{Thing} object at {address}>\n\n    def test_{thing}_total(self):\n        {thing} = make_{thing}()\n>       assert {thing}.total == {n}\nE       assert {m} == {n}\nE        +  where {m} = <pricing.{thing}.{Thing} object at {address}>.total\n\n{file}:{a}: AssertionError',
    fix: 'Apply the {thing} discount before the tax.',
  },
  {
    name: 'test_{thing}_is_missing',
    message: "KeyError: '{thing}_id'",
    text: "    def test_{thing}_is_missing():\n>       load_{thing}({})\n\n{file}:{a}: \n_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _\n\nrow = {}\n\n    def load_{thing}(row):\n>       return {Thing}(row['{thing}_id'])\nE       KeyError: '{thing}_id'\n\nservices/pricing/pricing/{thing}.py:{b}: KeyError",
    fix: "Use row.get('{thing}_id') and raise {Thing}NotFound.",
  },
  {
    name: 'test_{thing}_service_answers',
    message:
      "requests.exceptions.ConnectionError: HTTPConnectionPool(host='{thing}-svc', port={port}): Max retries exceeded",
    text: "services/pricing/pricing/clients/{thing}.py:{b}: in fetch_{thing}\n    response = self.session.get(url, timeout=3)\n/usr/lib/python3.11/site-packages/requests/adapters.py:519: in send\n    raise ConnectionError(e, request=request)\nE   requests.exceptions.ConnectionError: HTTPConnectionPool(host='{thing}-svc', port={port}): Max retries exceeded with url: /{thing}s/{id} (Caused by NewConnectionError('<urllib3.connection.HTTPConnection object at {address}>: Failed to establish a new connection: [Errno 111] Connection refused'))",
    fix: 'Wait for the health check of {thing}-svc in conftest.py.',
  },
  {
    name: 'test_{thing}_migration',
    message:
      'sqlalchemy.exc.OperationalError: (psycopg2.errors.UndefinedTable) relation "{thing}_lines" does not exist',
    text: 'services/pricing/pricing/{thing}.py:{b}: in all_lines\n    return session.execute(text(SQL)).all()\n/usr/lib/python3.11/site-packages/sqlalchemy/engine/base.py:1967: in _exec_single_context\n    self.dialect.do_execute(\nE   sqlalchemy.exc.OperationalError: (psycopg2.errors.UndefinedTable) relation "{thing}_lines" does not exist\nE   LINE 1: SELECT * FROM {thing}_lines WHERE run = \'{uuid}\'\nE                         ^\nE   [SQL: SELECT * FROM {thing}_lines WHERE run = %(run)s]\nE   (Background on this error at: https://sqlalche.me/e/20/e3q8)',
    fix: 'Run alembic upgrade head before the tests; it adds {thing}_lines.',
  },
  {
    name: 'test_{thing}_fixture',
    tag: 'error',
    message: 'failed on setup with "fixture \'{thing}_db\' not found"',
    text: "file {root}/{file}, line {a}\n  def test_{thing}_fixture({thing}_db):\nE       fixture '{thing}_db' not found\n>       available fixtures: cache, capfd, capsys, monkeypatch, recwarn, tmp_path\n>       use 'pytest --fixtures [testpath]' for help on them.\n\n{root}/{file}:{a}",
    fix: 'Move {thing}_db from the old conftest into tests/conftest.py.',
  },
  {
    name: 'test_{thing}_rounds',
    message: "decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]",
    text: "    def test_{thing}_rounds():\n>       assert round_{thing}('12,50') == Decimal('12.5')\n\n{file}:{a}: \n\nvalue = '12,50'\n\n    def round_{thing}(value):\n>       return Decimal(value).quantize(CENT)\nE       decimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]\n\nservices/pricing/pricing/{thing}.py:{b}: InvalidOperation",
    fix: 'Replace the comma of {thing} amounts before Decimal reads them.',
  },
  {
    name: 'test_{thing}_is_sent',
    message: 'AssertionError: expected call not found.',
    text: "/usr/lib/python3.11/unittest/mock.py:939: in assert_called_once_with\n    raise AssertionError(msg)\nE   AssertionError: Expected 'send_{thing}' to be called once. Called {m} times.\nE   Calls: [call(id={m}), call(id={n})].\n\n{file}:{a}: AssertionError",
    fix: 'Send the {thing} after the commit, not in the signal handler as well.',
  },
  {
    name: 'test_{thing}_stays_within_time',
    message: 'Failed: Timeout (>{m}.0s) from pytest-timeout.',
    text: '    def test_{thing}_stays_within_time():\n>       recompute_{thing}s()\n\n{file}:{a}: \nservices/pricing/pricing/{thing}.py:{b}: in recompute_{thing}s\n    time.sleep(delay)\nE   Failed: Timeout (>{m}.0s) from pytest-timeout.',
    fix: 'Compute {thing}s in one query instead of one for each row.',
  },
];

const unittest = [
  {
    name: 'test_{thing}_opens',
    type: 'FileNotFoundError',
    message: "[Errno 2] No such file or directory: '{tmp}/{thing}.csv'",
    text: 'Traceback (most recent call last):\n  File "{root}/{file}", line {a}, in test_{thing}_opens\n    {thing} = open_{thing}(self.folder)\n              ^^^^^^^^^^^^^^^^^^^^^^\n  File "{root}/services/batch/batch/{thing}.py", line {b}, in open_{thing}\n    return open(folder / \'{thing}.csv\')\nFileNotFoundError: [Errno 2] No such file or directory: \'{tmp}/{thing}.csv\'\n',
    fix: 'Create the {thing} folder in setUp.',
  },
  {
    name: 'test_{thing}_adds_up',
    type: 'AssertionError',
    message: '{m} != {n} : {thing} rows',
    text: 'Traceback (most recent call last):\n  File "{root}/{file}", line {a}, in test_{thing}_adds_up\n    self.assertEqual(count, {n}, "{thing} rows")\nAssertionError: {m} != {n} : {thing} rows\n',
    fix: 'Drop the duplicate {thing} row before the import.',
  },
  {
    name: 'test_{thing}_divides',
    type: 'ZeroDivisionError',
    message: 'division by zero',
    text: 'Traceback (most recent call last):\n  File "{root}/{file}", line {a}, in test_{thing}_divides\n    average_{thing}([])\n  File "{root}/services/batch/batch/{thing}.py", line {b}, in average_{thing}\n    return sum(rows) / len(rows)\n           ~~~~~~~~~~^~~~~~~~~~~\nZeroDivisionError: division by zero\n',
    fix: 'Answer None for no {thing} rows.',
  },
];

const go = [
  {
    name: 'Test{Thing}Total',
    text: '    {thing}_test.go:{a}: total = {m}, want {n}\n',
    fix: 'Use int64 cents for the {thing} total.',
  },
  {
    name: 'Test{Thing}Dial',
    text: '    {thing}_test.go:{a}: Get "http://127.0.0.1:{port}/{thing}": dial tcp 127.0.0.1:{port}: connect: connection refused\n',
    fix: 'Listen before the {thing} client is started.',
  },
  {
    name: 'Test{Thing}Index',
    text: 'panic: runtime error: index out of range [{m}] with length {m} [recovered]\n\tpanic: runtime error: index out of range [{m}] with length {m}\n\ngoroutine {id} [running]:\ntesting.tRunner.func1.2({0x5208a0, 0xc000{hex8}})\n\t/usr/lib/go/src/testing/testing.go:1396 +0x24e\nexample.com/shop/stock/{thing}.(*{Thing}).At(...)\n\t{root}/services/stock/{thing}/{thing}.go:{b}\nexample.com/shop/stock/{thing}.Test{Thing}Index({address})\n\t{root}/services/stock/{thing}/{thing}_test.go:{a} +0x1d\n',
    fix: 'Check the index of {Thing}.At against its length.',
  },
  {
    name: 'Test{Thing}Testify',
    text: '    {thing}_test.go:{a}: \n        \tError Trace:\t{root}/services/stock/{thing}/{thing}_test.go:{a}\n        \tError:      \tNot equal: \n        \t            \texpected: "{thing}-{n}"\n        \t            \tactual  : "{thing}-{m}"\n        \tTest:       \tTest{Thing}Testify\n',
    fix: 'Name the {thing} after its number, as the warehouse does.',
  },
  {
    name: 'Test{Thing}Deadline',
    text: '    {thing}_test.go:{a}: fetch {thing} {uuid}: context deadline exceeded (Client.Timeout exceeded while awaiting headers) after {seconds}s\n',
    fix: 'Give the {thing} client the context of the request.',
  },
  {
    name: 'Test{Thing}Race',
    text: '==================\nWARNING: DATA RACE\nWrite at 0x00c000{hex8} by goroutine {id}:\n  example.com/shop/stock/{thing}.(*Cache).Put()\n      {root}/services/stock/{thing}/cache.go:{b} +0x44\n\nPrevious read at 0x00c000{hex8} by goroutine {pid}:\n  example.com/shop/stock/{thing}.(*Cache).Get()\n      {root}/services/stock/{thing}/cache.go:{c} +0x3a\n==================\n    testing.go:1312: race detected during execution of test\n',
    fix: 'Take the lock in Cache.Put of {thing}.',
  },
  {
    name: 'Test{Thing}Config',
    text: '    {thing}_test.go:{a}: load config: open {tmp}/{thing}.yaml: no such file or directory\n',
    fix: 'Embed {thing}.yaml with go:embed.',
  },
];

const cargo = [
  {
    name: '{thing}::tests::adds_up',
    text: "thread '{thing}::tests::adds_up' ({pid}) panicked at crates/ledger/src/{thing}.rs:{a}:9:\nassertion `left == right` failed: {thing} total\n  left: {m}\n right: {n}\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    fix: 'Saturate the {thing} sum instead of wrapping.',
  },
  {
    name: '{thing}::tests::parses',
    text: "thread '{thing}::tests::parses' ({pid}) panicked at crates/ledger/src/{thing}.rs:{a}:47:\ncalled `Result::unwrap()` on an `Err` value: Parse{Thing}Error { kind: InvalidDigit, at: {m} }\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    fix: 'Trim the {thing} line before it is parsed.',
  },
  {
    name: '{thing}::tests::stores',
    text: 'thread \'{thing}::tests::stores\' ({pid}) panicked at crates/ledger/src/{thing}.rs:{a}:14:\ncalled `Result::unwrap()` on an `Err` value: Os { code: 13, kind: PermissionDenied, message: "Permission denied" }: {tmp}/{thing}.journal\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/{sha}/library/std/src/panicking.rs:662:5\n   1: core::panicking::panic_fmt\n             at /rustc/{sha}/library/core/src/panicking.rs:74:14\n   2: ledger::{thing}::tests::stores\n             at ./src/{thing}.rs:{a}:14',
    fix: 'Open the {thing} journal in a folder of its own.',
  },
  {
    name: '{thing}::tests::borrows_once',
    text: "thread '{thing}::tests::borrows_once' ({pid}) panicked at crates/ledger/src/{thing}.rs:{b}:31:\nalready borrowed: BorrowMutError",
    fix: 'Drop the {thing} borrow before the callback runs.',
  },
  {
    name: '{thing}::tests::matches',
    text: "thread '{thing}::tests::matches' ({pid}) panicked at crates/ledger/src/{thing}.rs:{a}:9:\nassertion failed: matches!(state, State::{Thing}Paid { .. })",
    fix: 'Set {Thing}Paid when the last part was paid.',
  },
];

const surefire = [
  {
    name: 'sums{Thing}Lines',
    type: 'org.opentest4j.AssertionFailedError',
    message: 'expected: <{n}> but was: <{m}>',
    text: 'org.opentest4j.AssertionFailedError: expected: <{n}> but was: <{m}>\n\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n\tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)\n\tat com.acme.shop.{Thing}Test.sums{Thing}Lines({Thing}Test.java:{a})\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)\n',
    fix: 'Use BigDecimal with scale 2 for {thing} lines.',
  },
  {
    name: 'loads{Thing}',
    type: 'java.lang.NullPointerException',
    message: 'Cannot invoke "com.acme.shop.{Thing}.id()" because "{thing}" is null',
    text: 'java.lang.NullPointerException: Cannot invoke "com.acme.shop.{Thing}.id()" because "{thing}" is null\n\tat com.acme.shop.{Thing}Repository.load({Thing}Repository.java:{b})\n\tat com.acme.shop.{Thing}Test.loads{Thing}({Thing}Test.java:{a})\n',
    fix: 'Answer Optional.empty() where there is no {thing}.',
  },
  {
    name: 'connects{Thing}Pool',
    type: 'org.springframework.jdbc.CannotGetJdbcConnectionException',
    message: 'Failed to obtain JDBC Connection',
    text: 'org.springframework.jdbc.CannotGetJdbcConnectionException: Failed to obtain JDBC Connection\n\tat org.springframework.jdbc.datasource.DataSourceUtils.getConnection(DataSourceUtils.java:84)\n\tat com.acme.shop.{Thing}Dao.find({Thing}Dao.java:{b})\n\tat com.acme.shop.{Thing}Test.connects{Thing}Pool({Thing}Test.java:{a})\nCaused by: java.sql.SQLTransientConnectionException: {thing}-pool - Connection is not available, request timed out after {ms}ms (total=10, active=10, idle=0, waiting={m})\n\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686)\n\t... 71 more\n',
    fix: 'Close the {thing} result sets; the pool ran dry.',
  },
  {
    name: 'wires{Thing}',
    type: 'org.springframework.beans.factory.NoSuchBeanDefinitionException',
    message: "No qualifying bean of type 'com.acme.shop.{Thing}Gateway' available",
    text: "org.springframework.beans.factory.NoSuchBeanDefinitionException: No qualifying bean of type 'com.acme.shop.{Thing}Gateway' available: expected at least 1 bean which qualifies as autowire candidate. Dependency annotations: {}\n\tat org.springframework.beans.factory.support.DefaultListableBeanFactory.raiseNoMatchingBeanFound(DefaultListableBeanFactory.java:1812)\n\tat com.acme.shop.{Thing}Test.wires{Thing}({Thing}Test.java:{a})\n",
    fix: 'Add {Thing}Gateway to the test configuration.',
  },
  {
    name: 'verifies{Thing}Mail',
    type: 'org.mockito.exceptions.verification.WantedButNotInvoked',
    message: 'Wanted but not invoked:',
    text: 'Wanted but not invoked:\n{thing}Mailer.send({m});\n-> at com.acme.shop.{Thing}Test.verifies{Thing}Mail({Thing}Test.java:{a})\nActually, there were zero interactions with this mock.\n\n\tat com.acme.shop.{Thing}Test.verifies{Thing}Mail({Thing}Test.java:{a})\n',
    fix: 'Flush the {thing} outbox in the test.',
  },
  {
    name: 'parses{Thing}Date',
    type: 'java.time.format.DateTimeParseException',
    message: "Text '{thing}-31-02' could not be parsed at index 0",
    text: "java.time.format.DateTimeParseException: Text '{thing}-31-02' could not be parsed at index 0\n\tat java.base/java.time.format.DateTimeFormatter.parseResolved0(DateTimeFormatter.java:2106)\n\tat com.acme.shop.{Thing}Parser.date({Thing}Parser.java:{b})\n\tat com.acme.shop.{Thing}Test.parses{Thing}Date({Thing}Test.java:{a})\n",
    fix: 'Strip the {thing} prefix before the date is parsed.',
  },
];

const rspec = [
  {
    name: 'mails the {thing}',
    type: 'RSpec::Expectations::ExpectationNotMetError',
    message: '\nexpected: {n}\n     got: {m}\n\n(compared using ==)\n',
    text: "Failure/Error: expect({thing}.count).to eq({n})\n\n  expected: {n}\n       got: {m}\n\n  (compared using ==)\n./{file}:{a}:in `block (3 levels) in <top (required)>'",
    fix: 'Deliver the {thing} mail inside the transaction.',
  },
  {
    name: 'finds the {thing}',
    type: 'ActiveRecord::RecordNotFound',
    message: "Couldn't find {Thing} with 'id'={id}",
    text: "Failure/Error: {Thing}.find(id)\n\nActiveRecord::RecordNotFound:\n  Couldn't find {Thing} with 'id'={id}\n./services/mailer/app/models/{thing}.rb:{b}:in `load'\n./{file}:{a}:in `block (2 levels) in <top (required)>'",
    fix: 'Create the {thing} in a before block, not in the fixture of another spec.',
  },
  {
    name: 'names the {thing}',
    type: 'NoMethodError',
    message: "undefined method `{thing}_name' for nil:NilClass",
    text: "Failure/Error: subject.{thing}_name\n\nNoMethodError:\n  undefined method `{thing}_name' for nil:NilClass\n./services/mailer/app/models/{thing}.rb:{b}:in `title'\n./{file}:{a}:in `block (2 levels) in <top (required)>'",
    fix: 'Use safe navigation for a {thing} without a name.',
  },
  {
    name: 'talks to the {thing} relay',
    type: 'Errno::ECONNREFUSED',
    message: 'Connection refused - connect(2) for "{ip}" port {port}',
    text: 'Failure/Error: relay.deliver({thing})\n\nErrno::ECONNREFUSED:\n  Connection refused - connect(2) for "{ip}" port {port}\n./services/mailer/lib/{thing}_relay.rb:{b}:in `deliver\'\n./{file}:{a}:in `block (3 levels) in <top (required)>\'',
    fix: 'Start mailhog for the {thing} relay.',
  },
  {
    name: 'doubles the {thing}',
    type: 'RSpec::Mocks::MockExpectationError',
    message:
      '(Double "{thing}").deliver(no args)\n    expected: 1 time with any arguments\n    received: 0 times with any arguments',
    text: 'Failure/Error: expect({thing}).to receive(:deliver)\n\n  (Double "{thing}").deliver(no args)\n      expected: 1 time with any arguments\n      received: 0 times with any arguments\n./{file}:{a}:in `block (2 levels) in <top (required)>\'',
    fix: 'Perform the {thing} job inline in the spec.',
  },
];

const phpunit = [
  {
    name: 'test{Thing}Total',
    type: 'PHPUnit\\Framework\\ExpectationFailedException',
    text: 'App\\{Thing}Test::test{Thing}Total\nFailed asserting that {m} is identical to {n}.\n\n{root}/{file}:{a}',
    fix: 'Cast the {thing} total to int.',
  },
  {
    name: 'test{Thing}Exists',
    type: 'Error',
    text: 'App\\{Thing}Test::test{Thing}Exists\nError: Call to undefined method App\\Legacy\\{Thing}::exists()\n\n{root}/legacy/src/{Thing}.php:{b}\n{root}/{file}:{a}',
    fix: 'Rename {Thing}::has to {Thing}::exists.',
  },
  {
    name: 'test{Thing}Db',
    type: 'PDOException',
    text: 'App\\{Thing}Test::test{Thing}Db\nPDOException: SQLSTATE[HY000] [2002] Connection refused\n\n{root}/legacy/src/Db/{Thing}Table.php:{b}\n{root}/{file}:{a}',
    fix: 'Start MariaDB for the {thing} table: `docker compose up -d mariadb`.',
  },
  {
    name: 'test{Thing}Warning',
    type: 'PHPUnit\\Framework\\Error\\Warning',
    text: 'App\\{Thing}Test::test{Thing}Warning\nUndefined array key "{thing}_code"\n\n{root}/legacy/src/{Thing}.php:{b}\n{root}/{file}:{a}',
    fix: "Default $row['{thing}_code'] to ''.",
  },
  {
    name: 'test{Thing}Dump',
    type: 'PHPUnit\\Framework\\ExpectationFailedException',
    text: "App\\{Thing}Test::test{Thing}Dump\nFailed asserting that two arrays are equal.\n--- Expected\n+++ Actual\n@@ @@\n Array (\n-    '{thing}' => {n}\n+    '{thing}' => {m}\n )\n\n{root}/{file}:{a}",
    fix: 'Sort the {thing} dump by key.',
  },
];

const ctest = [
  {
    name: '{Thing}.adds',
    text: 'Running main() from ./googletest/src/gtest_main.cc\nNote: Google Test filter = {Thing}.adds\n[==========] Running 1 test from 1 test suite.\n[ RUN      ] {Thing}.adds\n{root}/native/{thing}_test.cpp:{a}: Failure\nExpected equality of these values:\n  {thing}.total()\n    Which is: {m}\n  {n}\n[  FAILED  ] {Thing}.adds ({ms} ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] {Thing}.adds\n\n 1 FAILED TEST\n',
    fix: 'Widen the {thing} counter to 64 bits.',
  },
  {
    name: '{Thing}.frees',
    text: '=================================================================\n=={pid}==ERROR: AddressSanitizer: heap-use-after-free on address 0x60200000{hex8} at pc 0x55{hex8} bp 0x7ffd{hex8} sp 0x7ffd{hex8}\nREAD of size 8 at 0x60200000{hex8} thread T0\n    #0 0x55{hex8} in {Thing}::next() {root}/native/{thing}.cpp:{b}:12\n    #1 0x55{hex8} in {Thing}_frees_Test::TestBody() {root}/native/{thing}_test.cpp:{a}:3\nSUMMARY: AddressSanitizer: heap-use-after-free {root}/native/{thing}.cpp:{b}:12 in {Thing}::next()\n',
    fix: 'Keep the {thing} list alive while it is walked.',
  },
  {
    name: '{Thing}.opens',
    text: "terminate called after throwing an instance of 'std::filesystem::filesystem_error'\n  what():  filesystem error: cannot open file: No such file or directory [{tmp}/{thing}.bin]\nAborted (core dumped)\n",
    fix: 'Write the {thing} file in the set-up of the test.',
  },
];

const bats = [
  {
    name: 'deploys the {thing}',
    text: '(in test file {file}, line {a})\n  `[ "$status" -eq 0 ]\' failed\n{thing}: permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock',
    fix: 'Add the {thing} runner to the docker group.',
  },
  {
    name: 'backs the {thing} up',
    text: "(in test file {file}, line {a})\n  `run_backup {thing}' failed with status 1\ntar: {tmp}/{thing}.tar: Cannot write: No space left on device",
    fix: 'Prune the old {thing} backups first.',
  },
  {
    name: 'waits for the {thing} pod',
    text: "(in test file {file}, line {a})\n  `kubectl wait --for=condition=Ready pod/{thing}' failed with status 1\npod {thing}-7d{hex8}-x2x8p is not ready: CrashLoopBackOff\nReason: CrashLoopBackOff\nMessage: back-off 40s restarting failed container={thing}",
    fix: 'Give the {thing} container its config map.',
  },
  {
    name: 'starts the {thing} container',
    text: '(in test file {file}, line {a})\n  `docker compose up --wait {thing}\' failed with status 1\ncontainer "{thing}-1" exited with code 137: OOMKilled\n    Reason: OOMKilled\n    Exit Code: 137',
    fix: 'Raise the memory limit of {thing} to 2 GiB.',
  },
];

/** For each runner: file and suites of its tests, the number of failures from each template, and its report format. */
export const RUNNERS = [
  {
    runner: 'vitest',
    report: 'vitest-junit',
    copies: 6,
    file: 'packages/web/tests/{thing}.test.ts',
    suite: ['{Thing}'],
    failures: vitest,
  },
  {
    runner: 'jest',
    report: 'jest-json',
    copies: 6,
    file: 'packages/admin/src/{thing}/__tests__/{Thing}.test.tsx',
    suite: ['{Thing} form'],
    failures: jest,
  },
  {
    runner: 'playwright',
    report: 'ctrf',
    copies: 5,
    file: 'e2e/{thing}.spec.ts',
    suite: ['{thing} journey'],
    failures: playwright,
  },
  {
    runner: 'node-test',
    report: 'node-tap',
    copies: 5,
    file: 'tools/test/{thing}.test.js',
    suite: ['{thing} tools'],
    failures: nodeTest,
  },
  {
    runner: 'mocha',
    report: 'mocha-junit',
    copies: 5,
    file: 'services/gateway/test/{thing}.js',
    suite: ['{thing} gateway'],
    failures: mocha,
  },
  {
    runner: 'pytest',
    report: 'pytest-junit',
    copies: 6,
    file: 'services/pricing/tests/test_{thing}.py',
    suite: ['Test{Thing}'],
    failures: pytest,
  },
  {
    runner: 'unittest',
    report: 'pytest-junit',
    copies: 5,
    file: 'services/batch/tests/test_{thing}.py',
    suite: ['{Thing}Case'],
    failures: unittest,
  },
  { runner: 'go', report: 'go-json', copies: 6, file: 'services/stock/{thing}', suite: [], failures: go },
  { runner: 'cargo', report: 'nextest-junit', copies: 6, file: 'crates/ledger', suite: [], failures: cargo },
  {
    runner: 'surefire',
    report: 'surefire-junit',
    copies: 6,
    file: 'com.acme.shop.{Thing}Test',
    suite: [],
    failures: surefire,
  },
  {
    runner: 'rspec',
    report: 'rspec-junit',
    copies: 6,
    file: 'services/mailer/spec/{thing}_spec.rb',
    suite: ['{Thing}'],
    failures: rspec,
  },
  {
    runner: 'phpunit',
    report: 'phpunit-junit',
    copies: 6,
    file: 'legacy/tests/{Thing}Test.php',
    suite: [],
    failures: phpunit,
  },
  { runner: 'ctest', report: 'ctest-junit', copies: 5, file: 'native/{thing}_test.cpp', suite: [], failures: ctest },
  { runner: 'bats', report: 'bats-tap', copies: 5, file: 'ops/{thing}.bats', suite: [], failures: bats },
];

/** Commands that fail without a report; the command line is the case. */
export const COMMANDS = [
  {
    step: 'typecheck',
    text: "packages/web/src/{thing}/model.ts({a},9): error TS2339: Property '{thing}Code' does not exist on type '{Thing}'.\nFound 1 error in packages/web/src/{thing}/model.ts:{a}\n",
    exit: 2,
    fix: 'Regenerate the {thing} types from the schema.',
  },
  {
    step: 'lint',
    text: "{root}/packages/admin/src/{thing}/page.ts\n  {a}:7  error  '{thing}Ref' is assigned a value but never used  @typescript-eslint/no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n",
    exit: 1,
    fix: 'Delete {thing}Ref.',
  },
  {
    step: 'compile',
    text: '   Compiling ledger v0.3.1 ({root}/crates/ledger)\nerror[E0308]: mismatched types\n  --> crates/ledger/src/{thing}.rs:{a}:21\n   |\n{a} |     let {thing}: u32 = total;\n   |              ---   ^^^^^ expected `u32`, found `u64`\n   |              |\n   |              expected due to this\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `ledger` (lib) due to 1 previous error\n',
    exit: 101,
    fix: 'Use u64 for {thing} in the ledger.',
  },
  {
    step: 'image',
    text: '#9 [build 4/6] RUN npm ci --workspace {thing}\n#9 {seconds} npm error code ERESOLVE\n#9 {seconds} npm error ERESOLVE could not resolve\n#9 {seconds} npm error While resolving: {thing}@1.4.2\n#9 {seconds} npm error Found: react@18.3.1\n#9 ERROR: process "/bin/sh -c npm ci --workspace {thing}" did not complete successfully: exit code: 1\n',
    exit: 1,
    fix: 'Pin react 18 in the workspace {thing}.',
  },
  {
    step: 'migrate',
    text: 'psql:migrations/{m}_{thing}.sql:{a}: ERROR:  column "{thing}_code" of relation "{thing}s" already exists\n',
    exit: 3,
    fix: 'Write the {thing} migration with ADD COLUMN IF NOT EXISTS.',
  },
  {
    step: 'link',
    text: "/usr/bin/ld: native/{thing}.o: in function `{Thing}::next()':\n{root}/native/{thing}.cpp:{a}: undefined reference to `{thing}_checksum'\ncollect2: error: ld returned 1 exit status\nmake: *** [Makefile:{b}: {thing}_test] Error 1\n",
    exit: 2,
    fix: 'Link {thing}_test with libchecksum.',
  },
];
