/** Starts `argus-mcp view` on a project in this process, sends requests to it, and opens the project's memory. */

import { request } from 'node:http';
import path from 'node:path';
import { openEngine } from 'argus-engine';
import { afterAll, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startArgus } from '../argus.ts';
import { ownMemoryOptions } from '../harness.ts';

const viewerSchema = z.object({
  url: z.string(),
  port: z.number(),
  project: z.string(),
  database: z.string().nullable(),
});

export interface Viewer extends z.infer<typeof viewerSchema> {
  token: string;
  output(): { stdout: string; stderr: string };
  /** Sends a request as the page does, with additional headers; a header with the value `null` is removed. */
  ask(method: string, pathname: string, options?: RequestOptions): Promise<Reply>;
  /** Ends the viewer as Ctrl-C does and returns the exit code. */
  end(signal?: NodeJS.Signals): Promise<number>;
}

interface RequestOptions {
  body?: string | Buffer;
  headers?: Record<string, string | null>;
}

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Starts a viewer that ends with the test. */
export async function startTestViewer(...start: Parameters<typeof startViewer>): Promise<Viewer> {
  const viewer = await startViewer(...start);
  onTestFinished(async () => void (await viewer.end()));
  return viewer;
}

/** Starts a viewer for all tests of a file. The tests must not change its project. */
export async function startFileViewer(projectPath: string): Promise<Viewer> {
  const viewer = await startViewer(projectPath);
  afterAll(async () => void (await viewer.end()));
  return viewer;
}

async function startViewer(
  projectPath: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Viewer> {
  const running = startArgus(['view', '--project', projectPath, '--json', ...args], { env });
  const [line] = await running.prints(/^.*\n/u);
  return {
    ...connectToViewer(line),
    output: running.printed,
    async end(signal = 'SIGINT') {
      running.signal(signal);
      return (await running.done).status;
    },
  };
}

/** Creates a client for the viewer that printed this line. */
export function connectToViewer(line: string): Omit<Viewer, 'output' | 'end'> {
  const facts = viewerSchema.parse(JSON.parse(line));
  const token = new URL(facts.url).hash.replace('#token=', '');
  return {
    ...facts,
    token,
    ask: (method, pathname, options = {}) => sendRequest(facts.port, token, method, pathname, options),
  };
}

/** Uses `http`, because `fetch` sets Host and Origin itself. */
function sendRequest(
  port: number,
  token: string,
  method: string,
  pathname: string,
  options: RequestOptions,
): Promise<Reply> {
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

export type Engine = Awaited<ReturnType<typeof openEngine>>;

/** Opens the memory of a project with a separate engine, even while its viewer runs. */
export async function withProjectEngine<T>(projectPath: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const database = ownMemoryOptions(path.join(projectPath, '.argus', 'argus.db'));
  const engine = await openEngine({ ...database, projectRoot: projectPath, locale: 'en' });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

/** Records and diagnoses a failed command. */
export async function recordFailure(projectPath: string, command: string, outputTail: string): Promise<string> {
  return withProjectEngine(projectPath, async (engine) => {
    const nothing = { timedOut: false, reports: [], containers: [], notes: [] };
    const { runId, failures } = await engine.recordRun({ ...nothing, command, exitCode: 1, outputTail });
    for (const { caseName } of failures) await engine.diagnose({ runId, caseName });
    return runId;
  });
}
