// A Vitest reporter that writes the report and adds the configured reporters again, because a reporter on the command
// line replaces them. The Vitest that runs provides the list of built-in reporters.
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import report from './report.cjs';

const OWN_PATH = path.join('reporters', 'vitest.mjs');
const importFrom = async (from, name) => import(pathToFileURL(createRequire(from).resolve(name)).href);
// Since 4.1, `vitest/node` exports the list. Older versions export it in `vitest/reporters`.
const importReporters = async (program) =>
  (await importFrom(program, 'vitest/node')).ReportersMap ||
  (await importFrom(program, 'vitest/reporters')).ReportersMap;
/**
 * Falls back to the Vitest of the project, because the running program may call Vitest's functions without being part
 * of Vitest.
 */
export const findReporters = async (root) => {
  try {
    return await importReporters(realpathSync(process.argv[1]));
  } catch {
    return importReporters(path.join(root, 'package.json'));
  }
};
const isAgent = async (program) => {
  try {
    return Boolean((await importFrom(program, 'std-env')).isAgent);
  } catch {
    return false;
  }
};
const getDefaultReporters = async (program, builtInReporters) => [
  [builtInReporters.agent && (await isAgent(program)) ? 'agent' : 'default', {}],
  ...(process.env.GITHUB_ACTIONS === 'true' && builtInReporters['github-actions'] ? [['github-actions', {}]] : []),
];
const createReporter = async (chosen, builtInReporters, root) => {
  if (typeof chosen !== 'string' && !Array.isArray(chosen)) return chosen;
  const [name, options] = Array.isArray(chosen) ? chosen : [chosen, {}];
  if (builtInReporters[name]) return new builtInReporters[name](options || {});
  const module = await importFrom(path.join(root, 'package.json'), name === 'html' ? '@vitest/ui/reporter' : name);
  return new module.default(options || {});
};
const collectErrors = (task) => [...(task.result?.errors ?? []), ...(task.tasks ?? []).flatMap(collectErrors)];
/** Returns errors of a file or a suite that occurred outside its tests, while it was loaded or in a hook. */
const collectSuiteErrors = (task) =>
  task.tasks ? [...(task.result?.errors ?? []), ...task.tasks.flatMap(collectSuiteErrors)] : [];
const LACKS_VALUES = /…|\{ Object \(|\[ Array\(\d+\) \]|^Snapshot /;
/**
 * Returns the complete text of an error. Messages abbreviate large values, and omit the values of snapshots. A type
 * error has a location but no stack.
 */
const formatCompleteError = (error) => {
  const { name, message = '', stack, stacks, diff } = error;
  if (!stack) return stacks?.length > 0 ? appendPlaces(`${name}: ${message}`, stacks) : stack;
  const hasValues = !diff || !LACKS_VALUES.test(message);
  const stackWithValues = hasValues
    ? stack
    : stack.replace(message, () => `${message}\n\n${stripVTControlCharacters(diff)}`);
  return report.appendCauses(stackWithValues, error);
};
const appendPlaces = (text, places) =>
  [text, ...places.map(({ file, line, column }) => `    at ${file}:${line}:${column}`)].join('\n');
const listTests = (task) => (task.tasks ? task.tasks.flatMap(listTests) : [task]);
/**
 * Returns the project of a file if another project may contain the same file. Only the configuration decides, so that a
 * case has the same name when its project runs alone.
 */
const findAmbiguousProject = ({ projectName }, { config, projects }) => {
  const project = projectName && projects?.find((one) => (one.name ?? one.getName()) === projectName);
  // Vitest before 3 has only the second name.
  if (!project || (project.isRootProject ?? project.isCore).call(project)) return undefined;
  return isOnlyProject(config) || hasOwnFolder(project, config) ? undefined : projectName;
};
/**
 * Returns true if the configuration names only one project. A string may be a pattern for several projects, and a
 * workspace may have a separate file.
 */
const isOnlyProject = ({ projects, workspace, browser }) => {
  const listed = projects ?? workspace ?? browser?.instances;
  return Array.isArray(listed) && listed.length === 1 && typeof listed[0] !== 'string';
};
/**
 * Returns true if the project has a separate folder and a configuration with a default name, as a package has. A second
 * configuration in the same folder has another name.
 */
const hasOwnFolder = (project, { root }) => {
  const { configFile } = (project.vite ?? project.server).config;
  return project.config.root !== root && (!configFile || /^vite(?:st)?\.config\./.test(path.basename(configFile)));
};
/**
 * Records the order in which tests start. The JSON has the order of the source, and many tests start in the same
 * millisecond.
 */
const recordOrder = (json) => {
  const ranks = new Map();
  const setRank = (id) => ranks.has(id) || ranks.set(id, ranks.size);
  // Vitest before 3 calls only the second method.
  json.onTestCaseReady = ({ id }) => void setRank(id);
  json.onTaskUpdate = (packs) => {
    for (const [id] of packs) setRank(id);
  };
  return ranks;
};
const isSkipped = ({ mode }) => mode === 'skip';
const hasRun = ({ result }) => result?.state === 'pass' || result?.state === 'fail';
const isInOrder = (tests, ranks) => {
  const startRanks = tests.filter(hasRun).map(({ id }) => ranks.get(id));
  return startRanks.every((rank, at) => at === 0 || startRanks[at - 1] < rank);
};
/** Sorts the results by the start of the tests. Tests that did not run come last. */
const sortByStart = (file, tests, ranks) => {
  if (file.assertionResults.length !== tests?.length || isInOrder(tests, ranks)) return;
  const rank = (at) => (hasRun(tests[at]) ? ranks.get(tests[at].id) : Number.MAX_SAFE_INTEGER);
  const order = [...tests.keys()].sort((one, other) => rank(one) - rank(other));
  file.assertionResults = order.map((at) => file.assertionResults[at]);
};
/** Completes the JSON with the version, the order, the number of attempts, projects, and errors outside of tests. */
const completeReport = (json, files, failedFiles, vitest, ranks) => {
  const tests = files.map(listTests);
  const isOrdered = tests.flat().every((one) => !hasRun(one) || ranks.has(one.id));
  const messages = files.map((file) => formatErrors(collectSuiteErrors(file)));
  const projects = files.map((file) => findAmbiguousProject(file, vitest));
  const write = json.writeReport;
  json.writeReport = (text) => {
    // A run in watch mode writes several reports.
    json.writeReport = write;
    // Vitest before 2 has no `version`, and its JSON reporter writes no stacks.
    const lacksStacks = !vitest.version;
    const completed = completeJson(text, {
      tests,
      messages,
      projects,
      outside: failedFiles,
      lacksStacks,
      ranks: isOrdered ? ranks : undefined,
    });
    return write.call(
      json,
      prependFields(completed, { runnerVersion: vitest.version, executionOrder: isOrdered ? 'known' : undefined }),
    );
  };
};
const prependFields = (text, head) =>
  text.startsWith('{"') ? `${JSON.stringify(head).slice(0, -1)},${text.slice(1)}` : text;
const completeJson = (text, { tests, messages, projects, outside: failedFiles, lacksStacks, ranks }) => {
  const isShuffled = ranks !== undefined && !tests.every((file) => isInOrder(file, ranks));
  const hasMore = isShuffled || failedFiles.length > 0 || [...messages, ...projects].some(Boolean);
  if (!lacksStacks && !hasMore && !tests.flat().some(hasSeveralErrors)) return text;
  const report = JSON.parse(text);
  for (const [at, file] of report.testResults.entries()) {
    if (messages[at]) file.message = messages[at];
    addAttemptCounts(file, tests[at]);
    if (lacksStacks) addStacks(file, tests[at]);
    if (isShuffled) sortByStart(file, tests[at], ranks);
    if (projects[at]) addProject(file, projects[at]);
  }
  report.testResults.push(...failedFiles);
  return JSON.stringify(report);
};
/** Formats each error once, because a hook may fail for several suites with the same error. */
const formatErrors = (errors) =>
  [...new Set(errors.map((error) => formatCompleteError(error) || String(error.message)))].join('\n\n');
const hasSeveralErrors = ({ result }) => result?.errors?.length > 1;
/**
 * Adds the number of attempts, because the JSON lists several errors of one attempt in the same way as the errors of
 * several attempts.
 */
const addAttemptCounts = (file, tests) => {
  if (file.assertionResults.length !== tests?.length) return;
  for (const [number, assertion] of file.assertionResults.entries()) {
    const { retryCount = 0, repeatCount = 0 } = tests[number].result ?? {};
    if (hasSeveralErrors(tests[number])) assertion.invocations = 1 + retryCount + repeatCount;
  }
};
/** Replaces messages without stacks. */
const addStacks = (file, tests) => {
  if (file.assertionResults.length !== tests?.length) return;
  for (const [number, assertion] of file.assertionResults.entries()) {
    const errors = tests[number].result?.errors ?? [];
    assertion.failureMessages = errors.map((error) => formatCompleteError(error) || error.message);
  }
};
/**
 * Adds the project as the outermost suite. A file that failed without a failed test gets a case, because a file has no
 * suite to which the project could be added.
 */
const addProject = (file, project) => {
  const { assertionResults: tests, status, message } = file;
  if (status === 'failed' && !tests.some((test) => test.status === 'failed'))
    tests.push({ ancestorTitles: [], title: '(suite)', status, failureMessages: [message] });
  for (const test of tests) test.ancestorTitles.unshift(project);
};
/**
 * Reports errors outside of tests as files that could not be loaded, with an entry for each file that ran at the time.
 */
const createFailedFiles = (errors) => {
  const byFile = new Map();
  for (const error of errors) {
    const name = error.VITEST_TEST_PATH;
    byFile.set(name, [...(byFile.get(name) ?? []), error]);
  }
  return [...byFile].map(([name, fileErrors]) => {
    return { name, status: 'failed', message: formatErrors(fileErrors), assertionResults: [] };
  });
};
/**
 * Makes the JSON reporter of Vitest write complete stacks. The reporter reads the stacks synchronously, so no other
 * reporter sees the changed stacks.
 */
export const extendJsonReporter = (json, vitest) => {
  const ranks = recordOrder(json);
  // Vitest before 4 calls the second method.
  for (const end of ['onTestRunEnd', 'onFinished']) {
    const write = json[end];
    if (!write) continue;
    json[end] = (files, errorsOutsideTests = [], ...rest) => {
      const tasks = files.map((file) => file.task ?? file);
      const errors = tasks.flatMap(collectErrors);
      const isIgnored = vitest.config.dangerouslyIgnoreUnhandledErrors;
      report.noteFocusedTests(
        'vitest',
        tasks.filter((file) => listTests(file).some(isSkipped)).map(({ filepath }) => filepath),
      );
      completeReport(json, tasks, isIgnored ? [] : createFailedFiles(errorsOutsideTests), vitest, ranks);
      const stacks = errors.map(({ stack }) => stack);
      for (const error of errors) error.stack = formatCompleteError(error);
      const written = write.call(json, files, errorsOutsideTests, ...rest);
      for (const [index, error] of errors.entries()) error.stack = stacks[index];
      return written;
    };
  }
  return json;
};
const isThisReporter = (chosen) => String(Array.isArray(chosen) ? chosen[0] : chosen).endsWith(OWN_PATH);
const getConfiguredReporters = (vitest) => [(vitest.vite || vitest.server).config.test?.reporters ?? []].flat();
const addReporters = async (vitest, choices, builtInReporters) => {
  const added = [];
  for (const chosen of choices) {
    try {
      added.push(await createReporter(chosen, builtInReporters, vitest.config.root));
    } catch {
      added.push(new builtInReporters.default({}));
    }
  }
  vitest.reporters.push(...added);
  for (const reporter of added) await reporter.onInit?.(vitest);
};
/**
 * Adds the default reporters of Vitest if the project names no reporter except those that `isInstalled` accepts. Vitest
 * chooses a short reporter for agents only if no reporter is named.
 */
export const addDefaultReporters = async (vitest, builtInReporters, isInstalled) => {
  const otherReporters = vitest.config.reporters.filter((chosen) => !isThisReporter(chosen));
  const chosen = otherReporters.length > 0 ? otherReporters : getConfiguredReporters(vitest);
  if (!chosen.every(isInstalled)) return;
  await addReporters(
    vitest,
    await getDefaultReporters(realpathSync(process.argv[1]), builtInReporters),
    builtInReporters,
  );
};
export default class ArgusReporter {
  async onInit(vitest) {
    report.claimReportFolder();
    const program = realpathSync(process.argv[1]);
    const builtInReporters = await importReporters(program);
    const hasOtherReporters = vitest.config.reporters.some((chosen) => !isThisReporter(chosen));
    const configured = getConfiguredReporters(vitest);
    const choices = hasOtherReporters
      ? []
      : configured.length > 0
        ? configured
        : await getDefaultReporters(program, builtInReporters);
    await addReporters(vitest, choices, builtInReporters);
    // If the project installed the reporter, that reporter writes the report.
    if (report.beginReport('vitest') === undefined) return;
    const json = extendJsonReporter(new builtInReporters.json({ outputFile: report.getReportFile('vitest') }), vitest);
    vitest.reporters.push(json);
    json.onInit(vitest);
  }
}
