/** gate: decides whether the failures of a run keep a change out. The options are in ci-program.ts. */

import type { GateResult } from '../../format/report/gate-result.ts';
import { formatGate } from '../../format/report/gate-text.ts';
import type { Session } from '../../sessions/session.ts';
import { reported } from '../failures/report.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { NOTHING_AGAIN } from './excuse.ts';
import { type GateOptions, gateFacts, judgingConfig } from './gate-facts.ts';
import { judge } from './gate-judgement.ts';
import { runOfStateHere } from './gate-run.ts';

export async function gate(runId: string | undefined, options: GateOptions & GlobalOptions): Promise<void> {
  await answer(options, ({ session }) => gated(session, runId, options), formatGate, {
    exitCode: gateExit,
    revised: (project, loaded) => judgingConfig(project, loaded, options.base),
  });
}

export const gateExit = ({ passes }: GateResult) => (passes ? EXIT.done : EXIT.failures);

async function gated(session: Session, runId: string | undefined, options: GateOptions): Promise<GateResult> {
  const report = await reported(session, runId ?? (await runOfStateHere(session)), undefined);
  const { facts, quarantine } = await gateFacts(session, report.run, options);
  return judge(report, quarantine, { ...facts, unread: [], again: NOTHING_AGAIN });
}
