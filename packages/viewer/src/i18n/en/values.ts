/** English names of values that many pages show. */

import type {
  CaseState,
  FailureCategory,
  MatchKind,
  PatternSource,
  ProofStatus,
  TestState,
  VerdictKind,
} from 'argus-engine/browser';

export const category: Record<FailureCategory, string> = {
  ASSERTION_MISMATCH: 'Assertion',
  HTTP_ERROR: 'HTTP error',
  TIMEOUT: 'Timeout',
  CONNECTION_REFUSED: 'Connection refused',
  CONTAINER_OOM: 'Out of memory',
  CONTAINER_CRASH: 'Container crash',
  MOCK_MISMATCH: 'Mock mismatch',
  CONFIG_ERROR: 'Configuration',
  NETWORK_ERROR: 'Network',
  UNKNOWN: 'Unknown',
};

export const verdict: Record<VerdictKind, string> = {
  regression: 'Regression',
  broken: 'Failing since earlier',
  flaky: 'Flaky',
  infrastructure: 'The machine',
  order: 'Depends on the order',
  environment: 'Depends on the environment',
  new: 'First run of it',
  unknown: 'Unclear',
};

export const testState: Record<TestState, string> = {
  broken: 'Broken',
  flaky: 'Flaky',
  order: 'Order-bound',
  environment: 'Environment-bound',
  healthy: 'Healthy',
};

export const proof: Record<ProofStatus, string> = {
  claimed: 'Claimed',
  candidate: 'Not proved yet',
  proved: 'Proved',
  refuted: 'Refuted',
  superseded: 'Superseded',
};

export const source: Record<PatternSource, string> = { learned: 'Learned', 'built-in': 'Built-in' };

export const kind: Record<MatchKind, string> = { pattern: 'Pattern', incident: 'Incident' };

export const status: Record<CaseState, string> = {
  passed: 'Passed',
  failed: 'Failed',
  flaky: 'Flaky',
  skipped: 'Skipped',
  absent: 'Not there',
};
