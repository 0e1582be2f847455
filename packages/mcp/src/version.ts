/**
 * Version of this package, inserted by the build. The bundle runs alone, so it does not read package.json.
 */

declare const ARGUS_VERSION: string | undefined;

export const VERSION = typeof ARGUS_VERSION === 'string' ? ARGUS_VERSION : '0.0.0-source';
