// Writes reports in the formats of the runners. A case is `{ file, suite, name, status, type, message, text }`; `root` is the
// folder of the project.

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' };
const xml = (text) => text.replace(/[&<>"]/g, (character) => ESCAPES[character]);
const attribute = (text) => text.replace(/[&<>"\n]/g, (character) => ESCAPES[character]);
const headOf = (text) => text.split('\n').find((line) => line.trim() !== '') ?? '';
const failed = (cases) => cases.filter(({ status }) => status === 'failed').length;

/** Duration of a case, derived from its name. */
const seconds = ({ name, file }) => (((name.length * 37 + file.length * 91) % 900) / 1000).toFixed(3);

function grouped(cases) {
  const files = new Map();
  for (const one of cases) files.set(one.file, [...(files.get(one.file) ?? []), one]);
  return [...files];
}

function testcase(one, attributes, body) {
  const head = `<testcase ${attributes} time="${seconds(one)}"`;
  if (one.status === 'skipped') return `${head}><skipped/></testcase>`;
  return one.status === 'passed' ? `${head}></testcase>` : `${head}>${body}</testcase>`;
}

/** A `<failure>` with message, type and stack. */
function failure(one, tag = 'failure') {
  const type = one.type === undefined ? '' : ` type="${attribute(one.type)}"`;
  return `<${tag} message="${attribute(one.message ?? headOf(one.text))}"${type}>${xml(one.text)}</${tag}>`;
}

function suites(name, cases, at, suite) {
  const inner = grouped(cases).map(([file, some]) => {
    const counts = `tests="${some.length}" failures="${failed(some)}" errors="0"`;
    const stamp = new Date(at).toISOString().slice(0, 19);
    return `<testsuite name="${attribute(file)}" timestamp="${stamp}" ${counts}>\n${some.map(suite).join('\n')}\n</testsuite>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}">\n${inner.join('\n')}\n</testsuites>\n`;
}

const junit = (name, attributes, body = failure) => ({
  extension: 'xml',
  write: ({ cases, root, at }) => suites(name, cases, at, (one) => testcase(one, attributes(one, root), body(one))),
});

const dotted = (file) => file.replace(/\.\w+$/, '').replaceAll('/', '.');

function vitestBody(one) {
  return failure({ ...one, message: headOf(one.text).replace(/^\w*Error: /, '') });
}

/** CTest writes the output of the process and no message. */
const ctestBody = (one) => `<failure message=""/><system-out>${xml(one.text)}</system-out>`;

/** nextest writes the panic both as the failure and as standard error. */
function nextestBody(one) {
  const [, message] = one.text.split('\n');
  const place = headOf(one.text);
  return `<failure message="${attribute(`${place}\n${message}`)}" type="test failure">${xml(one.text)}</failure><system-err>\n${xml(one.text)}\n</system-err>`;
}

function jestJson({ cases, root, at }) {
  const testResults = grouped(cases).map(([file, some]) => ({
    assertionResults: some.map((one) => ({
      ancestorTitles: one.suite,
      duration: Number(seconds(one)) * 1000,
      failureMessages: one.status === 'failed' ? [one.text] : [],
      fullName: [...one.suite, one.name].join(' '),
      location: null,
      status: one.status === 'skipped' ? 'pending' : one.status,
      title: one.name,
    })),
    startTime: at,
    endTime: at + 900,
    message: '',
    name: `${root}/${file}`,
    status: failed(some) > 0 ? 'failed' : 'passed',
  }));
  const numFailedTests = failed(cases);
  const numTotalTests = cases.length;
  return `${JSON.stringify({ numFailedTests, numTotalTests, startTime: at, success: numFailedTests === 0, testResults })}\n`;
}

function ctrf({ cases, root, at }) {
  const tests = cases.map((one) => ({
    name: one.name,
    duration: Number(seconds(one)) * 1000,
    status: one.status,
    ...(one.status === 'failed' ? { message: headOf(one.text), trace: one.text } : {}),
    filePath: `${root}/${one.file}`,
    retries: 0,
    flaky: false,
    suite: [one.file, ...one.suite].join(' > '),
  }));
  const summary = { tests: cases.length, failed: failed(cases), start: at, stop: at + 9_000 };
  return `${JSON.stringify({ reportFormat: 'CTRF', specVersion: '0.0.0', results: { tool: { name: 'playwright' }, summary, tests } }, null, 1)}\n`;
}

/** CTRF with the name and the text only, because JUnit XML cannot hold the control characters of recorded texts. */
function plain({ cases, at }) {
  const tests = cases.map((one) => ({
    name: one.name,
    status: one.status,
    duration: Number(seconds(one)) * 1000,
    ...(one.status === 'failed' ? { message: one.text } : {}),
  }));
  const summary = { tests: cases.length, failed: failed(cases), start: at, stop: at + 9_000 };
  return `${JSON.stringify({ reportFormat: 'CTRF', specVersion: '0.0.0', results: { tool: { name: 'tests' }, summary, tests } })}\n`;
}

function goJson({ cases, at }) {
  const lines = [];
  const add = (Action, one, more) => {
    const Time = new Date(at + lines.length).toISOString();
    lines.push(
      JSON.stringify({
        Time,
        Action,
        Package: `example.com/shop/stock/${one.file.split('/').at(-1)}`,
        Test: one.name,
        ...more,
      }),
    );
  };
  for (const one of cases) {
    const mark = { passed: 'PASS', failed: 'FAIL', skipped: 'SKIP' }[one.status];
    add('run', one);
    add('output', one, { Output: `=== RUN   ${one.name}\n` });
    if (one.status === 'failed')
      for (const line of one.text.split(/(?<=\n)/))
        add('output', one, { Output: line.endsWith('\n') ? line : `${line}\n` });
    add('output', one, { Output: `--- ${mark}: ${one.name} (${seconds(one)}s)\n` });
    add(mark.toLowerCase(), one, { Elapsed: Number(seconds(one)) });
  }
  return `${lines.join('\n')}\n`;
}

/** The TAP of node:test, with a subtest for the suite of each file. */
function nodeTap({ cases, root }) {
  const blocks = grouped(cases).map(([file, some], index) => {
    const inner = some.map((one, at) => {
      const line = `${one.status === 'failed' ? 'not ok' : 'ok'} ${at + 1} - ${one.name}${one.status === 'skipped' ? ' # SKIP' : ''}`;
      const [message, ...stack] = one.status === 'failed' ? one.text.split(/\n(?= {4}at )/) : [''];
      const details =
        one.status === 'failed'
          ? [
              `location: '${root}/${file}:1:3'`,
              "failureType: 'testCodeFailure'",
              'error: |-',
              ...message.split('\n').map((text) => `  ${text}`),
              "code: 'ERR_TEST_FAILURE'",
              `name: '${one.type}'`,
              'stack: |-',
              ...stack.map((frame) => `  ${frame.replace(/^ {4}at /, '')}`),
            ]
          : [];
      const yaml = ['---', `duration_ms: ${Number(seconds(one)) * 1000}`, ...details, '...'].map(
        (text) => `      ${text}`,
      );
      return [`    # Subtest: ${one.name}`, `    ${line}`, ...yaml].join('\n');
    });
    const [suite] = some[0].suite;
    const mark = failed(some) > 0 ? 'not ok' : 'ok';
    return `# Subtest: ${suite}\n${inner.join('\n')}\n    1..${some.length}\n${mark} ${index + 1} - ${suite}\n  ---\n  duration_ms: 12.5\n  location: '${root}/${file}:1:1'\n  type: 'suite'\n  ...`;
  });
  return `TAP version 13\n${blocks.join('\n')}\n1..${blocks.length}\n`;
}

function batsTap({ cases }) {
  const lines = cases.map((one, at) => {
    if (one.status === 'skipped') return `ok ${at + 1} ${one.name} # skip not today`;
    if (one.status === 'passed') return `ok ${at + 1} ${one.name}`;
    return [`not ok ${at + 1} ${one.name}`, ...one.text.split('\n').map((line) => `# ${line}`)].join('\n');
  });
  return `1..${cases.length}\n${lines.join('\n')}\n`;
}

/** Writers by the name that `report` has in templates.mjs. */
export const REPORTS = {
  'vitest-junit': junit(
    'vitest tests',
    (one) => `classname="${attribute(one.file)}" name="${attribute([...one.suite, one.name].join(' > '))}"`,
    vitestBody,
  ),
  'mocha-junit': junit(
    'Mocha Tests',
    (one) =>
      `name="${attribute([...one.suite, one.name].join(' '))}" classname="${attribute(one.name)}" file="${one.file}"`,
  ),
  'pytest-junit': junit(
    'pytest tests',
    (one) => `classname="${[dotted(one.file), ...one.suite].join('.')}" name="${attribute(one.name)}"`,
    (one) => failure(one, one.tag),
  ),
  'nextest-junit': junit('nextest-run', (one) => `name="${attribute(one.name)}" classname="ledger"`, nextestBody),
  'surefire-junit': junit('surefire', (one) => `name="${one.name}" classname="${one.file}"`),
  'rspec-junit': junit(
    'rspec',
    (one) =>
      `classname="${dotted(one.file)}" name="${attribute([...one.suite, one.name].join(' '))}" file="./${one.file}"`,
  ),
  'phpunit-junit': junit(
    'phpunit',
    (one, root) =>
      `name="${one.name}" class="App\\${one.file.split('/').at(-1).replace('.php', '')}" file="${root}/${one.file}" line="12"`,
  ),
  'ctest-junit': junit(
    'ctest',
    (one) => `name="${one.name}" classname="${one.name}" status="${one.status === 'failed' ? 'fail' : 'run'}"`,
    ctestBody,
  ),
  plain: { extension: 'json', write: plain },
  'jest-json': { extension: 'json', write: jestJson },
  ctrf: { extension: 'json', write: ctrf },
  'go-json': { extension: 'json', write: goJson },
  'node-tap': { extension: 'tap', write: nodeTap },
  'bats-tap': { extension: 'tap', write: batsTap },
};
