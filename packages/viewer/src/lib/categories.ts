/** The ten categories, in the contract's order. Their names for a reader: i18n/. */

import type { FailureCategory } from 'argus-engine/browser';

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
] as const satisfies readonly FailureCategory[];
