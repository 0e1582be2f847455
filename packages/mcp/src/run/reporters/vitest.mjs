// A Vitest reporter that writes the report and restores the configured reporters, because a reporter on the command
// line replaces them. It reads the list of built-in reporters from the Vitest that runs.
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import report from './report.cjs';

const SELF = path.join('reporters', 'vitest.mjs');
const load = async (from, name) => import(pathToFileURL(createRequire(from).resolve(name)).href);
// The location since 4.1, and the location before.
const knownTo = async (program) =>
  (await load(program, 'vitest/node')).ReportersMap || (await load(program, 'vitest/reporters')).ReportersMap;
/** A program that calls functions of Vitest is not part of Vitest. */
export const knownIn = async (root) => {
  try {
    return await knownTo(realpathSync(process.argv[1]));
  } catch {
    return knownTo(path.join(root, 'package.json'));
  }
};
const isAgent = async (program) => {
  try {
    return Boolean((await load(program, 'std-env')).isAgent);
  } catch {
    return false;
  }
};
const chosenByVitest = async (program, known) => [
  [known.agent && (await isAgent(program)) ? 'agent' : 'default', {}],
  ...(process.env.GITHUB_ACTIONS === 'true' && known['github-actions'] ? [['github-actions', {}]] : []),
];
const reporterOf = async (chosen, known, root) => {
  if (typeof chosen !== 'string' && !Array.isArray(chosen)) return chosen;
  const [name, options] = Array.isArray(chosen) ? chosen : [chosen, {}];
  if (known[name]) return new known[name](options || {});
  const module = await load(path.join(root, 'package.json'), name === 'html' ? '@vitest/ui/reporter' : name);
  return new module.default(options || {});
};
const errorsOf = (task) => [...(task.result?.errors ?? []), ...(task.tasks ?? []).flatMap(errorsOf)];
/** Errors of a file or a suite outside its tests: during loading or in a hook. */
const suiteErrorsOf = (task) =>
  task.tasks ? [...(task.result?.errors ?? []), ...task.tasks.flatMap(suiteErrorsOf)] : [];
const LACKS_VALUES = /…|\{ Object \(|\[ Array\(\d+\) \]|^Snapshot /;
/**
 * The complete text of an error. Messages abbreviate large values and omit those of snapshots, and a type error has a
 * location but no stack.
 */
const toldWhole = (error) => {
  const { name, message = '', stack, stacks, diff } = error;
  if (!stack) return stacks?.length > 0 ? withPlaces(`${name}: ${message}`, stacks) : stack;
  const hasValues = !diff || !LACKS_VALUES.test(message);
  const told = hasValues ? stack : stack.replace(message, () => `${message}\n\n${stripVTControlCharacters(diff)}`);
  return report.withCauses(told, error);
};
const withPlaces = (text, places) =>
  [text, ...places.map(({ file, line, column }) => `    at ${file}:${line}:${column}`)].join('\n');
const testsOf = (task) => (task.tasks ? task.tasks.flatMap(testsOf) : [task]);
/**
 * The name of a file's project if another project may contain the same file. Only the configuration decides, so that a
 * case has the same name when its project runs alone.
 */
const sharingProject = ({ projectName }, { config, projects }) => {
  const project = projectName && projects?.find((one) => (one.name ?? one.getName()) === projectName);
  // The second name is for Vitest before 3.
  if (!project || (project.isRootProject ?? project.isCore).call(project)) return undefined;
  return isOnlyOne(config) || hasOwnFolder(project, config) ? undefined : projectName;
};
/** A string may be a pattern for several projects, and a workspace may have its own file. */
const isOnlyOne = ({ projects, workspace, browser }) => {
  const listed = projects ?? workspace ?? browser?.instances;
  return Array.isArray(listed) && listed.length === 1 && typeof listed[0] !== 'string';
};
/**
 * Returns true if the project has a separate folder and a default configuration, like a package. A second configuration
 * in the same folder has a different name.
 */
const hasOwnFolder = (project, { root }) => {
  const { configFile } = (project.vite ?? project.server).config;
  return project.config.root !== root && (!configFile || /^vite(?:st)?\.config\./.test(path.basename(configFile)));
};
/**
 * Records the order in which tests start, because the JSON has the order of the source and many tests start in the same
 * millisecond.
 */
const watchOrder = (json) => {
  const ranks = new Map();
  const note = (id) => ranks.has(id) || ranks.set(id, ranks.size);
  // The second method is for Vitest before 3.
  json.onTestCaseReady = ({ id }) => void note(id);
  json.onTaskUpdate = (packs) => {
    for (const [id] of packs) note(id);
  };
  return ranks;
};
const hasRun = ({ result }) => result?.state === 'pass' || result?.state === 'fail';
const isInOrder = (tests, ranks) => {
  const begun = tests.filter(hasRun).map(({ id }) => ranks.get(id));
  return begun.every((rank, at) => at === 0 || begun[at - 1] < rank);
};
/** Tests that did not run come last. */
const reorder = (file, tests, ranks) => {
  if (file.assertionResults.length !== tests?.length || isInOrder(tests, ranks)) return;
  const rank = (at) => (hasRun(tests[at]) ? ranks.get(tests[at].id) : Number.MAX_SAFE_INTEGER);
  const order = [...tests.keys()].sort((one, other) => rank(one) - rank(other));
  file.assertionResults = order.map((at) => file.assertionResults[at]);
};
/**
 * Adds facts that the JSON lacks: the version, the order, the number of attempts, projects, and complete errors outside
 * of tests.
 */
const tellMore = (json, files, outside, vitest, ranks) => {
  const tests = files.map(testsOf);
  const isOrdered = tests.flat().every((one) => !hasRun(one) || ranks.has(one.id));
  const messages = files.map((file) => textOf(suiteErrorsOf(file)));
  const projects = files.map((file) => sharingProject(file, vitest));
  const write = json.writeReport;
  json.writeReport = (text) => {
    // A run in watch mode writes several reports.
    json.writeReport = write;
    // Vitest before 2 has no `version`, and its JSON reporter writes no stacks.
    const lacksStacks = !vitest.version;
    const more = withMore(text, {
      tests,
      messages,
      projects,
      outside,
      lacksStacks,
      ranks: isOrdered ? ranks : undefined,
    });
    return write.call(
      json,
      withHead(more, { runnerVersion: vitest.version, executionOrder: isOrdered ? 'known' : undefined }),
    );
  };
};
const withHead = (text, head) =>
  text.startsWith('{"') ? `${JSON.stringify(head).slice(0, -1)},${text.slice(1)}` : text;
const withMore = (text, { tests, messages, projects, outside, lacksStacks, ranks }) => {
  const isShuffled = ranks !== undefined && !tests.every((file) => isInOrder(file, ranks));
  const hasMore = isShuffled || outside.length > 0 || [...messages, ...projects].some(Boolean);
  if (!lacksStacks && !hasMore && !tests.flat().some(hasSeveralErrors)) return text;
  const report = JSON.parse(text);
  for (const [at, file] of report.testResults.entries()) {
    if (messages[at]) file.message = messages[at];
    addAttempts(file, tests[at]);
    if (lacksStacks) addStacks(file, tests[at]);
    if (isShuffled) reorder(file, tests[at], ranks);
    if (projects[at]) addProject(file, projects[at]);
  }
  report.testResults.push(...outside);
  return JSON.stringify(report);
};
/** Each error is listed once, because a hook may fail for several suites. */
const textOf = (errors) => [...new Set(errors.map((error) => toldWhole(error) || String(error.message)))].join('\n\n');
const hasSeveralErrors = ({ result }) => result?.errors?.length > 1;
/**
 * Adds the number of attempts, because the JSON lists several errors of the same attempt and errors of several attempts
 * in the same way.
 */
const addAttempts = (file, tests) => {
  if (file.assertionResults.length !== tests?.length) return;
  for (const [number, assertion] of file.assertionResults.entries()) {
    const { retryCount = 0, repeatCount = 0 } = tests[number].result ?? {};
    if (hasSeveralErrors(tests[number])) assertion.invocations = 1 + retryCount + repeatCount;
  }
};
/** Replaces plain messages by stacks. */
const addStacks = (file, tests) => {
  if (file.assertionResults.length !== tests?.length) return;
  for (const [number, assertion] of file.assertionResults.entries()) {
    const errors = tests[number].result?.errors ?? [];
    assertion.failureMessages = errors.map((error) => toldWhole(error) || error.message);
  }
};
/**
 * Adds the project as the outermost suite. A file that failed without a test becomes a case, because it has no suite of
 * its own.
 */
const addProject = (file, project) => {
  const { assertionResults: tests, status, message } = file;
  if (status === 'failed' && !tests.some((test) => test.status === 'failed'))
    tests.push({ ancestorTitles: [], title: '(suite)', status, failureMessages: [message] });
  for (const test of tests) test.ancestorTitles.unshift(project);
};
/** Reports errors outside of tests as files that could not be loaded, with an entry for each running file. */
const failedFiles = (errors) => {
  const byFile = new Map();
  for (const error of errors) {
    const name = error.VITEST_TEST_PATH;
    byFile.set(name, [...(byFile.get(name) ?? []), error]);
  }
  return [...byFile].map(([name, all]) => {
    return { name, status: 'failed', message: textOf(all), assertionResults: [] };
  });
};
/**
 * Makes the JSON reporter of Vitest write complete stacks. It reads them synchronously, so that no other reporter sees
 * the changed stacks.
 */
export const tellingValues = (json, vitest) => {
  const ranks = watchOrder(json);
  // The second method is for Vitest before 4.
  for (const end of ['onTestRunEnd', 'onFinished']) {
    const write = json[end];
    if (!write) continue;
    json[end] = (files, outside = [], ...rest) => {
      const tasks = files.map((file) => file.task ?? file);
      const errors = tasks.flatMap(errorsOf);
      const isIgnored = vitest.config.dangerouslyIgnoreUnhandledErrors;
      tellMore(json, tasks, isIgnored ? [] : failedFiles(outside), vitest, ranks);
      const stacks = errors.map(({ stack }) => stack);
      for (const error of errors) error.stack = toldWhole(error);
      const written = write.call(json, files, outside, ...rest);
      for (const [index, error] of errors.entries()) error.stack = stacks[index];
      return written;
    };
  }
  return json;
};
export default class ArgusReporter {
  async onInit(vitest) {
    report.take();
    const program = realpathSync(process.argv[1]);
    const known = await knownTo(program);
    const root = vitest.config.root;
    const own = (chosen) => String(Array.isArray(chosen) ? chosen[0] : chosen).endsWith(SELF);
    const named = vitest.config.reporters.some((chosen) => !own(chosen));
    const configured = [(vitest.vite || vitest.server).config.test?.reporters ?? []].flat();
    const wanted = named ? [] : configured.length > 0 ? configured : await chosenByVitest(program, known);
    const added = [];
    for (const chosen of wanted) {
      try {
        added.push(await reporterOf(chosen, known, root));
      } catch {
        added.push(new known.default({}));
      }
    }
    vitest.reporters.push(...added);
    for (const reporter of added) await reporter.onInit?.(vitest);
    // A reporter that the project installed writes the report.
    if (report.begin('vitest') === undefined) return;
    const json = tellingValues(new known.json({ outputFile: report.fileOf('vitest') }), vitest);
    vitest.reporters.push(json);
    json.onInit(vitest);
  }
}
