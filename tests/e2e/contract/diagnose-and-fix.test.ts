/** argus_diagnose and argus_report_fix: every field, and what is learned. Errors: errors.test.ts. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../harness.ts';
import { junit } from '../runs/reports.ts';
import {
  CAUSE_ID,
  contract,
  FIX_ID,
  INSTANT,
  NEW_CASE,
  PATTERN_ID,
  REFUSED_FIX_ZH,
  RUN_ID,
  SHA256,
  TEXT,
} from './contract.ts';

describe.each(ERAS)('%s', (era) => {
  const at = contract(era);
  const { failedRun, importReport } = at;

  test('a failure, its diagnosis, its fix, and the same failure again', async () => {
    const { agent, root } = at;
    const { runId, unknown: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName };

    const first = await agent.data('argus_diagnose', args);
    expect(first).toEqual({
      category: 'UNKNOWN',
      failureKind: 'null-dereference',
      message: 'Cannot read properties of undefined (reading "id")',
      cause: { causeId: CAUSE_ID, headline: TEXT, count: 1, cases: [caseName] },
      verdict: {
        ...NEW_CASE,
        because: [expect.stringContaining(runId)],
        against: [],
        settle: expect.stringContaining('argus run'),
      },
      signature: SHA256,
      signaturePattern: expect.stringMatching(/^UNKNOWN::/u),
      pattern: null,
      suggestedFix: null,
      confidence: null,
      fixHistory: [],
      isNewPattern: true,
      match: { how: 'none', patternId: PATTERN_ID, similarity: null, builtinId: null },
      rule: TEXT,
      evidence: null,
      related: [],
      warnings: [],
    });

    const fix = await agent.data('argus_report_fix', {
      ...args,
      fixDescription: 'Loaded the user before its id is read',
    });
    expect(fix).toEqual({
      patternId: PATTERN_ID,
      category: 'UNKNOWN',
      previousConfidence: 1 / 3,
      updatedConfidence: 2 / 3,
      occurrences: 1,
      resolutions: 1,
      fixRecordId: FIX_ID,
      isNewPattern: false,
      state: 'claimed',
      provedBy: null,
      toProve: expect.stringContaining('passes: call argus_run'),
      trust: { state: 'claimed', passes: 0, needed: 1, failedIn: runId },
      warnings: [expect.stringContaining(`still fails in ${runId}`)],
    });

    await importReport('passed.xml');
    const again = await agent.data('argus_import', { projectPath: root, path: 'mixed.xml' });
    expect(again.failures).toContainEqual(
      expect.objectContaining({
        caseName,
        known: {
          patternId: fix.patternId,
          confidence: 2 / 3,
          suggestedFix: 'Loaded the user before its id is read',
          tried: { proved: 1, claimed: 0, failed: 0 },
          standing: 'fixed 1 of 1 time',
          trust: { state: 'proved', passes: 1, needed: 1, failedIn: runId, provedBy: RUN_ID },
        },
      }),
    );
    const second = await agent.data('argus_diagnose', { ...args, runId: again.runId });
    expect(second).toMatchObject({
      signature: first.signature,
      match: { how: 'signature', patternId: fix.patternId, similarity: 1, builtinId: null },
      pattern: {
        id: fix.patternId,
        category: 'UNKNOWN',
        signature: first.signature,
        signaturePattern: first.signaturePattern,
        description: TEXT,
        suggestedFix: 'Loaded the user before its id is read',
        confidence: 0.5,
        occurrences: 2,
        resolutions: 1,
        source: 'learned',
        firstSeenAt: INSTANT,
        lastSeenAt: INSTANT,
        updatedAt: INSTANT,
      },
      suggestedFix: 'Loaded the user before its id is read',
      confidence: 0.5,
      fixHistory: [
        {
          id: fix.fixRecordId,
          patternId: fix.patternId,
          runId,
          caseName,
          fixDescription: 'Loaded the user before its id is read',
          success: true,
          createdAt: INSTANT,
        },
      ],
      isNewPattern: false,
    });
  });

  test('a success is a claim until a run in which the case passed', async () => {
    const { agent, root } = at;
    const { runId, unknown: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName };
    const report = (fixDescription: string) => agent.data('argus_report_fix', { ...args, fixDescription });
    expect(await report('Tuned it')).toMatchObject({ state: 'claimed', provedBy: null });
    writeFileSync(path.join(root, 'fixed.xml'), junit([{ name: 'parses' }]));
    const { runId: provedBy } = await importReport('fixed.xml');
    expect(await agent.data('argus_diagnose', args)).toMatchObject({ fixHistory: [{ state: 'proved', provedBy }] });
    const again = await importReport('mixed.xml');
    const late = await report('Wished it away');
    expect(late).toMatchObject({ state: 'claimed', warnings: [expect.stringContaining(String(again.runId))] });
    const known = await agent.data('argus_diagnose', args);
    expect(known).toMatchObject({ suggestedFix: 'Tuned it', fixHistory: [{ state: 'claimed' }, { state: 'proved' }] });
    await importReport('fixed.xml');
    expect(await report('Tuned it again')).toMatchObject({ state: 'proved', toProve: null });
  });

  test('a fix without a diagnosis before it', async () => {
    const { agent, root } = at;
    const { runId, unknown: caseName } = await failedRun();
    const fix = await agent.data('argus_report_fix', { projectPath: root, runId, caseName, fixDescription: 'Fixed' });
    expect(fix).toMatchObject({
      previousConfidence: null,
      updatedConfidence: 2 / 3,
      occurrences: 1,
      resolutions: 1,
      isNewPattern: true,
    });
  });

  test('a fix that did not help', async () => {
    const { agent, root } = at;
    const { runId, unknown: caseName } = await failedRun();
    await agent.data('argus_diagnose', { projectPath: root, runId, caseName });
    const args = { projectPath: root, runId, caseName, fixDescription: 'Restarted it', success: false };
    expect(await agent.data('argus_report_fix', args)).toMatchObject({ resolutions: 0, updatedConfidence: 1 / 3 });
  });

  test('a built-in pattern', async () => {
    const { agent, root } = at;
    const { runId, refused: caseName } = await failedRun();
    const args = { projectPath: root, runId, caseName };
    const diagnosis = await agent.data('argus_diagnose', args);
    expect(diagnosis).toMatchObject({
      category: 'CONNECTION_REFUSED',
      signature: SHA256,
      pattern: {
        id: 'builtin-conn-refused',
        category: 'CONNECTION_REFUSED',
        signature: 'builtin::CONNECTION_REFUSED',
        signaturePattern: 'ECONNREFUSED *:*',
        description: 'Service connection refused',
        suggestedFix: REFUSED_FIX_ZH,
        confidence: 1 / 3,
        occurrences: 1,
        resolutions: 0,
        source: 'built-in',
        firstSeenAt: INSTANT,
        lastSeenAt: INSTANT,
        updatedAt: INSTANT,
      },
      suggestedFix: REFUSED_FIX_ZH,
      confidence: 1 / 3,
      isNewPattern: false,
    });
    const fix = await agent.data('argus_report_fix', { ...args, fixDescription: 'Raised startPeriod to 30s' });
    expect(fix).toMatchObject({
      patternId: 'builtin-conn-refused',
      previousConfidence: 1 / 3,
      updatedConfidence: 2 / 3,
      isNewPattern: false,
    });
    const after = await agent.data('argus_diagnose', args);
    expect(after).toMatchObject({
      suggestedFix: 'Raised startPeriod to 30s',
      pattern: { source: 'learned', signature: diagnosis.signature },
      fixHistory: [{ fixDescription: 'Raised startPeriod to 30s' }],
    });
  });

  test('English texts', async () => {
    const { agent, root } = at;
    writeFileSync(path.join(root, 'argus.yaml'), 'locale: en\n');
    const { runId, refused: caseName } = await failedRun();
    const { suggestedFix } = await agent.data('argus_diagnose', { projectPath: root, runId, caseName });
    expect(suggestedFix).toMatch(/^The service may not have fully started/u);
  });
});
