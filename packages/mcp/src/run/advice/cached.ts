/** Task runners that print what a task printed before, in place of running it: its tests leave no report then. */

import { visible } from '../../text/untrusted.ts';

const TURBO_HIT = /^(\S+?):(\S*test\S*): cache hit/gimu;
const NX_HITS = /Nx read the output from the cache instead of running the command for (\d+) out of (\d+) tasks/u;

/** One sentence, where tests may be among what was not run. */
export function cachedNote(printed: string): string | undefined {
  const text = visible(printed);
  const packages = new Set([...text.matchAll(TURBO_HIT)].map(([, name]) => name));
  if (packages.size > 0) return sentence(`Turbo replayed the tests of ${count(packages.size)}`, '--force');
  const [, cached, all] = NX_HITS.exec(text) ?? [];
  return cached === undefined ? undefined : sentence(`Nx replayed ${cached} of ${all} tasks`, '--skip-nx-cache');
}

function count(packages: number): string {
  return packages === 1 ? 'one package' : `${packages} packages`;
}

function sentence(what: string, option: string): string {
  return `${what} from its cache: their cases are not in this run. Add ${option} to run them.`;
}
