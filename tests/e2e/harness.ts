/** Helpers for tests of the server and the command line: environments, users, projects, and a client of a server. */

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

const testFolder = path.dirname(fileURLToPath(import.meta.url));

/** Path of the program in its published form. */
export const PROGRAM_PATH = path.resolve(testFolder, '../../packages/mcp/dist/cli.mjs');

/** Path of the hook, which is a separate program. */
export const HOOK_PATH = path.resolve(testFolder, '../../packages/mcp/dist/hook.mjs');

export const PROTOCOL_ERAS = ['2026-07-28', '2025'] as const;
export type Era = (typeof PROTOCOL_ERAS)[number];

export type Data = Record<string, unknown>;
export type Answer =
  | { success: true; data: Data; timestamp: number }
  | { success: false; error: { code: string; message: string }; timestamp: number };

export interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

/** A client that is connected to a server. */
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

/**
 * Connects to a server in this process. With `isImpatient`, the server waits only half a second for a locked database.
 */
export async function connect(
  era: Era,
  env: Record<string, string> = {},
  cwd = createProject(),
  { isImpatient = false } = {},
): Promise<Agent> {
  // The module is imported late, because most tests need no client. Otherwise an edit of a tool would rerun tests that
  // call no tool.
  const { connectInProcess } = await import('./clients.ts');
  return connectInProcess(era, { env: createEnvironment(env), cwd, isImpatient });
}

/** Returns an environment with a fixed language, log folder and user data, and without variables of CI services. */
export function createEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const noise =
    /^(?:LC_|LANG|VITEST|NODE_OPTIONS|FORCE_COLOR|CI$|TEST$|NODE_ENV)|^(?:GITHUB_ACTIONS|GITLAB_CI|JENKINS_URL|BUILDKITE|CIRCLECI)$/u;
  const kept = inherited.filter(([name]) => !noise.test(name));
  return { ...Object.fromEntries(kept), ...DATA, ARGUS_LOG_DIR: LOG_FOLDER, NO_COLOR: '1', ...extra };
}

const LOG_FOLDER = mkdtempSync(path.join(tmpdir(), 'argus-e2e-logs-'));

/** Returns the environment variables of a new user with separate folders. */
export function createUser(): { HOME: string; XDG_DATA_HOME: string; LOCALAPPDATA: string } {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-e2e-user-')));
  return { HOME: home, XDG_DATA_HOME: path.join(home, 'data'), LOCALAPPDATA: path.join(home, 'data') };
}

/** Does not set HOME, because runners keep their toolchains in the real home folder. */
const { HOME: _home, ...DATA } = createUser();

/**
 * Returns the options of an engine for a database that a test creates, so that the program treats the database as the
 * test user's own.
 */
export function ownMemoryOptions(databasePath: string) {
  const known = identify(databasePath).id;
  const memoryId = known ?? `mem-${crypto.randomUUID()}`;
  const folder = path.join(DATA.XDG_DATA_HOME, 'argus', ...(process.platform === 'win32' ? ['Data'] : []), 'memories');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, memoryId), '{"version":1}\n');
  return { databasePath, memoryId, create: known === null };
}

/** Creates a project with the given files, or an empty project. */
export function createProject(files: Record<string, string> = {}): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-e2e-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

/** Copies a project from `runners/` and links the runners' packages. */
export function copyRunnerProject(name: string): string {
  const root = createProject();
  cpSync(path.join(testFolder, 'runners', name), root, { recursive: true });
  const modules = path.join(testFolder, 'runners', 'node_modules');
  if (existsSync(modules) && existsSync(path.join(root, 'package.json')))
    symlinkSync(modules, path.join(root, 'node_modules'));
  // Uses the repository's toolchain, because the machine may have no default toolchain.
  const toolchain = path.resolve(testFolder, '../../rust-toolchain.toml');
  if (existsSync(path.join(root, 'Cargo.toml'))) copyFileSync(toolchain, path.join(root, 'rust-toolchain.toml'));
  return root;
}
