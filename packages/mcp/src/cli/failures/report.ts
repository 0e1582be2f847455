/**
 * report: writes a recorded run for a pull request, a job summary, or another program. The options are in commands.ts.
 */

import type { CaseRecord, RunDetail } from 'argus-engine';
import { ctrfReport, junitReport } from '../../format/report/files.ts';
import { markdownReport } from '../../format/report/markdown.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import type { Session } from '../../sessions/session.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

const PAGE_SIZE = 1_000;

/** Number of newest runs in which to look for a run of the base branch. */
const MAX_RUNS = 100;

export interface ReportOptions extends GlobalOptions {
  markdown?: boolean;
  junit?: boolean;
  ctrf?: boolean;
  base?: string;
}

export async function report(runId: string | undefined, options: ReportOptions): Promise<void> {
  const format = options.junit ? junitReport : options.ctrf ? ctrfReport : markdownReport;
  await answer(options, ({ session }) => reported(session, runId, options.base), format);
}

/** Returns a run (default: the newest), with the failures of the newest run of another branch. */
export async function reported(
  session: Session,
  runId: string | undefined,
  base: string | undefined,
): Promise<RunReport> {
  const { runs } = await ask(session, (engine) => engine.history({ limit: MAX_RUNS }));
  const { run, cases } = await whole(session, runId ?? runs[0]?.id ?? '');
  if (base === undefined) return { run, cases };
  const before = runs.find((one) => one.gitBranch === base && one.id !== run.id && !one.foreign);
  if (before === undefined) return { run, cases, base: { branch: base, runId: null, failing: [] } };
  const compared = await whole(session, before.id);
  const failing = compared.cases.filter(({ status }) => status === 'failed').map(({ caseName }) => caseName);
  return { run, cases, base: { branch: base, runId: before.id, failing } };
}

async function whole(session: Session, runId: string): Promise<Pick<RunDetail, 'run' | 'cases'>> {
  const cases: CaseRecord[] = [];
  for (;;) {
    const page = await ask(session, (engine) => engine.runDetail({ runId, limit: PAGE_SIZE, offset: cases.length }));
    cases.push(...page.cases);
    if (!page.hasMore) return { run: page.run, cases };
  }
}

type Engine = Parameters<Parameters<Session['withEngine']>[0]>[0];

async function ask<T>(session: Session, call: (engine: Engine) => Promise<T>): Promise<T> {
  return (await session.withEngine(call)).value;
}
