/**
 * Tells which folders are members of a workspace, as its manifest lists them: npm, yarn, bun, pnpm, Deno, Cargo, uv,
 * Go, Maven and Gradle. The members themselves are not read.
 */

import stripJsonComments from 'strip-json-comments';
import { projectFile } from '../system/files/project-file.ts';
import { readYaml } from '../system/files/yaml.ts';

/** The entries of a manifest: folders or glob patterns. Entries with `!` in front are excluded. */
type Members = readonly unknown[];

interface Manifest {
  file: string;
  members(text: string): Members | Promise<Members>;
}

const MANIFESTS: readonly Manifest[] = [
  { file: 'package.json', members: (text) => npmMembers(at(JSON.parse(text), 'workspaces')) },
  {
    file: 'pnpm-workspace.yaml',
    members: async (text) => list(at((await readYaml(text)).value, 'packages')),
  },
  ...['deno.json', 'deno.jsonc'].map((file) => ({
    file,
    members: (text: string) =>
      npmMembers(at(JSON.parse(stripJsonComments(text, { trailingCommas: true })), 'workspace')),
  })),
  { file: 'Cargo.toml', members: async (text) => tomlMembers(at(await parseToml(text), 'workspace')) },
  {
    file: 'pyproject.toml',
    members: async (text) => tomlMembers(at(await parseToml(text), 'tool', 'uv', 'workspace')),
  },
  { file: 'go.work', members: goMembers },
  { file: 'pom.xml', members: (text) => captured(text, /<module>\s*([^<]+?)\s*<\/module>/gu) },
  ...['settings.gradle', 'settings.gradle.kts'].map((file) => ({ file, members: gradleMembers })),
];

/** True when the folder, a path relative to the workspace, is a member of the workspace or lies in a member. */
export async function isMember(workspace: string, folder: string): Promise<boolean> {
  const segments = folder.split(/[\\/]/u);
  const around = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  for (const { file, members } of MANIFESTS) {
    const text = projectFile(workspace, file);
    const patterns = text === undefined ? [] : await membersOf(members, text);
    const excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
    const included = patterns.filter((pattern) => !pattern.startsWith('!'));
    const isAmong = (list: readonly string[]) => around.some((one) => list.some((pattern) => matches(pattern, one)));
    if (isAmong(included) && !isAmong(excluded)) return true;
  }
  return false;
}

/** A manifest that cannot be read has no members. */
async function membersOf(members: Manifest['members'], text: string): Promise<string[]> {
  try {
    return (await members(text)).filter((one) => typeof one === 'string');
  } catch {
    return [];
  }
}

function npmMembers(said: unknown): Members {
  return Array.isArray(said) ? said : [...list(at(said, 'packages')), ...list(at(said, 'members'))];
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml');
  return parse(text);
}

function tomlMembers(said: unknown): Members {
  const excluded = list(at(said, 'exclude')).map((one) => `!${String(one)}`);
  return [...list(at(said, 'members')), ...excluded];
}

/** `use ./a`, or several folders in parentheses. */
function goMembers(text: string): string[] {
  const blocks = captured(text, /^\s*use\s*\(([^)]*)\)/gmu).flatMap((block) => block.split('\n'));
  const lines = [...blocks, ...captured(text, /^\s*use\s+([^\s(].*)$/gmu)];
  return lines.map((line) => line.replace(/\/\/.*$/u, '').trim()).filter((line) => line !== '');
}

/** `include ':lib:core', ':app'`. A colon separates folders. */
function gradleMembers(text: string): string[] {
  const included = captured(text, /\binclude\b\s*\(?([^)\n]*(?:,\s*\n[^)\n]*)*)/gu);
  return included.flatMap((line) => captured(line, /['"]:?([^'"]+)['"]/gu)).map((one) => one.replaceAll(':', '/'));
}

/** `*` matches a folder's name or a part of it, `**` any number of folders. */
function matches(pattern: string, folder: string): boolean {
  const wanted = pattern.replaceAll('\\', '/').replace(/^\.\//u, '').replace(/\/$/u, '');
  const parts = wanted.split(/(\*\*\/?|\*|\?)/u).map((part) => {
    if (part.startsWith('**')) return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'u').test(folder);
}

function captured(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, one = '']) => one);
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Object.getOwnPropertyDescriptor(inner, key)?.value : undefined,
    value,
  );
}

function list(value: unknown): Members {
  return Array.isArray(value) ? value : [];
}
