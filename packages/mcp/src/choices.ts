/**
 * What may be chosen from in arguments, options and the configuration. Checking a choice: the schemas.
 */

import type { FailureCategory, ReportFormat } from 'argus-engine';

/** The ten of the contract, in its order. */
export const CATEGORIES = [
  'ASSERTION_MISMATCH',
  'HTTP_ERROR',
  'TIMEOUT',
  'CONNECTION_REFUSED',
  'CONTAINER_OOM',
  'CONTAINER_CRASH',
  'MOCK_MISMATCH',
  'CONFIG_ERROR',
  'NETWORK_ERROR',
  'UNKNOWN',
] as const satisfies FailureCategory[];

export const FORMATS = ['junit', 'ctrf', 'jest', 'playwright', 'tap', 'go-test'] as const satisfies ReportFormat[];
