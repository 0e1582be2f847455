/** Helpers of the tests of server and command line: environments, users, projects, and a client of a server. */

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify } from 'argus-engine';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The program as it is published. */
export const BUNDLE = path.resolve(here, '../../packages/mcp/dist/cli.mjs');

export const ERAS = ['2026-07-28', '2025'] as const;
export type Era = (typeof ERAS)[number];

export type Data = Record<string, unknown>;
export type Answer =
  | { success: true; data: Data; timestamp: number }
  | { success: false; error: { code: string; message: string }; timestamp: number };

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

/** A connected client. */
export interface Agent {
  instructions: string | undefined;
  listTools(): Promise<unknown[]>;
  listResourceTemplates(): Promise<unknown[]>;
  /** Calls a tool and returns the whole answer, checked against the envelope. */
  call(tool: string, args: Data, options?: CallOptions): Promise<Answer>;
  /** Calls a tool that must succeed and returns the data. */
  data(tool: string, args: Data, options?: CallOptions): Promise<Data>;
  /** Calls a tool that must fail and returns the error. */
  error(tool: string, args: Data): Promise<{ code: string; message: string }>;
  /** Calls a tool of the debug memory, whose answer has no envelope. */
  ask(tool: string, args: Data): Promise<Data>;
  /** Calls a tool of the debug memory that must fail and returns the error. */
  askError(tool: string, args: Data): Promise<{ code: string; message: string }>;
  read(uri: string): Promise<unknown>;
  complete(uri: string, prefix: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Connects to a server in this process. With `isImpatient` it waits only half a second for a locked database. */
export async function connect(
  era: Era,
  env: Record<string, string> = {},
  cwd = project(),
  { isImpatient = false } = {},
): Promise<Agent> {
  // Imported late, because most tests need no client. Otherwise an edit of a tool would rerun tests that call no tool.
  const { connectInProcess } = await import('./clients.ts');
  return connectInProcess(era, { env: environment(env), cwd, isImpatient });
}

/** An environment with fixed language, log folder and user data, and without variables of CI services. */
export function environment(extra: Record<string, string> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const noise =
    /^(?:LC_|LANG|VITEST|NODE_OPTIONS|FORCE_COLOR|CI$|TEST$|NODE_ENV)|^(?:GITHUB_ACTIONS|GITLAB_CI|JENKINS_URL|BUILDKITE|CIRCLECI)$/u;
  const kept = inherited.filter(([name]) => !noise.test(name));
  return { ...Object.fromEntries(kept), ...DATA, ARGUS_LOG_DIR: LOGS, NO_COLOR: '1', ...extra };
}

const LOGS = mkdtempSync(path.join(tmpdir(), 'argus-e2e-logs-'));

/** A new user with separate folders, as environment variables. */
export function someUser(): { HOME: string; XDG_DATA_HOME: string; LOCALAPPDATA: string } {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-e2e-user-')));
  return { HOME: home, XDG_DATA_HOME: path.join(home, 'data'), LOCALAPPDATA: path.join(home, 'data') };
}

/** Without HOME, because runners keep their toolchains in the real home folder. */
const { HOME: _home, ...DATA } = someUser();

/** Options of an engine for a database that a test creates, so that the program treats it as the test user's own. */
export function ownMemory(databasePath: string) {
  const known = identify(databasePath).id;
  const memoryId = known ?? `mem-${crypto.randomUUID()}`;
  const folder = path.join(DATA.XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []), 'memories');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, memoryId), '{"version":1}\n');
  return { databasePath, memoryId, create: known === null };
}

/** Makes a project with the given files; without files it is empty. */
export function project(files: Record<string, string> = {}): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-e2e-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

/** Copies a project of `runners/` and links the runners' packages. */
export function runnerProject(name: string): string {
  const root = project();
  cpSync(path.join(here, 'runners', name), root, { recursive: true });
  const modules = path.join(here, 'runners', 'node_modules');
  if (existsSync(modules) && existsSync(path.join(root, 'package.json')))
    symlinkSync(modules, path.join(root, 'node_modules'));
  // The repository's toolchain, because the machine may have no default toolchain.
  const toolchain = path.resolve(here, '../../rust-toolchain.toml');
  if (existsSync(path.join(root, 'Cargo.toml'))) copyFileSync(toolchain, path.join(root, 'rust-toolchain.toml'));
  return root;
}
