/**
 * The command `report`: writes a recorded run for a pull request, a job summary, or another program. The options are in
 * commands.ts.
 */

import type { CaseRecord, RunDetail } from 'argus-engine';
import { formatMarkdownReport } from '../../format/report/markdown.ts';
import { formatCtrfReport, formatJunitReport, type RunReport } from '../../format/report/run-report.ts';
import { Git } from '../../git/git.ts';
import { resolveCommit } from '../../git/history.ts';
import type { Session } from '../../sessions/session.ts';
import { type GlobalOptions, runProjectCommand } from '../terminal/output.ts';

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
  const format = options.junit ? formatJunitReport : options.ctrf ? formatCtrfReport : formatMarkdownReport;
  await runProjectCommand(options, ({ session }) => readRunReport(session, runId, options.base), format);
}

/**
 * Returns a run, with the failures of the newest run of another branch. The default is the newest run of the commit
 * that is checked out, because `argus run --at` records runs of older commits. If there is none, the default is the
 * newest run.
 */
export async function readRunReport(
  session: Session,
  runId: string | undefined,
  base: string | undefined,
): Promise<RunReport> {
  const { runs } = await callEngine(session, (engine) => engine.history({ limit: MAX_RUNS }));
  const head = await resolveCommit(new Git(session.root), 'HEAD');
  const newest = runs.find(({ gitCommit }) => gitCommit !== null && gitCommit === head) ?? runs[0];
  const { run, cases } = await readRunWithCases(session, runId ?? newest?.id ?? '');
  if (base === undefined) return { run, cases };
  const baseRun = runs.find((one) => one.gitBranch === base && one.id !== run.id && !one.foreign);
  if (baseRun === undefined) return { run, cases, base: { branch: base, runId: null, failing: [] } };
  const baseDetail = await readRunWithCases(session, baseRun.id);
  const failing = baseDetail.cases.filter(({ status }) => status === 'failed').map(({ caseName }) => caseName);
  return { run, cases, base: { branch: base, runId: baseRun.id, failing } };
}

export async function readRunWithCases(session: Session, runId: string): Promise<Pick<RunDetail, 'run' | 'cases'>> {
  const cases: CaseRecord[] = [];
  for (;;) {
    const page = await callEngine(session, (engine) =>
      engine.runDetail({ runId, limit: PAGE_SIZE, offset: cases.length }),
    );
    cases.push(...page.cases);
    if (!page.hasMore) return { run: page.run, cases };
  }
}

type Engine = Parameters<Parameters<Session['withEngine']>[0]>[0];

async function callEngine<T>(session: Session, call: (engine: Engine) => Promise<T>): Promise<T> {
  return (await session.withEngine(call)).value;
}
