/**
 * How sure an answer is of a fix, over MCP and at the terminal: claimed, proved, refuted, of other values, a tip. The
 * rules: the engine's tests.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Agent, connect, type Data, ERAS, project } from '../harness.ts';
import { junit } from '../runs/reports.ts';

const MESSAGE = 'the flux capacitor is out of tune';
const refusedAt = (port: number) => `connect ECONNREFUSED 127.0.0.1:${port}`;

/** A list of plain data in an answer. */
function listed(answer: Data, name: string): Data[] {
  const list = answer[name];
  return Array.isArray(list) ? list : [];
}

describe.each(ERAS)('%s', (era) => {
  let agent: Agent;
  let root: string;
  beforeAll(async () => {
    agent = await connect(era);
  });
  afterAll(() => agent.close());
  beforeEach(async () => {
    root = project();
    await agent.data('argus_init', { projectPath: root });
  });

  /** Records a run of these cases, each with its message where it failed. */
  async function record(cases: Record<string, string | null>): Promise<Data> {
    const all = Object.entries(cases).map(([name, message]) =>
      message === null ? { name } : { name, failure: { message, type: 'Error' } },
    );
    writeFileSync(path.join(root, 'report.xml'), junit(all));
    return agent.data('argus_import', { projectPath: root, path: 'report.xml' });
  }
  const diagnose = ({ runId }: Data, caseName: string) =>
    agent.data('argus_diagnose', { projectPath: root, runId, caseName });
  const report = ({ runId }: Data, caseName: string, fixDescription: string) =>
    agent.data('argus_report_fix', { projectPath: root, runId, caseName, fixDescription });
  const knownIn = (run: Data) => listed(run, 'failures')[0]?.known;

  test('a claim that the next run contradicts is refuted, and nothing later proves it', async () => {
    const run = await record({ boom: MESSAGE });
    expect(await report(run, 'boom', 'Tuned it')).toMatchObject({ state: 'claimed', resolutions: 1 });
    const again = await record({ boom: MESSAGE });
    const refuted = await diagnose(again, 'boom');
    expect(refuted).toMatchObject({
      suggestedFix: null,
      fixHistory: [{ success: true, state: 'refuted', refutedBy: again.runId }],
      warnings: [expect.stringContaining(`${again.runId} refutes it`)],
    });
    await report(again, 'boom', 'Replaced it');
    const { runId: provedBy } = await record({ boom: null });
    expect(await diagnose(again, 'boom')).toMatchObject({
      suggestedFix: 'Replaced it',
      standing: 'fixed 1 of 1 time',
      fixHistory: [
        { state: 'proved', provedBy },
        { state: 'refuted', provedBy: null },
      ],
    });
    const text = (await argus(['diagnose', String(again.runId), 'boom', '--project', root])).stdout;
    expect(text).toContain(`Tuned it (claimed, refuted by ${again.runId})`);
  });

  test('the same report twice counts once where solutions are ranked, and a claim ranks below a proof', async () => {
    const run = await record({ boom: MESSAGE });
    const [first, second] = [await report(run, 'boom', 'Tuned it'), await report(run, 'boom', 'Tuned it')];
    expect(second).toMatchObject({ resolutions: 1, occurrences: first.occurrences });
    const search = async () =>
      listed(
        await agent.ask('ranked_solutions', { query_text: MESSAGE, env: {}, projectPath: root }),
        'ranked_solutions',
      );
    expect(await search()).toMatchObject([
      { worked: 1, failed: 0, claimed: 1, why: expect.stringContaining('only claimed') },
    ]);
    await record({ boom: null });
    const again = await record({ boom: MESSAGE });
    await report(again, 'boom', 'Wished it away');
    expect(await search()).toMatchObject([
      { steps: 'Tuned it', worked: 1 },
      { steps: 'Wished it away', worked: 1, claimed: 1 },
    ]);
  });

  test('a claim is said to be one until a run proves it', async () => {
    const run = await record({ boom: MESSAGE });
    await report(run, 'boom', 'Tuned it');
    const claimed = { claimed: true, standing: 'only claimed to have fixed it, 1 time' };
    expect(await diagnose(run, 'boom')).toMatchObject({ ...claimed, pattern: claimed });
    const other = await record({ bang: MESSAGE });
    expect(knownIn(other)).toMatchObject({ suggestedFix: 'Tuned it', ...claimed });
    expect(listed(await diagnose(other, 'bang'), 'related')).toMatchObject([{ claimed: true }]);
    await record({ boom: null });
    const proved = await diagnose(run, 'boom');
    expect(proved).toMatchObject({ standing: 'fixed 1 of 1 time', tried: { proved: 1, claimed: 0, failed: 0 } });
    expect(proved.claimed).toBeUndefined();
  });

  test('another port is another cause, and its fix says what differs', async () => {
    const run = await record({ database: refusedAt(5432), cache: refusedAt(6379) });
    expect(listed(run, 'causes')).toHaveLength(2);
    await report(run, 'database', 'Started the database');
    await record({ database: null });
    const own = await diagnose(run, 'database');
    const again = await record({ cache: refusedAt(6379) });
    const suggestedFrom = {
      confidence: own.confidence,
      differences: [{ before: expect.stringContaining(':5432'), now: expect.stringContaining(':6379') }],
    };
    expect(knownIn(again)).toMatchObject({ confidence: own.confidence, suggestedFrom });
    expect(await diagnose(again, 'cache')).toMatchObject({ suggestedFix: 'Started the database', suggestedFrom });
  });

  test('a tip is called one, and a fix of its failure adds nothing to it', async () => {
    const run = await record({ health: refusedAt(5432) });
    const standing = 'a built-in tip, not yet tried here';
    expect(knownIn(run)).toMatchObject({ patternId: 'builtin-conn-refused', standing });
    await report(run, 'health', 'Started the database');
    await record({ health: null });
    const tips = await agent.data('argus_patterns', { projectPath: root, category: 'CONNECTION_REFUSED' });
    expect(listed(tips, 'patterns')).toMatchObject([
      { source: 'learned', standing: 'fixed 1 of 1 time', tried: { proved: 1, claimed: 0, failed: 0 } },
      { source: 'built-in', standing, resolutions: 1 },
    ]);
    expect(listed(tips, 'patterns')[1]?.tried).toBeUndefined();
  });

  test('a further case of a known cause is not told as new, and readings change no order', async () => {
    const run = await record({ first: MESSAGE });
    await diagnose(run, 'first');
    const further = await record({ second: MESSAGE });
    const at = ['--project', root];
    const sameCauseAs = { caseName: expect.stringContaining('first') };
    expect(knownIn(further)).toMatchObject({ suggestedFix: null, sameCauseAs });
    const text = (await argus(['diagnose', String(further.runId), 'second', ...at])).stdout;
    expect(text).toMatch(/new for this case; the same error as \S.*first \(pat-/u);
    await report(run, 'first', 'Tuned it');
    const third = await record({ third: MESSAGE });
    for (let time = 0; time < 4; time += 1) await diagnose(run, 'first');
    expect(await diagnose(third, 'third')).toMatchObject({ isNewPattern: true, suggestedFix: 'Tuned it', sameCauseAs });
  });
});

test('the terminal says what a fix is worth, and leads with the kind where there is no category', async () => {
  const root = project({
    'busy.xml': junit([{ name: 'starts', failure: { message: 'listen EADDRINUSE: address already in use :::3000' } }]),
    'refused.xml': junit([{ name: 'health', failure: { message: refusedAt(5432), type: 'Error' } }]),
  });
  const at = ['--project', root];
  const busy = (await argus(['import', 'busy.xml', ...at])).stdout;
  expect(busy).toMatch(/^ {4}address-in-use {2}listen EADDRINUSE/mu);
  const runId = /run-\S+/u.exec(busy)?.[0] ?? '';
  expect((await argus(['diagnose', runId, 'starts', ...at])).stdout).toMatch(/^address-in-use {2}rule /u);
  const refused = (await argus(['import', 'refused.xml', ...at])).stdout;
  expect(refused).toContain('a built-in tip, not yet tried here: The service may not have fully started');
  const failed = /run-\S+/u.exec(refused)?.[0] ?? '';
  const fixed = (await argus(['report-fix', failed, 'health', 'Started it', ...at])).stdout;
  expect(fixed).toContain('claimed, to be proved by');
  for (const text of [busy, refused, fixed, (await argus(['patterns', ...at])).stdout])
    expect(text).not.toContain(' %');
});
