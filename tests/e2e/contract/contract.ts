/** Helpers of the tests for `docs/contract`: a server, a project with two reports, and matchers for ids and times. */

import { afterAll, expect } from 'vitest';
import { connect, createProject, type Data } from '../harness.ts';
import { MIXED_REPORT, PASSED_REPORT } from '../runs/reports.ts';

export const CATEGORY_PATTERN =
  /^(?:ASSERTION_MISMATCH|HTTP_ERROR|TIMEOUT|CONNECTION_REFUSED|CONTAINER_OOM|CONTAINER_CRASH|MOCK_MISMATCH|CONFIG_ERROR|NETWORK_ERROR|UNKNOWN)$/u;
const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
export const RUN_ID = expect.stringMatching(`^run-${UUID_V7}$`);
export const PATTERN_ID = expect.stringMatching(`^pat-${UUID_V7}$`);
export const FIX_ID = expect.stringMatching(`^fix-${UUID_V7}$`);
export const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
export const SHA256 = expect.stringMatching(/^[0-9a-f]{64}$/u);
export const CAUSE_ID = expect.stringMatching(/^cause-[0-9a-f]{16}$/u);
/** The short verdict of a case without earlier runs. */
export const NEW_CASE_VERDICT = { kind: 'new', probability: expect.any(Number) };
export const ANY_TEXT = expect.stringMatching(/./u);
export const ANY_NUMBER = expect.any(Number);

export const CONNECTION_REFUSED_FIX_ZH = '服务可能未完全启动，尝试增加 healthcheck.startPeriod';

/** The texts of the contract itself are in Chinese. */
export const agent = await connect('2026-07-28', { LANG: 'zh_CN.UTF-8' });
afterAll(() => agent.close());

/** A new project with `mixed.xml` and `passed.xml`, which no agent has opened yet. */
export interface ContractProject {
  readonly root: string;
  open(): Promise<Data>;
  /** Calls a tool on this project and returns the data of its answer. */
  data(tool: string, args?: Data): Promise<Data>;
  error(tool: string, args?: Data): Promise<{ code: string; message: string }>;
  importReport(file: string): Promise<Data>;
  /** Opens the project and imports `mixed.xml`. Returns the names of its two failed cases. */
  failedRun(): Promise<{ runId: string; refused: string; unknown: string }>;
}

export function createContractProject(files: Record<string, string> = {}): ContractProject {
  const root = createProject({ 'mixed.xml': MIXED_REPORT, 'passed.xml': PASSED_REPORT, ...files });
  const data = (tool: string, args: Data = {}) => agent.data(tool, { projectPath: root, ...args });
  const open = () => data('argus_init');
  const importReport = (file: string) => data('argus_import', { path: file });
  return {
    root,
    open,
    data,
    error: (tool, args = {}) => agent.error(tool, { projectPath: root, ...args }),
    importReport,
    async failedRun() {
      await open();
      const run = await importReport('mixed.xml');
      const failures = Array.isArray(run.failures) ? run.failures : [];
      const named = (part: string) =>
        String(failures.find((failure: Data) => String(failure.caseName).includes(part))?.caseName);
      return { runId: String(run.runId), refused: named('health-check'), unknown: named('parses') };
    },
  };
}
