/** Detects the test command of Python projects. */

import { filesNamed, hasFile as has, projectFile } from '../../../system/files/project-file.ts';
import type { Machine } from './machine.ts';

/** Folders of tests, relative to the root of the project. */
const TEST_FOLDERS = ['.', 'tests', 'test'];

export function python(root: string, machine: Machine): string | undefined {
  if (mentionsPytest(root)) return pytest(root, machine);
  if (/\bdjango\b/u.test(projectFile(root, 'manage.py') ?? '')) return `${interpreter(root, machine)} manage.py test`;
  const files = filesNamed(root, TEST_FOLDERS, /^test_.+\.py$|_test\.py$/u);
  const isUnittest = (file: string) => isOfUnittest(projectFile(root, file) ?? '');
  if (files.some((file) => !isUnittest(file))) return pytest(root, machine);
  // Below `src`, only files that unittest finds count. pytest searches all folders by itself.
  const found = [...files, ...filesNamed(root, [...TEST_FOLDERS, 'src'], /^test.*\.py$/u)].filter(isUnittest);
  const [first] = found;
  return first === undefined ? undefined : `${interpreter(root, machine)} -m unittest${startOf(root, first)}`;
}

/** Tests outside a package are found only from their own folder. */
function startOf(root: string, file: string): string {
  const folder = file.includes('/') ? file.split('/', 1)[0] : undefined;
  return folder === undefined || has(root, `${folder}/__init__.py`) ? '' : ` discover -s ${folder}`;
}

function isOfUnittest(text: string): boolean {
  return /^\s*(?:import|from) unittest\b/mu.test(text) && !/^\s*(?:import|from) pytest\b/mu.test(text);
}

function pytest(root: string, machine: Machine): string {
  if (environment(root, machine) === undefined) {
    if (has(root, 'uv.lock') && machine.has('uv')) return 'uv run pytest';
    if (has(root, 'poetry.lock') && machine.has('poetry')) return 'poetry run pytest';
  }
  return `${interpreter(root, machine)} -m pytest`;
}

function interpreter(root: string, machine: Machine): string {
  const own = environment(root, machine);
  if (own !== undefined) return own;
  return machine.has('python') || machine.platform === 'win32' ? 'python' : 'python3';
}

/** The Python of the project's virtual environment. */
function environment(root: string, { platform }: Machine): string | undefined {
  const programs = ['.venv', 'venv'].map((folder) =>
    platform === 'win32' ? `${folder}\\Scripts\\python.exe` : `${folder}/bin/python`,
  );
  return programs.find((program) => has(root, program));
}

function mentionsPytest(root: string): boolean {
  if (has(root, 'pytest.ini') || has(root, 'conftest.py') || has(root, 'tests/conftest.py')) return true;
  const mentions = [
    { file: 'pyproject.toml', pattern: /pytest/u },
    { file: 'setup.cfg', pattern: /^\[tool:pytest\]/mu },
    { file: 'tox.ini', pattern: /\bpytest\b/u },
    { file: 'requirements-dev.txt', pattern: /^pytest\b/mu },
  ];
  return mentions.some(({ file, pattern }) => pattern.test(projectFile(root, file) ?? ''));
}
