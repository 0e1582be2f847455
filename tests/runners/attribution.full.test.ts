/** Verdicts, causes and places in small projects with real test runners, each of which reports failures differently. */

import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DiagnosticResult, RunResult } from 'argus-engine';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { createRepository } from '../e2e/fix-loop/fix-loop.ts';
import { nodePrograms } from '../e2e/setup.mjs';
import { type ProgramName, RUNNER_PATH, skipWithoutPrograms } from './installed.ts';

interface SmallProject {
  programs: ProgramName[];
  command: string;
  files: Record<string, string>;
}

/** Opens a committed project with the `node_modules` of the test runners. */
function openSmallProject({ programs, command, files }: SmallProject, skip: (note: string) => void) {
  skipWithoutPrograms(programs, skip);
  const root = createRepository({ '.gitignore': 'node_modules\n__pycache__\n.pytest_cache\ntarget\n', ...files });
  symlinkSync(path.dirname(nodePrograms), path.join(root, 'node_modules'));
  const file = (name: string) => path.join(root, name);
  const data = async (...args: string[]) =>
    JSON.parse((await argus(args, { cwd: root, env: { PATH: RUNNER_PATH } })).stdout).data;
  return {
    root,
    run: (): Promise<RunResult> => data('run', '--json', command),
    diagnose: ({ runId }: RunResult, name: string): Promise<DiagnosticResult> =>
      data('diagnose', '--json', runId, name),
    data,
    edit: (name: string, from: string, to: string) =>
      writeFileSync(file(name), readFileSync(file(name), 'utf8').replace(from, to)),
  };
}

const PYTEST_COMMAND = 'python -m pytest -q';

const PAIR_TESTS = `
import pytest
from pairs import check

@pytest.mark.parametrize("n", range(60))
def test_plain(n):
    assert n >= 0

@pytest.mark.parametrize("n", range(30))
def test_check(n):
`;

const SINGLE_EDITS: Record<string, SmallProject & { edit: [file: string, from: string, to: string]; causes: number }> =
  {
    'one of 202 tests': {
      programs: ['pytest'],
      command: PYTEST_COMMAND,
      files: {
        'money.py': 'def net(gross, tax):\n    return gross - tax\n',
        'test_money.py': `
import pytest
from money import net

def test_net():
    assert net(100, 20) == 80

@pytest.mark.parametrize("n", range(201))
def test_plain(n):
    assert n >= 0
`,
      },
      edit: ['money.py', 'gross - tax', 'gross + tax'],
      causes: 1,
    },
    'tests that name no error': {
      programs: ['pytest'],
      command: PYTEST_COMMAND,
      files: {
        'pairs.py': 'def check(*pairs):\n    if len(pairs) % 2 != 0:\n        return "odd"\n',
        'test_pairs.py': `${PAIR_TESTS}    err = check(*range(2 * n))\n    if err:\n        pytest.fail("Check error: " + err)\n`,
      },
      edit: ['pairs.py', '!= 0', '== 0'],
      causes: 1,
    },
    'one raise with other words each time': {
      programs: ['pytest'],
      command: PYTEST_COMMAND,
      files: {
        'pairs.py':
          'def check(*pairs):\n    if len(pairs) % 2 != 0:\n        raise ValueError(f"not in pairs: {list(pairs)}")\n    return len(pairs)\n',
        'test_pairs.py': `${PAIR_TESTS}    assert check(*range(2 * n)) == 2 * n\n`,
      },
      edit: ['pairs.py', '!= 0', '== 0'],
      causes: 1,
    },
    'a comparison and a nil pointer in Go': {
      programs: ['go'],
      command: 'go test ./...',
      files: {
        'go.mod': 'module example.com/pairs\n\ngo 1.18\n',
        'pairs.go': `package pairs

import "fmt"

func Check(pairs ...string) (int, error) {
	if len(pairs)%2 != 0 {
		return len(pairs), fmt.Errorf("not in pairs: %v", pairs)
	}
	return len(pairs), nil
}

type Box struct{ n int }

func New(pairs ...string) *Box {
	n, err := Check(pairs...)
	if err != nil {
		return nil
	}
	return &Box{n}
}
`,
        'pairs_test.go': `package pairs

import (
	"fmt"
	"testing"
)

func TestCheck(t *testing.T) {
	for i := 0; i < 30; i++ {
		t.Run(fmt.Sprintf("case %d", i), func(t *testing.T) {
			if _, err := Check(make([]string, 2*i)...); err != nil {
				t.Errorf("(case %d) Check error: %v", i, err)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	for i := 0; i < 60; i++ {
		t.Run(fmt.Sprintf("plain %d", i), func(t *testing.T) {})
	}
}

func TestNew(t *testing.T) {
	if New("a", "b").n != 2 {
		t.Error("expected 2")
	}
}
`,
      },
      edit: ['pairs.go', '%2 != 0', '%2 == 0'],
      causes: 2,
    },
  };

test.for(Object.entries(SINGLE_EDITS))('an edit is a regression at once: %s', async ([, project], { skip }) => {
  const { run, diagnose, edit } = openSmallProject(project, skip);
  expect((await run()).status).toBe('passed');
  edit(...project.edit);
  const red = await run();
  const [file] = project.edit;
  expect(red).toMatchObject({ status: 'failed', sinceGreen: { commits: 0, edited: [file] } });
  expect(red.causes.map(({ verdict }) => verdict?.kind)).toEqual(Array(project.causes).fill('regression'));
  const { verdict, suspects } = await diagnose(red, red.failures[0]?.caseName ?? '');
  expect(verdict?.because[0]).toContain(`${file} was edited`);
  expect(suspects).toBeUndefined();
});

test('an error in a callback is placed in the test that defines the callback', async ({ skip }) => {
  const recipe = (name: string, line: string) =>
    `test('${name}', () => {\n  produce({}, (draft) => {\n    ${line}\n  });\n});\n`;
  const { run } = openSmallProject(
    {
      programs: ['node'],
      command: 'node --test',
      files: {
        'package.json': '{"type":"module"}',
        'src/produce.js':
          'export function produce(base, recipe) {\n  const draft = { ...base };\n  recipe(draft);\n  return draft;\n}\n',
        'test/a.test.js': [
          "import { test } from 'node:test';\nimport { produce } from '../src/produce.js';\n",
          recipe('filter', 'new Map().entries().filterr(String);'),
          recipe('user', "draft.user.name = 'x';"),
          recipe('config', 'draft.timeout.value();'),
        ].join(''),
      },
    },
    skip,
  );
  const { causes } = await run();
  expect(causes.map(({ place }) => place).sort()).toEqual([
    'test/a.test.js:10',
    'test/a.test.js:15',
    'test/a.test.js:5',
  ]);
});

test('a pytest failure has the exception and its place', async ({ skip }) => {
  const { run } = openSmallProject(
    {
      programs: ['pytest'],
      command: PYTEST_COMMAND,
      files: {
        'timed.py':
          'class Expired(Exception):\n    pass\n\n\ndef unsign(value, max_age):\n    if 1 < max_age:\n        raise Expired("Signature age 1")\n    return value\n',
        'test_timed.py': 'from timed import unsign\n\n\ndef test_max_age():\n    assert unsign("x", 10) == "x"\n',
      },
    },
    skip,
  );
  const [failure] = (await run()).failures;
  expect(failure).toMatchObject({ place: 'timed.py:7', sourceLine: 'raise Expired("Signature age 1")' });
  expect(failure?.headline).toContain('Expired');
});

test('a Mocha failure shows the part in which the values differ', async ({ skip }) => {
  const fox = (last: string) => `'the quick brown fox jumps over the lazy ${last} and is gone'`;
  const { run } = openSmallProject(
    {
      programs: ['mocha'],
      command: 'mocha',
      files: {
        'package.json': '{"type":"module"}',
        'test/a.js': `import { expect } from 'chai';\nit('is long', () => { expect(${fox('dog')}).to.equal(${fox('cat')}); });\n`,
      },
    },
    skip,
  );
  const [failure] = (await run()).failures;
  expect(`${failure?.headline}\n${failure?.message}`).toMatch(/lazy dog[\s\S]*lazy cat|lazy cat[\s\S]*lazy dog/u);
});

test('a failing doctest fails the run even if nextest runs the other tests', async ({ skip }) => {
  const { run } = openSmallProject(
    {
      programs: ['cargo', 'nextest'],
      command: 'cargo test',
      files: {
        'Cargo.toml': '[package]\nname = "doct"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/lib.rs':
          '/// Doubles.\n/// ```\n/// assert_eq!(doct::double(2), 4);\n/// ```\npub fn double(n: i32) -> i32 { n + n + 1 }\n#[cfg(test)]\nmod t { #[test] fn ok() { assert!(true); } }\n',
      },
    },
    skip,
  );
  const { status, failures } = await run();
  expect(status).toBe('failed');
  expect(failures.map(({ caseName }) => caseName).join()).toContain('double');
});

test('a test that fails after another test of Vitest is order-dependent', async ({ skip }) => {
  const { root, run, data } = openSmallProject(
    {
      programs: ['vitest'],
      command: 'vitest run',
      files: {
        'package.json': '{"type":"module"}',
        // The file is ignored by git, because a random seed does not count as an edit either.
        '.gitignore': 'node_modules\nseed.txt\n',
        'vitest.config.ts': `import { readFileSync } from 'node:fs';
export default { test: { sequence: { shuffle: { tests: true }, seed: Number(readFileSync('seed.txt', 'utf8')) } } };
`,
        'order.test.ts': `import { expect, test } from 'vitest';
const state: { locale?: string } = {};
test('sets locale', () => { state.locale = 'de'; expect(state.locale).toBe('de'); });
test('default locale', () => { expect(state.locale ?? 'en').toBe('en'); });
test('other', () => { expect(1 + 1).toBe(2); });
test('more', () => { expect('a'.toUpperCase()).toBe('A'); });
`,
      },
    },
    skip,
  );
  for (let seed = 1; seed <= 10; seed++) {
    writeFileSync(path.join(root, 'seed.txt'), String(seed));
    await run();
  }
  const { tests } = await data('tests', '--json');
  const [name, polluter] = ['order.test.ts > default locale', 'order.test.ts > sets locale'];
  expect(tests).toMatchObject([{ caseName: name, state: 'order', polluter }]);
});
