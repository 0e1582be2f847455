/**
 * What is printed again in place of running it. Task runners leave no report then. Go replays the tests of a package as
 * passed, and only where the test binary, its flags, and the files and environment variables that it read are those of a
 * run that passed. So such a pass counts as one everywhere, also for the result of a fix loop: no change that the test
 * depends on lies between. Go does not know what a test reads from elsewhere, as from a server.
 */

import { visible } from '../../text/untrusted.ts';

const TURBO_HIT = /^(\S+?):(\S*test\S*): cache hit/gimu;
const NX_HITS = /Nx read the output from the cache instead of running the command for (\d+) out of (\d+) tasks/u;
const GO_PACKAGE = /^ok {2}\t\S+\t(\(cached\))?/gmu;

/** One sentence, where tests may be among what was not run. */
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
