/** gate: whether what failed in a run is to keep a change out. Options: ci-program.ts. */

import { type QuarantineVersions, quarantineVersions } from '../../config/quarantine-versions.ts';
import type { GateResult } from '../../format/report/gate-result.ts';
import { formatGate } from '../../format/report/gate-text.ts';
import type { Session } from '../../sessions/session.ts';
import { ciCheckout, isInCi } from '../../system/ci.ts';
import { ciChange } from '../../system/ci-change.ts';
import { io } from '../../system/io.ts';
import { reported } from '../failures/report.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';
import { judge } from './gate-judgement.ts';
import { runOfStateHere } from './gate-run.ts';
import type { Outcome } from './outcomes.ts';

export interface GateOptions extends GlobalOptions {
  base?: string;
  outcome?: Outcome;
}

export async function gate(runId: string | undefined, options: GateOptions): Promise<void> {
  await answer(options, ({ session }) => gated(session, runId, options), formatGate, { exitCode: gateExit });
}

export const gateExit = ({ passes }: GateResult) => (passes ? EXIT.done : EXIT.failures);

async function gated(session: Session, runId: string | undefined, { base, outcome }: GateOptions): Promise<GateResult> {
  const report = await reported(session, runId ?? (await runOfStateHere(session)), undefined);
  return judge(report, await quarantineHere(session, base), { outcome, unread: [], today: today() });
}

export function quarantineHere(session: Session, base: string | undefined): Promise<QuarantineVersions> {
  const change = ciChange(io().env);
  const target = base ?? change.base;
  const isOfBase = !change.isPullRequest && target !== null && ciCheckout(io().env).branch === target;
  return quarantineVersions(session.project, { base: target, isInCi: isInCi(), isOfBase });
}

export function today(): string {
  return new Date(io().now()).toISOString().slice(0, 10);
}
