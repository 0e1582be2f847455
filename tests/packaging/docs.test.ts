/** The manual: its links are valid, and its commands exist with their options. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DOCS = 'docs/manual';
/** The folder that the build copies it to. */
const PACKED_DOCS = 'packages/mcp/docs';
const PAGES = [
  'README.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  'docs/architecture.md',
  'docs/glossary.md',
  'crates/README.md',
  'npm/engine/README.md',
  'packages/mcp/CHANGELOG.md',
  'packages/mcp/README.md',
  ...readdirSync(join(root, DOCS)).map((name) => `${DOCS}/${name}`),
];

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Anchors of headings, in the way GitHub creates them. */
function anchorsOf(file: string): string[] {
  const headings = [...read(file).matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(PAGES)('links of %s are valid', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/gu)];
  const broken = links.filter(([, path = '', anchor]) => {
    const file = path === '' ? page : join(dirname(page), path).replace(PACKED_DOCS, DOCS);
    return !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

/** Pages that are published with a package. Their links must not leave it, because only the package is installed. */
const PACKED = PAGES.filter((page) => /^(?:packages\/mcp|npm\/engine|docs\/manual)\//u.test(page));

test.each(PACKED)('no relative link of %s leaves its package', (page) => {
  const [packageFolder = ''] = /^[^/]+\/[^/]+/u.exec(page) ?? [];
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)/gu)].map(([, path = '']) => path);
  const outside = links.filter((path) => !join(dirname(page), path).startsWith(`${packageFolder}/`));
  expect(outside).toEqual([]);
});

test('README has at most 500 words', () => {
  expect(read('README.md').split(/\s+/u).filter(Boolean).length).toBeLessThanOrEqual(500);
});

test('guides name only existing files and functions', () => {
  const text = read('docs/architecture.md');
  const paths = [
    ...[text, read('docs/glossary.md'), read('.github/CONTRIBUTING.md')]
      .join('\n')
      .matchAll(/`((?:crates|npm|packages|tests|\.\w+)\/[^`*]+)`/gu),
  ].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const steps = [...text.matchAll(/^\| `([^`]+)` \| `(\w+)` \|/gmu)];
  expect(steps.length).toBeGreaterThan(30);
  /** Matches a definition: a function, a method, a class, or the implementation of a trait. */
  const definition = (name: string) =>
    new RegExp(`fn ${name}\\b|${name} for |class ${name}\\b|^ *(?:export )?(?:async )?(?:function )?${name}[<(]`, 'mu');
  const moved = steps.filter(([, path = '', name = '']) => !definition(name).test(read(path)));
  expect(moved.map(([step]) => step)).toEqual([]);
});

/** The comment at the beginning of a source file. */
function headerOf(file: string): string {
  const text = read(file).replace(/^#!.*\n/u, '');
  return /^(?:\s*\/\*\*.*?\*\/|(?:\/\/[^\n]*\n)+|(?:#[^\n]*\n)+|\s*<!--.*?-->)/su.exec(text)?.[0] ?? '';
}

test('headers name only existing files', () => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => existsSync(join(root, file)));
  const sources = tracked.filter((file) =>
    /^(?:npm|packages|tests|scripts)\/.*\.(?:ts|mjs|cjs|svelte|py|rb)$/u.test(file),
  );
  const known = new Set(tracked.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(at).join('/'))));
  const named = sources.flatMap((file) =>
    [...headerOf(file).matchAll(/(?<![\w/.*-])[\w/-]+(?:\.[\w-]+)*\.(?:ts|mjs|rs|svelte)\b/gu)].map(([name]) => ({
      file,
      name,
    })),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
});

/** Each command of a shell block that calls this program, with its name and options. */
function commandsOf(page: string): { command: string; options: string[] }[] {
  const blocks = [...read(page).matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, text = '']) => text);
  const lines = blocks.flatMap((text) => text.split('\n').map((line) => line.split(/\s#\s/u)[0] ?? ''));
  return lines.flatMap((line) => {
    const found = /\b(?:argus|argus-mcp) ((?:(?:memory|team|token) )?[a-z][\w-]*)(.*)$/u.exec(line);
    if (found === null || / mcp add /u.test(line)) return [];
    const [, command = '', rest = ''] = found;
    const unquoted = rest.replaceAll(/"[^"]*"/gu, '');
    return [{ command, options: [...unquoted.matchAll(/--[a-z-]+/gu)].map(([option]) => option) }];
  });
}

const COMMANDS = PAGES.flatMap((page) => commandsOf(page).map((one) => ({ page, ...one })));

test('the manual shows commands', () => expect(COMMANDS.length).toBeGreaterThan(20));

test.each(COMMANDS)('$page: $command $options', async ({ command, options }) => {
  const { stdout } = await argus([...command.split(' '), '--help']);
  expect(stdout).toContain(`Usage: argus ${command}`);
  for (const option of options) expect(stdout).toContain(option);
});

test('every tool is in the manual and in both READMEs', () => {
  const tools = Object.keys(JSON.parse(read('packages/mcp/src/generated/tools.json')));
  const manual = PAGES.filter((page) => page.startsWith(DOCS))
    .map(read)
    .join('\n');
  expect(tools.filter((name) => !manual.includes(`| \`${name}\` |`))).toEqual([]);
  const readmes = ['README.md', 'packages/mcp/README.md'].map(read);
  expect(tools.filter((name) => !readmes.every((text) => text.includes(`\`${name}\``)))).toEqual([]);
});
