// Public repositories from which pairs are mined: how their tests run, and which of their files are source and tests.
// This repository contains no files of these projects.
import { createHash } from 'node:crypto';

const PYTEST = { ecosystem: 'python', run: 'pytest', passed: /\d+ passed/u };
const GO = {
  ecosystem: 'go',
  run: 'go test',
  broken: /\[(?:build|setup) failed\]/u,
  source: /^(?!.*_test\.go$)(?!_?examples?\/).*\.go$/u,
  tests: /_test\.go$/u,
};
const MOCHA = { ecosystem: 'node', run: 'npx mocha', passed: /[1-9]\d* passing/u };

/** The repositories that were tried. Those without pairs in pairs.jsonl gave none. */
const LIST = [
  { repository: 'tkem/cachetools', ...PYTEST, source: /^src\/.*\.py$/u, tests: /^tests\/test_.*\.py$/u },
  { repository: 'pallets/itsdangerous', ...PYTEST, source: /^src\/.*\.py$/u, tests: /^tests\/.*test_.*\.py$/u },
  { repository: 'lepture/mistune', ...PYTEST, source: /^src\/.*\.py$/u, tests: /^tests\/test_.*\.py$/u },
  { repository: 'python-humanize/humanize', ...PYTEST, source: /^src\/.*\.py$/u, tests: /^tests\/test_.*\.py$/u },
  { repository: 'pallets/click', ...PYTEST, source: /^src\/.*\.py$/u, tests: /^tests\/test_.*\.py$/u },
  { repository: 'mahmoud/boltons', ...PYTEST, source: /^boltons\/.*\.py$/u, tests: /^tests\/test_.*\.py$/u },
  { repository: 'gorilla/mux', ...GO },
  { repository: 'julienschmidt/httprouter', ...GO },
  { repository: 'hashicorp/go-version', ...GO },
  { repository: 'gorilla/schema', ...GO },
  { repository: 'spf13/pflag', ...GO },
  { repository: 'Masterminds/semver', ...GO },
  { repository: 'BurntSushi/toml', ...GO },
  {
    repository: 'micromatch/picomatch',
    ...MOCHA,
    packages: ['mocha@10', 'fill-range@7'],
    source: /^(?:lib\/.*|index|posix)\.js$/u,
    tests: /^test\/.*\.js$/u,
  },
  {
    repository: 'jprichardson/node-fs-extra',
    ...MOCHA,
    packages: [
      ...['mocha@10', 'graceful-fs@4', 'jsonfile@6', 'universalify@2', 'klaw@2', 'klaw-sync@3', 'minimist@1'],
      ...['proxyquire@2', 'read-dir-files@0.1', 'at-least-node@1'],
    ],
    source: /^lib\/(?!.*__tests__).*\.js$/u,
    tests: /__tests__\/.*\.test\.js$/u,
  },
  {
    repository: 'jonschlinkert/micromatch',
    ...MOCHA,
    packages: ['mocha@10', 'fill-range@7', 'braces@3', 'picomatch@2', 'minimatch@3', 'time-require@0.1'],
    source: /^index\.js$/u,
    tests: /^test\/.*\.js$/u,
  },
  {
    repository: 'tj/commander.js',
    ecosystem: 'node',
    run: 'npx jest',
    passed: /Tests:.* [1-9]\d* passed/u,
    packages: ['jest@29'],
    source: /^(?:lib\/.*|index)\.js$/u,
    tests: /^tests\/.*\.test\.js$/u,
  },
  {
    repository: 'unjs/ufo',
    ecosystem: 'node',
    run: 'npx vitest run',
    passed: /Tests .*[1-9]\d* passed/u,
    packages: ['vitest@3'],
    source: /^src\/.*\.ts$/u,
    tests: /^test\/.*\.test\.ts$/u,
  },
  {
    repository: 'unjs/pathe',
    ecosystem: 'node',
    run: 'npx vitest run',
    passed: /Tests .*[1-9]\d* passed/u,
    packages: ['vitest@3', 'zeptomatch@2'],
    source: /^src\/.*\.ts$/u,
    tests: /^test\/.*\.(?:test|spec)\.ts$/u,
  },
  {
    repository: 'ljharb/qs',
    ecosystem: 'node',
    run: 'npx tape',
    passed: /^# pass +[1-9]/mu,
    packages: [
      ...['tape@5', 'side-channel@1', 'es-define-property@1', 'es-value-fixtures@1', 'for-each@0.3', 'has-bigints@1'],
      ...['has-override-mistake@1', 'has-property-descriptors@1', 'has-proto@1', 'has-symbols@1', 'iconv-lite@0.5'],
      ...['mock-property@1', 'object-inspect@1', 'qs-iconv@1', 'safe-publish-latest@2', 'safer-buffer@2'],
    ],
    source: /^lib\/.*\.js$/u,
    tests: /^test\/.*\.js$/u,
  },
];

const hash = (text) => createHash('sha256').update(text).digest('hex');

/** The repositories with their split. In each ecosystem every second one, in the order of hashes, is held out. */
export const REPOSITORIES = LIST.map((one) => {
  const order = LIST.filter(({ ecosystem }) => ecosystem === one.ecosystem)
    .map(({ repository }) => hash(repository))
    .sort();
  const isHeldOut = order.indexOf(hash(one.repository)) % 2 === 1;
  return { ...one, split: isHeldOut ? 'held out' : 'development' };
});
