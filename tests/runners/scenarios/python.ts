/** Scenarios in which other programs start the runners of Python, mostly programs that measure coverage. */

import { execSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'vitest';
import { pythonFolder } from '../../e2e/setup.mjs';
import { USUAL_TOTALS } from '../runners.ts';
import type { Folder, Scenario } from '../scenario.ts';

const UNITTEST_ARGS = '-m unittest discover -s tests';

const COVERAGE_COMMANDS: { folder: Folder; command: string }[] = [
  { folder: 'unittest', command: `coverage run ${UNITTEST_ARGS}` },
  { folder: 'unittest', command: `python -m coverage run --branch --source=tests ${UNITTEST_ARGS}` },
  { folder: 'django', command: 'coverage run manage.py test' },
  { folder: 'django', command: 'python -m coverage run --source=shop manage.py test --parallel 2' },
  { folder: 'pytest', command: 'coverage run -m pytest' },
];

const COVERAGE_SCENARIOS: Scenario[] = COVERAGE_COMMANDS.map(({ folder, command }) => ({
  name: `${folder} is read case by case in ${command}, which measures nothing else`,
  folder,
  programs: ['coverage', 'pytest', 'django'],
  async play(stage) {
    const options = { cwd: stage.root, env: stage.env, encoding: 'utf8', stdio: 'pipe' } as const;
    const measured = () => execSync('coverage report', options);
    execSync(`${command} || true`, options);
    const alone = measured();
    const run = await stage.run({ command });
    expect(run).toMatchObject({ status: 'failed', totals: USUAL_TOTALS, notes: [] });
    expect(run.failures).toMatchObject([{ headline: expect.stringMatching(/^(?:AssertionError: 2 != 3|assert)/u) }]);
    expect(measured()).toBe(alone);
  },
}));

const PYTHON_PATH = path.join(pythonFolder, 'bin', 'python');

export const PYTHON_RUNNER_SCENARIOS: Scenario[] = [
  ...COVERAGE_SCENARIOS,
  {
    name: 'unittest is read case by case in a recipe of make, a script, tox, and a program of its own',
    programs: ['python', 'coverage', 'tox', 'make'],
    folder: 'unittest',
    files: {
      Makefile: `test:\n\tcoverage run ${UNITTEST_ARGS}\n`,
      'package.json': JSON.stringify({ scripts: { test: `coverage run ${UNITTEST_ARGS}` } }),
      'tox.ini': `[testenv]\nskip_install = true\nallowlist_externals = *\ncommands = ${PYTHON_PATH} -m coverage run ${UNITTEST_ARGS}\n`,
      'check.py': "import unittest\n\nunittest.main('test_sum', argv=['check', '-v'])\n",
    },
    async play(stage) {
      for (const command of ['make test', 'npm test', 'tox -e py', 'PYTHONPATH=tests python check.py']) {
        const run = await stage.run({ command });
        expect(run, command).toMatchObject({ status: 'failed', totals: USUAL_TOTALS, notes: [] });
        expect(run.failures, command).toMatchObject([
          { caseName: 'tests/test_sum.py > test_sum.TestSum > test_is_wrong', headline: 'AssertionError: 2 != 3' },
        ]);
      }
    },
  },
  {
    name: 'every unittest of a program is read, and none that a test starts',
    programs: ['python'],
    files: {
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
    },
    async play(stage) {
      expect(await stage.run({ command: 'python check.py' })).toMatchObject({
        totals: { passed: 1, failed: 1 },
        failures: [{ caseName: 'test_more.py > test_more.More > test_more' }],
      });
    },
  },
  {
    name: 'what the project has Python load at its start is loaded',
    programs: ['pytest', 'python'],
    files: {
      'sitecustomize.py': 'import os\n\nos.environ["SHOP"] = "open"\n',
      'test_shop.py': `import os, sys, unittest


class Shop(unittest.TestCase):
    def test_is_open(self):
        self.assertEqual(os.environ["SHOP"], "open")

    def test_sees_its_own_path(self):
        self.assertEqual([entry for entry in sys.path if "reporters" in entry], [])
        self.assertEqual(sys.modules["sitecustomize"].__file__, os.path.abspath("sitecustomize.py"))
`,
    },
    async play(stage) {
      for (const module of ['unittest', 'pytest']) {
        const run = await stage.run({ command: `PYTHONPATH='${stage.root}' python -m ${module}` });
        expect(run, module).toMatchObject({ status: 'passed', totals: { passed: 2, failed: 0 }, notes: [] });
      }
    },
  },
];
