/** Exports that the Node entry and the browser entry share. */

import { PAGE_CALLS } from './generated/calls.ts';

export { EngineError, type EngineErrorCode } from './errors.ts';
export { type CallName, type Calls, PAGE_CALLS, WRITING_CALLS } from './generated/calls.ts';
export type * from './generated/contract.ts';
export {
  ENGINE_ERROR_CODES,
  FAILURE_CATEGORIES,
  FAILURE_KINDS,
  FIX_APPROACHES,
  LIMITS,
  LOCALES,
  PATTERN_SORTS,
  PATTERN_SOURCES,
  QUARANTINE_FILE,
  REPORT_FORMATS,
  RUN_STATUSES,
  SCOPES,
  TEST_STATES,
} from './generated/contract.ts';
export type { Log } from './host.ts';
export { type InspectedEvent, Inspector, type InspectorOptions } from './inspector.ts';

/** Names of the calls that a page in a browser may make. */
export type PageCallName = (typeof PAGE_CALLS)[number];

/** Returns true if `name`, which comes from outside, is a call that a page may make. */
export function isPageCall(name: string): name is PageCallName {
  return PAGE_CALLS.some((call) => call === name);
}
