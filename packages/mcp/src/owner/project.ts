/**
 * Finds the project to which a folder belongs, and thus its memory. All work trees and folders of a git repository
 * belong to the same project. Outside of git, the project is the workspace, otherwise the nearest folder with a
 * manifest. `memory-location.ts` decides who owns the memory.
 */

import type { Stats } from 'node:fs';
import path from 'node:path';
import stripJsonComments from 'strip-json-comments';
import { findMainWorkTree } from '../git/repository.ts';
import { belongsToOtherUser, isWithin, isWorkTreeTop, tryLstat } from '../system/files/path-safety.ts';
import { readProjectFile } from '../system/files/project-file.ts';
import { parseYaml } from '../system/files/yaml.ts';
import { getUserHomeFolder } from '../system/io.ts';
import { getSystemHomeFolder, resolveExistingPart } from './data-folder.ts';

export interface Project {
  /** The folder that the caller named. Commands run there. */
  root: string;
  /** The root of the project. Names of cases are relative to it. */
  top: string;
  /** The folder that contains the memory. It differs from `top` if `top` is a linked work tree. */
  home: string;
}

/** Files that make a folder a project. */
const PROJECT_MANIFESTS = [
  ...['argus.yaml', 'argus.yml', 'package.json', 'deno.json', 'deno.jsonc', 'Cargo.toml', 'go.mod'],
  ...['pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini', 'pom.xml', 'build.gradle', 'build.gradle.kts'],
  ...['settings.gradle', 'settings.gradle.kts', 'Gemfile', 'composer.json', 'mix.exs', 'CMakeLists.txt'],
] as const;

/** Path of the memory. A folder without a manifest is a project too if it contains this file. */
const MEMORY_PATH = path.join('.argus', 'argus.db');

/** Finds the project. `root` must be a real path. */
export async function findProject(root: string): Promise<Project> {
  const candidates = listCandidateFolders(root);
  const top = candidates.find(isWorkTreeTop);
  if (top !== undefined) return { root, top, home: (await findUsableMainWorkTree(top)) ?? top };
  const nearest =
    candidates.find((folder) => hasManifest(folder) || tryLstat(path.join(folder, MEMORY_PATH)) !== undefined) ?? root;
  const home = await findOutermostWorkspace(
    nearest,
    candidates.filter((folder) => folder !== nearest && isWithin(nearest, folder)),
  );
  return { root, top: home, home };
}

/** Returns the folders from the named folder up to the root of its project, the nearest first. */
export function listFoldersUpToRoot({ root, top }: Pick<Project, 'root' | 'top'>): string[] {
  const folders = [root];
  for (let at = root; at !== top && at !== path.dirname(at); folders.push(at)) at = path.dirname(at);
  return folders;
}

/** Returns memories in subfolders. They are not used, because a project has a single memory. */
export function findUnusedMemories(project: Project): string[] {
  const folders = listFoldersUpToRoot(project).filter((folder) => folder !== project.home);
  return folders.map((folder) => path.join(folder, MEMORY_PATH)).filter((file) => tryLstat(file) !== undefined);
}

/** True if the folder has a manifest. */
export function hasManifest(folder: string): boolean {
  return PROJECT_MANIFESTS.some((name) => tryLstat(path.join(folder, name))?.isFile());
}

/**
 * Returns the main work tree if it may contain a memory: it must not be a home folder, and must not belong to another
 * user.
 */
async function findUsableMainWorkTree(top: string): Promise<string | undefined> {
  const main = await findMainWorkTree(top);
  const stats = main === undefined ? undefined : tryLstat(main);
  return main !== undefined && stats !== undefined && mayContainMemory(main, stats, tryLstat(top)) ? main : undefined;
}

/**
 * Returns the outermost workspace that includes the project, because a workspace may be a member of another workspace.
 */
async function findOutermostWorkspace(project: string, around: readonly string[]): Promise<string> {
  let outermost = project;
  for (const folder of around) {
    if (await isWorkspaceMember(folder, path.relative(folder, outermost))) outermost = folder;
  }
  return outermost;
}

/** Returns the folder and those of its parents that may be its project, the nearest first. */
function listCandidateFolders(root: string): string[] {
  const own = tryLstat(root);
  const folders = [root];
  for (let at = path.dirname(root); at !== path.dirname(at); at = path.dirname(at)) {
    const stats = tryLstat(at);
    if (stats === undefined || !mayContainMemory(at, stats, own)) break;
    folders.push(at);
  }
  return folders;
}

/**
 * False for the home folder and its parents, for a folder in which all users may write, such as /tmp, and for a folder
 * of another user.
 */
function mayContainMemory(folder: string, stats: Stats, own: Stats | undefined): boolean {
  const homes = [getSystemHomeFolder(), resolveExistingPart(getUserHomeFolder())];
  const isShared = process.platform !== 'win32' && (stats.mode & 0o1002) === 0o1002;
  const isForeign = belongsToOtherUser(stats) && stats.uid !== own?.uid;
  return !isShared && !isForeign && !homes.some((home) => isWithin(home, folder));
}

/** Restricts a project's name on a team's server, because the name becomes part of URLs and file names. */
export const PROJECT_NAME_PATTERN = /^[a-z0-9][a-z0-9._-]{0,49}$/u;

/*
 * Determines which folders are members of a workspace, as its manifest lists them: npm, yarn, bun, pnpm, Deno, Cargo,
 * uv, Go, Maven and Gradle. The members themselves are not read.
 */

/** The entries of a manifest: folders or glob patterns. An entry that starts with `!` is excluded. */
type MemberEntries = readonly unknown[];

interface WorkspaceManifest {
  file: string;
  parseMembers(text: string): MemberEntries | Promise<MemberEntries>;
}

const WORKSPACE_MANIFESTS: readonly WorkspaceManifest[] = [
  { file: 'package.json', parseMembers: (text) => parseNpmMembers(getNested(JSON.parse(text), 'workspaces')) },
  {
    file: 'pnpm-workspace.yaml',
    parseMembers: async (text) => toList(getNested((await parseYaml(text)).value, 'packages')),
  },
  ...['deno.json', 'deno.jsonc'].map((file) => ({
    file,
    parseMembers: (text: string) =>
      parseNpmMembers(getNested(JSON.parse(stripJsonComments(text, { trailingCommas: true })), 'workspace')),
  })),
  { file: 'Cargo.toml', parseMembers: async (text) => parseTomlMembers(getNested(await parseToml(text), 'workspace')) },
  {
    file: 'pyproject.toml',
    parseMembers: async (text) => parseTomlMembers(getNested(await parseToml(text), 'tool', 'uv', 'workspace')),
  },
  { file: 'go.work', parseMembers: parseGoMembers },
  { file: 'pom.xml', parseMembers: (text) => captureAll(text, /<module>\s*([^<]+?)\s*<\/module>/gu) },
  ...['settings.gradle', 'settings.gradle.kts'].map((file) => ({ file, parseMembers: parseGradleMembers })),
];

/** True if the folder, a path relative to the workspace, is a member of the workspace or inside a member. */
async function isWorkspaceMember(workspace: string, folder: string): Promise<boolean> {
  const segments = folder.split(/[\\/]/u);
  const prefixes = segments.map((_, index) => segments.slice(0, index + 1).join('/'));
  for (const { file, parseMembers } of WORKSPACE_MANIFESTS) {
    const text = readProjectFile(workspace, file);
    const patterns = text === undefined ? [] : await parseMemberPatterns(parseMembers, text);
    const excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
    const included = patterns.filter((pattern) => !pattern.startsWith('!'));
    const isAmong = (list: readonly string[]) =>
      prefixes.some((one) => list.some((pattern) => matchesGlob(pattern, one)));
    if (isAmong(included) && !isAmong(excluded)) return true;
  }
  return false;
}

/** Returns the entries of a manifest. A manifest that cannot be parsed has no members. */
async function parseMemberPatterns(parseMembers: WorkspaceManifest['parseMembers'], text: string): Promise<string[]> {
  try {
    return (await parseMembers(text)).filter((one) => typeof one === 'string');
  } catch {
    return [];
  }
}

function parseNpmMembers(value: unknown): MemberEntries {
  return Array.isArray(value)
    ? value
    : [...toList(getNested(value, 'packages')), ...toList(getNested(value, 'members'))];
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import('smol-toml');
  return parse(text);
}

function parseTomlMembers(table: unknown): MemberEntries {
  const excluded = toList(getNested(table, 'exclude')).map((one) => `!${String(one)}`);
  return [...toList(getNested(table, 'members')), ...excluded];
}

/** Parses `use ./a`, or several folders in parentheses. */
function parseGoMembers(text: string): string[] {
  const blocks = captureAll(text, /^\s*use\s*\(([^)]*)\)/gmu).flatMap((block) => block.split('\n'));
  const lines = [...blocks, ...captureAll(text, /^\s*use\s+([^\s(].*)$/gmu)];
  return lines.map((line) => line.replace(/\/\/.*$/u, '').trim()).filter((line) => line !== '');
}

/** Parses `include ':lib:core', ':app'`. A colon separates folders. */
function parseGradleMembers(text: string): string[] {
  const included = captureAll(text, /\binclude\b\s*\(?([^)\n]*(?:,\s*\n[^)\n]*)*)/gu);
  return included.flatMap((line) => captureAll(line, /['"]:?([^'"]+)['"]/gu)).map((one) => one.replaceAll(':', '/'));
}

/**
 * True if the folder matches the glob: `*` matches the name of a folder or a part of it, `**` any number of folders.
 */
function matchesGlob(pattern: string, folder: string): boolean {
  const wanted = pattern.replaceAll('\\', '/').replace(/^\.\//u, '').replace(/\/$/u, '');
  const parts = wanted.split(/(\*\*\/?|\*|\?)/u).map((part) => {
    if (part.startsWith('**')) return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'u').test(folder);
}

function captureAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, one = '']) => one);
}

function getNested(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? Object.getOwnPropertyDescriptor(inner, key)?.value : undefined,
    value,
  );
}

function toList(value: unknown): MemberEntries {
  return Array.isArray(value) ? value : [];
}
