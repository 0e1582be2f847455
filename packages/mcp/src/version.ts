/** Version of this package, inserted by the build. It is not read from package.json, because the bundle runs alone. */

declare const ARGUS_VERSION: string | undefined;

export const VERSION = typeof ARGUS_VERSION === 'string' ? ARGUS_VERSION : '0.0.0-source';
