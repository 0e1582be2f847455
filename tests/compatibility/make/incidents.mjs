// Incidents of the debug memory, each with solutions and outcomes.
import { Chance } from './chance.mjs';
import { THINGS } from './templates.mjs';

const PROBLEMS = [
  {
    title: 'npm ci of {thing} hangs behind the proxy',
    error:
      'npm error code ETIMEDOUT\nnpm error network request to https://mirror.internal/@shop/{thing} failed, reason: connect ETIMEDOUT {ip}:443',
    summary: 'The mirror closes idle connections after 30 seconds, and the client waits without a limit.',
    steps: [
      'Set fetch-timeout=600000 and maxsockets=4 in the .npmrc of {thing}.',
      'Take {thing} from the mirror inside the network.',
    ],
    tags: ['ci', 'npm'],
  },
  {
    title: 'The {thing} worker finds its database locked',
    error:
      'SqliteError: database is locked\n    at Database.exec (node_modules/better-sqlite3/lib/methods/wrappers.js:9:14)\n    at open{Thing} (src/{thing}/store.js:{a}:12)',
    summary: null,
    steps: ['Set busy_timeout to 5000 in {thing} and begin immediate.'],
    tags: ['sqlite'],
  },
  {
    title: 'Build of {thing} finds no linker',
    error:
      'error: linker `cc` not found\n  |\n  = note: No such file or directory (os error 2)\n\nerror: could not compile `{thing}` (bin "{thing}") due to 1 previous error',
    summary: 'The slim image has no compiler.',
    steps: [
      'Install build-essential in the image of {thing}.',
      'Build {thing} in the full image and copy the program.',
    ],
    tags: ['rust', 'docker'],
  },
  {
    title: 'The {thing} page answers 431 to long cookies',
    error: 'HTTP/1.1 431 Request Header Fields Too Large\nserver: {thing}-web',
    summary: 'The session cookie holds the whole {thing}.',
    steps: ['Start node with --max-http-header-size=65536.', 'Keep only the id of the {thing} in the cookie.'],
    tags: ['dev'],
  },
  {
    title: 'Dev watcher of {thing} runs out of file handles',
    error:
      "Error: EMFILE: too many open files, watch '/srv/{thing}/src'\n    at FSWatcher.<computed> (node:internal/fs/watchers:247:19)\n    at watch{Thing} (file:///srv/{thing}/dev/watch.mjs:{a}:10)",
    summary: 'One watcher was opened for every source file.',
    steps: ['Watch the folder of {thing} recursively in one watcher.'],
    tags: ['node', 'dev'],
  },
  {
    title: 'Deployment of {thing} never becomes ready',
    error:
      'Readiness probe failed: Get "http://{ip}:8080/{thing}/ready": dial tcp {ip}:8080: connect: connection refused\nBack-off restarting failed container {thing} in pod {thing}-5d9{hex8}-abcde',
    summary: 'The probe begins before the caches of {thing} are filled.',
    steps: ['Give {thing} a startupProbe of two minutes.', 'Fill the caches of {thing} in an init container.'],
    tags: ['k8s'],
  },
  {
    title: 'pip cannot build the wheel of {thing}-client',
    error:
      "error: command '/usr/bin/gcc' failed with exit code 1\n  {thing}/_native.c:{a}:10: fatal error: Python.h: No such file or directory\nERROR: Failed building wheel for {thing}-client",
    summary: null,
    steps: ['Install python3-dev before {thing}-client.'],
    tags: ['python', 'ci'],
  },
  {
    title: 'The {thing} certificate is not trusted in the test network',
    error:
      'javax.net.ssl.SSLHandshakeException: PKIX path building failed: unable to find valid certification path to requested target\n\tat com.acme.{thing}.{Thing}Client.open({Thing}Client.java:{a})',
    summary: 'The internal authority is missing in the trust store of the image.',
    steps: [
      'Import the internal authority with keytool in the {thing} image.',
      'Mount the trust store of the host into {thing}.',
    ],
    tags: ['java', 'tls'],
  },
];

const ENVIRONMENTS = [
  { os_family: 'linux', language: 'typescript', language_major: 5, runtime: 'node 22' },
  { os_family: 'macos', language: 'typescript', language_major: 5, runtime: 'node 20' },
  { os_family: 'linux', language: 'python', language_major: 3, framework: 'django', framework_major: 5 },
  { os_family: 'windows', language: 'java', language_major: 21 },
  { os_family: 'linux', language: 'rust', language_major: 1 },
];

const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

/** Makes `count` incidents. */
export function incidents(count, seed) {
  const chance = new Chance(seed + 2);
  return Array.from({ length: count }, (_, index) => {
    const problem = PROBLEMS[index % PROBLEMS.length];
    const thing = THINGS[(index * 3 + Math.floor(index / PROBLEMS.length)) % THINGS.length];
    const ip = `10.${chance.below(250)}.${chance.below(250)}.${chance.between(2, 250)}`;
    const values = { thing, Thing: capitalized(thing), ip, a: chance.between(8, 90), hex8: chance.hex(8) };
    const fill = (text) => text?.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) ?? undefined;
    return {
      title: fill(problem.title),
      error: fill(problem.error),
      summary: fill(problem.summary),
      tags: problem.tags,
      solutions: problem.steps.map((steps) => ({
        steps: fill(steps),
        env: chance.of(ENVIRONMENTS),
        outcomes: Array.from({ length: chance.between(1, 4) }, () => ({
          worked: chance.below(4) > 0,
          env: chance.of(ENVIRONMENTS),
          notes: chance.below(3) === 0 ? `Seen on ${chance.of(['the arm runner', 'a laptop', 'staging'])}.` : undefined,
        })),
      })),
    };
  });
}
