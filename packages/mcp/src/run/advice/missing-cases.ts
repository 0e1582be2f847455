/**
 * Notes that explain why cases are missing from a run: a cache replayed their results, the runner stopped at a failure,
 * or the tests ran elsewhere.
 */

import { removeInvisibleCharacters } from '../../text/untrusted-text.ts';
import { parseCommandWords, parseScriptWords } from '../planning/plan.ts';

/*
 * Detects test results that a cache replayed. Task runners write no report for replayed tests. Go replays passed tests
 * of a package only if the test binary, its flags, and the files and environment variables that it read are the same.
 * Therefore a pass that Go replays counts like any other pass, even in a fix loop. Go does not track other inputs of a
 * test, for example a server.
 */

const TURBO_HIT = /^(\S+?):(\S*test\S*): cache hit/gimu;
const NX_HITS = /Nx read the output from the cache instead of running the command for (\d+) out of (\d+) tasks/u;
const GO_PACKAGE = /^ok {2}\t\S+\t(\(cached\))?/gmu;

/** Returns a note if replayed tasks may have included tests. */
export function createCacheNote(printed: string): string | undefined {
  const text = removeInvisibleCharacters(printed);
  const packages = new Set([...text.matchAll(TURBO_HIT)].map(([, name]) => name));
  if (packages.size > 0)
    return createReplayNote(`Turbo replayed the tests of ${formatPackageCount(packages.size)}`, '--force');
  const [, cached, total] = NX_HITS.exec(text) ?? [];
  if (cached !== undefined) return createReplayNote(`Nx replayed ${cached} of ${total} tasks`, '--skip-nx-cache');
  const passed = [...text.matchAll(GO_PACKAGE)];
  const replayed = passed.filter(([, mark]) => mark !== undefined).length;
  if (replayed === 0) return undefined;
  return `Go replayed ${replayed} of ${passed.length} passed packages from its cache, so their tests did not run. Add -count=1 to run them.`;
}

function formatPackageCount(packages: number): string {
  return packages === 1 ? '1 package' : `${packages} packages`;
}

function createReplayNote(replayed: string, option: string): string {
  return `${replayed} from its cache, so their cases are not in this run. Add ${option} to run them.`;
}

/*
 * Detects tests that a runner did not start after a failure. nextest prints their number, but its report does not list
 * them. Cargo stops after the first target with a failure, and does not print which targets are left.
 */

const NEXTEST_NOT_RUN = /\b(\d+)\/(\d+) tests? (?:was|were) not run due to test failure\b/u;
/** Jest prints numbers in this form if files were skipped, or if it stopped before the last file (`--bail`). */
const JEST_SUITES = /^Test Suites: (?:\d+ failed, )?(?:(\d+) skipped, )?.*\b(\d+) of (\d+) total$/mu;
const AVA_FAIL_FAST = /^ *(`--fail-fast` is on\. (?:At least )?\d.+)$/mu;
const PYTEST_STOPPED =
  /^!+ (?:stopping after \d+ failures?|_pytest\.outcomes\.Exit: .*|xdist\.dsession\.Interrupted: .*) !+$/mu;
const CARGO_TEST_FAILED = /^error: (?:doc)?test failed, to rerun pass `(?<target>[^`\n]+)`/mu;
/** Cargo prints this line if it ran all targets. */
const CARGO_RAN_ALL_TARGETS = /^error: \d+ targets? failed:/mu;

/** Returns a note if a runner stopped before it had started all tests. */
export function createNotRunNote(printed: string): string | undefined {
  const text = removeInvisibleCharacters(printed);
  const [, notRun, total] = NEXTEST_NOT_RUN.exec(text) ?? [];
  if (notRun !== undefined) {
    return `nextest stopped at a failure: ${notRun} of ${total} tests did not run. Add --no-fail-fast to run all of them.`;
  }
  const [, skipped = 0, ran, files] = JEST_SUITES.exec(text) ?? [];
  const unstarted = Number(files) - Number(ran) - Number(skipped);
  if (unstarted > 0) return `Jest stopped at a failure: ${unstarted} of ${files} test files did not run.`;
  const avaMessage = AVA_FAIL_FAST.exec(text)?.[1];
  if (avaMessage !== undefined) return `AVA stopped at a failure: ${avaMessage}`;
  if (PYTEST_STOPPED.test(text)) return 'pytest stopped before its last test, so the tests after it did not run.';
  const target = CARGO_TEST_FAILED.exec(text)?.groups?.target;
  // Doctests are the last target of a package.
  if (target === undefined || target.includes('--doc') || CARGO_RAN_ALL_TARGETS.test(text)) return undefined;
  return `cargo stopped after the tests of ${target} failed, so the targets after it (other test files, doctests) did not run. Add --no-fail-fast to run all of them.`;
}

/*
 * Detects commands that run tests where no reporter of this machine is loaded: in a container or on another machine.
 * The cases are then read from the output, or from a report that the command copies back (`test.report`).
 */

/** Programs, with the subcommands that run another command elsewhere. If `commands` is missing, all subcommands do. */
const REMOTE_PROGRAMS: readonly { program: RegExp; commands?: ReadonlySet<string>; where: string }[] = [
  {
    program: /^(?:docker|podman|nerdctl)(?:-compose)?$/u,
    commands: new Set(['run', 'exec', 'up']),
    where: 'a container',
  },
  { program: /^(?:kubectl|oc)$/u, commands: new Set(['exec', 'run', 'debug']), where: 'a container' },
  { program: /^devcontainer$/u, commands: new Set(['exec']), where: 'a container' },
  { program: /^(?:ssh|vagrant)$/u, where: 'another machine' },
];

/** Returns a note for a run without a report, if its tests run elsewhere. */
export function createRemoteTestsNote(command: string, root: string): string | undefined {
  for (const words of [parseCommandWords(command), parseScriptWords(command, root)]) {
    const remoteProgram = REMOTE_PROGRAMS.find(({ program, commands }) => {
      return program.test(words[0] ?? '') && (commands === undefined || words.some((word) => commands.has(word)));
    });
    if (remoteProgram !== undefined) return formatElsewhereNote(remoteProgram.where);
  }
  return undefined;
}

function formatElsewhereNote(where: string): string {
  return `Argus cannot add a reporter to tests in ${where}, so it reads the cases from the output. To record all cases, let the command write a report into a folder on this machine and set test.report in argus.yaml.`;
}
