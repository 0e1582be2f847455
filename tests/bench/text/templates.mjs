// The kinds of texts in the benchmark's corpus: each has a head line, followed by lines that are drawn from its body.

export const TEMPLATES = [
  {
    // Node: a connection is refused.
    head: "Error: connect ECONNREFUSED {ip}:{port}\n  errno: -111, code: 'ECONNREFUSED', syscall: 'connect'",
    body: [
      '    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:{line}:{col})',
      '    at async {type}Service.{word} (/home/runner/work/app/src/{name}/{word}.ts:{line}:{col})',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:{line}:{col})',
      '    at Object.<anonymous> (/tmp/build-{hex8}/tests/{name}.test.ts:{line}:{col})',
    ],
    lines: [3, 12],
  },
  {
    // Jest and Vitest: an expectation fails.
    head: 'AssertionError: expected {num} to equal {num} // Object.is equality',
    body: [
      '- Expected  {num}',
      '+ Received  {num}',
      '      {line} |   const {word}ed = await {word}{type}({ id: {id} });',
      '    > {line} |   expect({word}ed.total).toBe({num});',
      '         |                        ^',
      ' ❯ tests/{name}/{word}.test.ts:{line}:{col}',
      '    at Proxy.<anonymous> (file:///app/node_modules/@vitest/expect/dist/index.js:{line}:{col})',
    ],
    lines: [5, 14],
  },
  {
    // A browser test exceeds its time limit.
    head: 'Error: Test timeout of 30000ms exceeded.\n\nError: locator.click: Test timeout of 30000ms exceeded.',
    body: [
      '  - waiting for getByRole("button", { name: "{word} {name}" })',
      '    - locator resolved to <button id="{name}-{id}" class="btn btn-{word}">{word}</button>',
      '    - element is not visible - waiting {ms}ms',
      '    at /app/e2e/{name}.spec.ts:{line}:{col}',
    ],
    lines: [4, 16],
  },
  {
    // A Python traceback.
    head: 'Traceback (most recent call last):',
    body: [
      '  File "/usr/lib/python3.11/site-packages/{name}/{word}.py", line {line}, in {word}_{name}\n    return self._{word}(request_id="{uuid}")',
      '  File "/srv/app/{name}/views.py", line {line}, in {word}\n    {name} = {type}.objects.get(pk={id})',
      'ValueError: invalid literal for int() with base 10: "{hex8}"',
      'KeyError: "{name}_{word}"',
    ],
    lines: [3, 12],
  },
  {
    // A pytest failure.
    head: '_________________ test_{word}_{name} _________________',
    body: [
      'E       assert {num} == {num}',
      'E        +  where {num} = <{name}.{type} object at {ptr}>.total',
      '>       assert response.status_code == 200',
      'tests/test_{name}.py:{line}: AssertionError',
      'FAILED tests/test_{name}.py::test_{word}[{small}-{name}] - assert {num} == {num}',
      '------------------------------ Captured log call ------------------------------',
      'WARNING  {name}:{word}.py:{line} retrying in {ms}ms',
    ],
    lines: [4, 15],
  },
  {
    // A Java stack trace.
    head: 'org.opentest4j.AssertionFailedError: expected: <{num}> but was: <{num}>',
    body: [
      '\tat com.example.{name}.{type}ServiceTest.{word}{type}({type}ServiceTest.java:{line})',
      '\tat org.junit.jupiter.engine.execution.MethodInvocation.proceed(MethodInvocation.java:{line})',
      '\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:{line})',
      'Caused by: java.net.SocketTimeoutException: Read timed out after {ms} ms',
      '\t... {small} more',
    ],
    lines: [6, 30],
  },
  {
    // The log of a Spring service.
    head: '{day} {clock}.123 ERROR {pid} --- [nio-8080-exec-{small}] c.e.{name}.{type}Controller : {word} failed',
    body: [
      '{day} {clock}.456  INFO {pid} --- [scheduling-{small}] c.e.{name}.{type}Job : {word}ed {num} rows in {ms} ms',
      '{day} {clock}.789  WARN {pid} --- [pool-{small}-thread-{small}] c.e.{name}.{type}Client : retry {small} of 5, trace {hex16}',
      '{day} {clock}.001 DEBUG {pid} --- [http-nio-{port}] o.s.w.s.DispatcherServlet : GET "/api/v1/{name}/{id}?page={small}", parameters=[masked]',
    ],
    lines: [5, 40],
  },
  {
    // A Go test failure.
    head: '--- FAIL: Test{type}{word} (0.{small}s)',
    body: [
      '    {name}_test.go:{line}: got {num}, want {num}',
      '        \tError Trace:\t/go/src/app/{name}/{word}_test.go:{line}',
      '        \tError:      \tNot equal: expected: {num} actual  : {num}',
      'panic: runtime error: index out of range [{small}] with length {small}',
      'goroutine {id} [running]:',
      'app/{name}.(*{type}).{word}({ptr}, {ptr})',
      '\t/go/src/app/{name}/{word}.go:{line} +{ptr}',
    ],
    lines: [4, 16],
  },
  {
    // A Rust panic.
    head: "thread '{name}::tests::{word}' panicked at crates/{name}/src/{word}.rs:{line}:{col}:\nassertion `left == right` failed\n  left: {num}\n right: {num}",
    body: [
      'error[E0308]: mismatched types\n   --> crates/{name}/src/{word}.rs:{line}:{col}',
      '   {small}: {name}::{word}::{type}::{word}\n             at ./src/{name}/{word}.rs:{line}:{col}',
      '   {small}: core::panicking::assert_failed_inner\n             at /rustc/{sha}/library/core/src/panicking.rs:{line}:{col}',
    ],
    lines: [3, 18],
  },
  {
    // A .NET stack trace.
    head: 'System.Net.Http.HttpRequestException: Response status code does not indicate success: {status5} (Internal Server Error).',
    body: [
      '   at System.Net.Http.HttpResponseMessage.EnsureSuccessStatusCode()',
      '   at Acme.{type}.{type}Client.{word}Async(Guid id) in /src/Acme.{type}/{type}Client.cs:line {line}',
      '   at Xunit.Sdk.TestInvoker`1.<>c__DisplayClass47_0.<<InvokeTestMethodAsync>b__1>d.MoveNext() in /_/src/xunit.execution/Sdk/TestInvoker.cs:line {line}',
    ],
    lines: [3, 12],
  },
  {
    // A Ruby failure.
    head: 'Failure/Error: expect({name}.{word}).to eq({num})\n\n  expected: {num}\n       got: {num}',
    body: [
      "# ./spec/models/{name}_spec.rb:{line}:in `block (3 levels) in <top (required)>'",
      "# /usr/local/bundle/gems/activerecord-7.1.{small}/lib/active_record/{word}.rb:{line}:in `{word}'",
      'rspec ./spec/models/{name}_spec.rb:{line} # {type} {word}s the {name}',
    ],
    lines: [3, 12],
  },
  {
    // An HTTP access log.
    head: '{ip} - - [12/Jan/2026:{clock} +0000] "GET /api/{name}/{id} HTTP/1.1" {status5} {num}',
    body: [
      '{ip} - - [12/Jan/2026:{clock} +0000] "POST /api/{name} HTTP/1.1" 201 {num} "-" "curl/8.5.0"',
      '{ip} - - [12/Jan/2026:{clock} +0000] "GET /static/app.{hex8}.js HTTP/2.0" 200 {num} "https://{host}/" "Mozilla/5.0"',
      '{ip} - - [12/Jan/2026:{clock} +0000] "DELETE /api/{name}/{uuid} HTTP/1.1" {status4} {num}',
    ],
    lines: [10, 60],
  },
  {
    // Structured logs.
    head: '{"level":"error","time":"{ts}","pid":{pid},"msg":"{word} {name} failed","err":{"type":"Error","code":"ETIMEDOUT"}}',
    body: [
      '{"level":"info","time":"{ts}","pid":{pid},"reqId":"{uuid}","method":"GET","url":"/{name}/{id}","status":200,"ms":{ms}}',
      '{"level":"warn","time":"{ts}","pid":{pid},"trace_id":"{digest}","msg":"slow {word}","ms":{ms}}',
      '{"level":"debug","time":"{ts}","pid":{pid},"cache":"miss","name":"{name}:{id}","size":{num}}',
    ],
    lines: [8, 50],
  },
  {
    // A container and its orchestrator.
    head: 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\n  Started: {ts}',
    body: [
      'Warning  BackOff  {small}m (x{small} over {small}m)  kubelet  Back-off restarting failed container {name} in pod {name}-{hex8}-x{small}',
      'Normal   Pulled   {small}m  kubelet  Container image "registry.example/{name}@sha256:{digest}" already present',
      '[{num}.{num}] oom-kill:constraint=CONSTRAINT_MEMCG,task={name},pid={pid},uid=1000',
      'container {digest} exited with code 137',
    ],
    lines: [3, 14],
  },
  {
    // A database log.
    head: 'ERROR:  duplicate key value violates unique constraint "{name}_pkey"\nDETAIL:  Key (id)=({id}) already exists.',
    body: [
      '{day} {clock}.101 UTC [{pid}] LOG:  duration: {ms}.{small} ms  statement: SELECT * FROM {name} WHERE id = {id}',
      '{day} {clock}.202 UTC [{pid}] FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute',
      'CONTEXT:  SQL function "{word}_{name}" statement {small}',
    ],
    lines: [4, 20],
  },
  {
    // Compiler errors.
    head: 'src/{name}/{word}.ts({line},{col}): error TS2345: Argument of type "string" is not assignable to parameter of type "{type}".',
    body: [
      'src/{name}/{word}.ts({line},{col}): error TS2339: Property "{word}" does not exist on type "{type}".',
      '/usr/src/{name}/{word}.c:{line}:{col}: error: implicit declaration of function "{word}_{name}"',
      '      |         ^~~~~~~~',
      'make[{small}]: *** [Makefile:{line}: {name}.o] Error 1',
    ],
    lines: [3, 20],
  },
  {
    // Lines of a package manager and of a CI service.
    head: '##[error]Process completed with exit code 1.\nnpm error code ELIFECYCLE\nnpm error errno 1',
    body: [
      '{ts} [command]/usr/bin/git checkout --progress --force {sha}',
      '{ts} Downloading {name}-{small}.{small}.{small}.tar.gz ({num} kB)',
      '{ts} \u001b[32m✓\u001b[39m tests/{name}/{word}.test.ts \u001b[2m({small} tests)\u001b[22m \u001b[33m{ms}\u001b[39mms',
      '{ts} \u001b[31m×\u001b[39m {type} > {word}s the {name} \u001b[33m{ms}ms\u001b[39m',
    ],
    lines: [8, 40],
  },
  {
    // A mock that was not called as expected.
    head: 'NetConnectNotAllowedError: Nock: No match for request GET https://{host}/v2/{name}/{uuid}',
    body: [
      '  "method": "GET", "url": "https://{host}/v2/{name}/{uuid}", "headers": { "accept": "application/json" }',
      '    at matchBody (/app/node_modules/nock/lib/match_body.js:{line}:{col})',
      'Wanted but not invoked: {name}Repository.{word}({id}); at {type}Test.java:{line}',
    ],
    lines: [3, 10],
  },
];
