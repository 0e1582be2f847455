/** Tests argus_diagnose and argus_report_fix: every field, and the learned fix. errors.test.ts tests errors. */

import { expect, test } from 'vitest';
import {
  ANY_TEXT,
  CAUSE_ID,
  CONNECTION_REFUSED_FIX_ZH,
  createContractProject,
  FIX_ID,
  INSTANT,
  NEW_CASE_VERDICT,
  PATTERN_ID,
  RUN_ID,
  SHA256,
} from './contract.ts';

test('a reported fix is suggested when the same failure recurs', async () => {
  const { data, failedRun, importReport } = createContractProject();
  const { runId, unknown: caseName } = await failedRun();
  const args = { runId, caseName };

  const first = await data('argus_diagnose', args);
  expect(first).toEqual({
    category: 'UNKNOWN',
    failureKind: 'null-dereference',
    message: 'Cannot read properties of undefined (reading "id")',
    cause: { causeId: CAUSE_ID, headline: ANY_TEXT, count: 1, cases: [caseName] },
    verdict: {
      ...NEW_CASE_VERDICT,
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
    rule: ANY_TEXT,
    evidence: null,
    related: [],
    warnings: [],
  });

  const fixDescription = 'Loaded the user before its id is read';
  const fix = await data('argus_report_fix', { ...args, fixDescription });
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
  const again = await importReport('mixed.xml');
  expect(again.failures).toContainEqual(
    expect.objectContaining({
      caseName,
      known: {
        patternId: fix.patternId,
        confidence: 2 / 3,
        suggestedFix: fixDescription,
        tried: { proved: 1, claimed: 0, failed: 0 },
        standing: 'fixed 1 of 1 time',
        trust: { state: 'proved', passes: 1, needed: 1, failedIn: runId, provedBy: RUN_ID },
      },
    }),
  );
  const second = await data('argus_diagnose', { ...args, runId: again.runId });
  expect(second).toMatchObject({
    signature: first.signature,
    match: { how: 'signature', patternId: fix.patternId, similarity: 1, builtinId: null },
    pattern: {
      id: fix.patternId,
      category: 'UNKNOWN',
      signature: first.signature,
      signaturePattern: first.signaturePattern,
      description: ANY_TEXT,
      suggestedFix: fixDescription,
      confidence: 0.5,
      occurrences: 2,
      resolutions: 1,
      source: 'learned',
      firstSeenAt: INSTANT,
      lastSeenAt: INSTANT,
      updatedAt: INSTANT,
    },
    suggestedFix: fixDescription,
    confidence: 0.5,
    fixHistory: [
      {
        id: fix.fixRecordId,
        patternId: fix.patternId,
        runId,
        caseName,
        fixDescription,
        success: true,
        createdAt: INSTANT,
      },
    ],
    isNewPattern: false,
  });
});

test('a fix of a failure with a built-in pattern is learned, and counts for both patterns', async () => {
  const { data, failedRun } = createContractProject();
  const { runId, refused: caseName } = await failedRun();
  const args = { runId, caseName };
  const diagnosis = await data('argus_diagnose', args);
  expect(diagnosis).toMatchObject({
    category: 'CONNECTION_REFUSED',
    signature: SHA256,
    pattern: {
      id: 'builtin-conn-refused',
      category: 'CONNECTION_REFUSED',
      signature: 'builtin::CONNECTION_REFUSED',
      signaturePattern: 'ECONNREFUSED *:*',
      description: 'Service connection refused',
      suggestedFix: CONNECTION_REFUSED_FIX_ZH,
      confidence: 1 / 3,
      occurrences: 1,
      resolutions: 0,
      source: 'built-in',
      firstSeenAt: INSTANT,
      lastSeenAt: INSTANT,
      updatedAt: INSTANT,
    },
    suggestedFix: CONNECTION_REFUSED_FIX_ZH,
    confidence: 1 / 3,
    isNewPattern: false,
  });
  const fix = await data('argus_report_fix', { ...args, fixDescription: 'Raised startPeriod to 30s' });
  expect(fix).toMatchObject({
    patternId: 'builtin-conn-refused',
    previousConfidence: 1 / 3,
    updatedConfidence: 2 / 3,
    isNewPattern: false,
  });
  const after = await data('argus_diagnose', args);
  expect(after).toMatchObject({
    suggestedFix: 'Raised startPeriod to 30s',
    pattern: { source: 'learned', signature: diagnosis.signature },
    fixHistory: [{ fixDescription: 'Raised startPeriod to 30s' }],
  });
});
