/**
 * Processes that are killed at random moments while they queue calls or store queued calls: each call is stored exactly
 * once.
 */

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { argus, startProgram } from '../../e2e/argus.ts';
import { connectProcess } from '../../e2e/clients.ts';
import { type Agent, connect, createProject, createUser } from '../../e2e/harness.ts';
import { runSql } from '../../faults/setup.ts';
import { startLockingShell } from './waiting.ts';

/**
 * Kills commands while they store waiting calls, and expects that each call is stored exactly once. Servers queue the
 * calls and are killed at the same time. If `servers` is 0, a server in this process queues the calls.
 */
export async function killStoringCommands(kills: number, takers: number, servers = 0): Promise<void> {
  const [root, env] = [createProject(), { ...createUser() }];
  expect((await argus(['run', '--project', root, 'exit 1'], { env })).status).toBe(1);
  const database = join(root, '.argus', 'argus.db');
  const queued: QueuedCallIds = { runs: new Set(), fixes: new Set() };
  for (let killed = 0; killed < kills; killed += servers + takers) {
    const holder = await startLockingShell(database);
    if (servers === 0) {
      const agent = await connect('2026-07-28', env, root, { isImpatient: true });
      await queueCalls(agent, root, `round${killed}`, queued, 3);
      await agent.close();
    }
    const agents = await Promise.all(Array.from({ length: servers }, () => connectProcess('2026-07-28', env)));
    await Promise.all(agents.map((agent, index) => queueUntilKilled(agent, root, `round${killed}w${index}`, queued)));
    holder.stdin?.end('ROLLBACK;\n');
    await once(holder, 'close');
    // Each command stores waiting calls and is killed during that.
    for (let taken = 0; taken < takers; taken += 1) {
      const { child, ended } = startProgram(['history', '--project', root, '--json'], { env });
      await sleep(300 + Math.random() * 500);
      child.kill('SIGKILL');
      await ended;
    }
    expect((await argus(['history', '--project', root, '--json'], { env })).status).toBe(0);
    const left = readdirSync(`${database}.spool`).filter((name) => !name.endsWith('.draft'));
    expect(left).toEqual([]);
    expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
  }
  const runs = runSql(database, 'SELECT id FROM runs').split('\n');
  const fixes = runSql(database, 'SELECT id FROM outcomes').split('\n');
  expect([...queued.runs].filter((id) => !runs.includes(id))).toEqual([]);
  expect([...queued.fixes].filter((id) => !fixes.includes(id))).toEqual([]);
  expect(queued.fixes.size).toBeGreaterThan(0);
  // Each killed server may have queued another call without acknowledging it.
  expect(fixes.length - queued.fixes.size).toBeLessThanOrEqual(queued.runs.size);
  expect(runSql(database, 'SELECT steps FROM solutions GROUP BY steps HAVING count(*) > 1')).toBe('');
}

/** Ids of the calls that were answered as queued. */
interface QueuedCallIds {
  readonly runs: Set<string>;
  readonly fixes: Set<string>;
}

/** Queues a run, and then fixes of its failure. */
async function queueCalls(
  agent: Agent,
  projectPath: string,
  seed: string,
  queued: QueuedCallIds,
  fixes: number,
  onFirst = () => {},
): Promise<void> {
  const command = `echo "OrderError: the plan ${seed} is gone" && exit 3`;
  await agent.data('argus_init', { projectPath });
  const { runId, failures, ...run } = await agent.data('argus_run', { projectPath, command });
  expect(run).toMatchObject({ stored: false, queued: true, code: 'DATABASE_LOCKED' });
  const [{ caseName }] = failures as [{ caseName: string }];
  queued.runs.add(String(runId));
  for (let count = 0; count < fixes; count += 1) {
    if (count === 1) onFirst();
    const fix = { projectPath, runId, caseName, fixDescription: `turned screw ${seed} ${count}` };
    const { fixRecordId, ...answer } = await agent.data('argus_report_fix', fix);
    expect(answer).toMatchObject({ stored: false, queued: true });
    queued.fixes.add(String(fixRecordId));
  }
}

async function queueUntilKilled(
  agent: Agent & { pid: number },
  projectPath: string,
  seed: string,
  queued: QueuedCallIds,
): Promise<void> {
  const kill = () => process.kill(agent.pid, 'SIGKILL');
  const calls = queueCalls(agent, projectPath, seed, queued, Number.POSITIVE_INFINITY, () => {
    setTimeout(kill, Math.random() * 1_000);
  });
  await expect(calls).rejects.toThrow(/closed|EPIPE/iu);
}
