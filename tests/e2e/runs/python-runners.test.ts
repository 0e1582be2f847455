/** argus_run with the runners of Python behind other programs, above all those that measure coverage. */

import { execSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment, project, runnerProject } from '../harness.ts';
import { pythonFolder } from '../setup.mjs';
import { has, PATH } from './installed.ts';
import { agent, opened, totals } from './runners-agent.ts';

const UNITTEST = '-m unittest discover -s tests';

function write(root: string, files: Record<string, string>) {
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
}

/** What the command leaves in the project's data of coverage. */
function measured(root: string): string {
  return execSync('coverage report', { cwd: root, env: environment({ PATH }), encoding: 'utf8' });
}

function runBare(root: string, command: string) {
  execSync(`${command} || true`, { cwd: root, env: environment({ PATH }), stdio: 'ignore', shell: '/bin/sh' });
}

describe.skipIf(process.platform === 'win32')('what measures coverage', () => {
  test.each([
    ['unittest', `coverage run ${UNITTEST}`],
    ['unittest', `python -m coverage run --branch --source=tests ${UNITTEST}`],
    ['django', 'coverage run manage.py test'],
    ['django', 'python -m coverage run --source=shop manage.py test --parallel 2'],
    ['pytest', 'coverage run -m pytest'],
  ])('runs %s, case by case, and measures nothing else: %s', async (folder, command) => {
    const { root } = await opened(runnerProject(folder));
    runBare(root, command);
    const bare = measured(root);
    const run = await agent.data('argus_run', { projectPath: root, command });
    expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
    expect(run.failures).toMatchObject([{ headline: expect.stringMatching(/^(?:AssertionError: 2 != 3|assert)/u) }]);
    expect(measured(root)).toBe(bare);
  });
});

test.skipIf(!has('make')).each([
  ['a recipe of make', 'make test'],
  ['a script', 'npm test'],
  ['tox', 'tox -e py'],
  ['a program of its own', 'python check.py'],
])('unittest is read case by case in %s', async (_, command) => {
  const root = runnerProject('unittest');
  const python = path.join(pythonFolder, 'bin', 'python');
  write(root, {
    Makefile: `test:\n\tcoverage run ${UNITTEST}\n`,
    'package.json': JSON.stringify({ scripts: { test: `coverage run ${UNITTEST}` } }),
    'tox.ini': `[testenv]\nskip_install = true\nallowlist_externals = *\ncommands = ${python} -m coverage run ${UNITTEST}\n`,
    'check.py': "import unittest\n\nunittest.main('test_sum', argv=['check', '-v'])\n",
  });
  await opened(root);
  const PYTHONPATH = command.startsWith('python ') ? 'PYTHONPATH=tests ' : '';
  const run = await agent.data('argus_run', { projectPath: root, command: `${PYTHONPATH}${command}` });
  expect(run, JSON.stringify(run)).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(run.failures).toMatchObject([
    { caseName: 'tests/test_sum.py > test_sum.TestSum > test_is_wrong', headline: 'AssertionError: 2 != 3' },
  ]);
});

test('a doctest that unittest loads is named after what it documents, and told by what its example did', async () => {
  const root = project({
    'price.py': `def total(items):
    """
    >>> total([1, 2])
    4
    """
    return sum(items)


class Cart:
    """
    >>> Cart().open()
    """

    def open(self):
        raise KeyError("door")


def fine():
    """
    >>> fine()
    """
`,
    'test_price.py': `import doctest


def load_tests(loader, tests, ignore):
    tests.addTests(doctest.DocTestSuite("price"))
    return tests
`,
  });
  await opened(root);
  const command = 'python3 -m unittest test_price';
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run.totals).toMatchObject({ passed: 1, failed: 2 });
  expect(run.failures, JSON.stringify(run.failures)).toMatchObject([
    { caseName: 'price.py > price.Cart', headline: "KeyError: 'door'", testPlace: 'price.py:15' },
    { caseName: 'price.py > price.total', message: expect.stringMatching(/4\nGot:\n3/u), testPlace: 'price.py:3' },
  ]);
});

test('every unittest of a program is read, and none that a test starts', async () => {
  const root = project({
    'test_own.py': `import subprocess, sys, unittest


class Own(unittest.TestCase):
    def test_starts_others(self):
        suite = unittest.defaultTestLoader.loadTestsFromName("inner.Inner")
        self.assertFalse(unittest.TextTestRunner(stream=open("inner.txt", "w")).run(suite).wasSuccessful())
        self.assertEqual(subprocess.call([sys.executable, "-m", "unittest", "inner"]), 1)
`,
    'inner.py':
      'import unittest\n\n\nclass Inner(unittest.TestCase):\n    def test_fails(self):\n        self.fail("within")\n',
    'test_more.py':
      'import unittest\n\n\nclass More(unittest.TestCase):\n    def test_more(self):\n        self.assertEqual(1, 2)\n',
    'check.py':
      'import unittest\n\n\nclass Runner(object):\n    def run(self, suite):\n        suite(unittest.TestResult())\n\n\nfor name in ("test_own", "test_more"):\n    Runner().run(unittest.defaultTestLoader.loadTestsFromName(name))\n',
  });
  await opened(root);
  const run = await agent.data('argus_run', { projectPath: root, command: 'python check.py' });
  expect(run, JSON.stringify(run)).toMatchObject({ totals: { passed: 1, failed: 1 } });
  expect(run.failures).toMatchObject([{ caseName: 'test_more.py > test_more.More > test_more' }]);
});

test('what the project has Python load at its start is loaded', async () => {
  const root = project({
    'sitecustomize.py': 'import os\n\nos.environ["SHOP"] = "open"\n',
    'test_shop.py': `import os, sys, unittest


class Shop(unittest.TestCase):
    def test_is_open(self):
        self.assertEqual(os.environ["SHOP"], "open")

    def test_sees_its_own_path(self):
        self.assertEqual([entry for entry in sys.path if "reporters" in entry], [])
        self.assertEqual(sys.modules["sitecustomize"].__file__, os.path.abspath("sitecustomize.py"))
`,
  });
  await opened(root);
  const own = `PYTHONPATH='${root}'`;
  const run = await agent.data('argus_run', { projectPath: root, command: `${own} python -m unittest` });
  expect(run, JSON.stringify(run)).toMatchObject({ status: 'passed', totals: { passed: 2, failed: 0 } });
  const pytest = await agent.data('argus_run', { projectPath: root, command: `${own} python -m pytest` });
  expect(pytest).toMatchObject({ status: 'passed', totals: { passed: 2, failed: 0 }, notes: [] });
});
