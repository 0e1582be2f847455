/**
 * Version of this package, put in by the build. package.json is not read at run time: the bundle stands alone.
 */

declare const ARGUS_VERSION: string | undefined;

export const VERSION = typeof ARGUS_VERSION === 'string' ? ARGUS_VERSION : '0.0.0-source';
