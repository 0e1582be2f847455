/**
 * Starts `argus-mcp view` on a project and ends it, and makes projects worth looking at. The browser: chromium.ts.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { BUNDLE, environment, ownMemory } from '../harness.ts';

const served = z.object({
  url: z.string(),
  port: z.number(),
  project: z.string(),
  database: z.string().nullable(),
});

export interface Viewer extends z.infer<typeof served> {
  token: string;
  child: ChildProcess;
  output(): { stdout: string; stderr: string };
  /** Asks as a page would; headers are added, `null` takes one away. */
  ask(method: string, pathname: string, options?: AskOptions): Promise<Reply>;
  /** Ends it as Ctrl-C does, and answers the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

interface AskOptions {
  body?: string | Buffer;
  headers?: Record<string, string | null>;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** One that ends with the test. */
export async function viewerOf(...start: Parameters<typeof startViewer>): Promise<Viewer> {
  const viewer = await startViewer(...start);
  onTestFinished(async () => void (await viewer.end()));
  return viewer;
}

export async function startViewer(
  projectPath: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Viewer> {
  const all = [BUNDLE, 'view', '--project', projectPath, '--json', ...args];
  const child = spawn(process.execPath, all, { env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (bytes) => (stderr += String(bytes)));
  const started = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (bytes) => {
      stdout += String(bytes);
      if (stdout.includes('\n')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`view ended with ${code}: ${stdout}${stderr}`)));
  });
  await started;
  const facts = served.parse(JSON.parse(stdout.split('\n', 1)[0] ?? ''));
  const token = new URL(facts.url).hash.replace('#token=', '');
  return {
    ...facts,
    token,
    child,
    output: () => ({ stdout, stderr }),
    ask: (method, pathname, options = {}) => ask(facts.port, token, method, pathname, options),
    async end(signal = 'SIGINT') {
      if (child.exitCode !== null) return child.exitCode;
      child.kill(signal);
      await once(child, 'exit');
      return child.exitCode;
    },
  };
}

/** Not with `fetch`, which lets nobody choose Host and Origin. */
function ask(port: number, token: string, method: string, pathname: string, options: AskOptions): Promise<Reply> {
  const usual: Record<string, string | null> = {
    Authorization: `Bearer ${token}`,
    ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...options.headers,
  };
  const headers = Object.fromEntries(
    Object.entries(usual).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path: pathname, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += String(part)));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.once('error', reject);
    sent.end(options.body);
  });
}

/** What a test asks the engine of a project for. */
export async function inMemoryOf<T>(
  projectPath: string,
  work: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>,
): Promise<T> {
  const database = ownMemory(path.join(projectPath, '.argus', 'argus.db'));
  const engine = await openEngine({ ...database, projectRoot: projectPath, locale: 'en' });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Records and diagnoses one failed command. */
export async function fail(projectPath: string, command: string, outputTail: string): Promise<string> {
  return inMemoryOf(projectPath, async (engine) => {
    const nothing = { timedOut: false, reports: [], containers: [], notes: [] };
    const { runId, failures } = await engine.recordRun({ ...nothing, command, exitCode: 1, outputTail });
    for (const { caseName } of failures) await engine.diagnose({ runId, caseName });
    return runId;
  });
}
