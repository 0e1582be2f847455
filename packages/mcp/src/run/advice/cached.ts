/**
 * Detects test results that a cache replayed. Task runners write no report in that case. Go replays passed tests of a
 * package only if the test binary, its flags, and the files and environment variables that it read are the same.
 * Therefore such a pass counts everywhere, even in a fix loop. Go does not know other inputs of a test, for example a
 * server.
 */

import { visible } from '../../text/untrusted.ts';

const TURBO_HIT = /^(\S+?):(\S*test\S*): cache hit/gimu;
const NX_HITS = /Nx read the output from the cache instead of running the command for (\d+) out of (\d+) tasks/u;
const GO_PACKAGE = /^ok {2}\t\S+\t(\(cached\))?/gmu;

/** A note if replayed tasks may have included tests. */
export function cachedNote(printed: string): string | undefined {
  const text = visible(printed);
  const packages = new Set([...text.matchAll(TURBO_HIT)].map(([, name]) => name));
  if (packages.size > 0) return sentence(`Turbo replayed the tests of ${count(packages.size)}`, '--force');
  const [, cached, all] = NX_HITS.exec(text) ?? [];
  if (cached !== undefined) return sentence(`Nx replayed ${cached} of ${all} tasks`, '--skip-nx-cache');
  const passed = [...text.matchAll(GO_PACKAGE)];
  const replayed = passed.filter(([, mark]) => mark !== undefined).length;
  if (replayed === 0) return undefined;
  return `Go replayed ${replayed} of ${passed.length} passed packages from its cache: their tests did not run now. Add -count=1 to run them.`;
}

function count(packages: number): string {
  return packages === 1 ? 'one package' : `${packages} packages`;
}

function sentence(what: string, option: string): string {
  return `${what} from its cache: their cases are not in this run. Add ${option} to run them.`;
}
