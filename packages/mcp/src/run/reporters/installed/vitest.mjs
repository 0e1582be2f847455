// The Vitest reporter that a project installs. If it is the only reporter, it adds the reporter that Vitest would
// choose, so that agents get Vitest's short output. In watch mode, each rerun is a separate run.
import report from '../report.cjs';
import { addDefaultReporters, extendJsonReporter, findReporters } from '../vitest.mjs';

const isInstalled = (chosen) =>
  chosen instanceof ArgusReporter || /argus-mcp[\\/]vitest$/.test(Array.isArray(chosen) ? chosen[0] : chosen);
const hasFailed = (task) => task.result?.state === 'fail' || (task.tasks ?? []).some(hasFailed);

export default class ArgusReporter {
  #vitest;
  #known;
  #run;

  async onInit(vitest) {
    this.#vitest = vitest;
    this.#known = await findReporters(vitest.config.root).catch(() => undefined);
    if (this.#known !== undefined) await addDefaultReporters(vitest, this.#known, isInstalled);
    this.#begin();
  }

  onTestRunStart() {
    this.#begin();
  }

  onWatcherRerun() {
    this.#begin();
  }

  onTestCaseReady(test) {
    this.#run?.json?.onTestCaseReady(test);
  }

  /** Vitest before 3 calls this method, because it has no event for each test. */
  onTaskUpdate(packs) {
    this.#run?.json?.onTaskUpdate(packs);
  }

  onTestRunEnd(modules, errors) {
    return this.#end('onTestRunEnd', modules, errors);
  }

  /** Vitest before 4 calls this method. */
  onFinished(files, errors) {
    return this.#end('onFinished', files, errors);
  }

  /** Ignores errors, because an unknown version of Vitest must not make a run fail. */
  #begin() {
    if (this.#run !== undefined || this.#known?.json === undefined) return;
    const recording = report.beginReport('vitest', true);
    if (recording === undefined) return;
    const run = { recording, isCancelled: false };
    try {
      run.json = extendJsonReporter(new this.#known.json({}), this.#vitest);
      run.json.writeReport = async (text) => report.writeReport('vitest', text);
      // Hides the messages that the JSON reporter prints about its report.
      const logger = { log() {}, warn() {}, error() {} };
      run.json.onInit(Object.create(this.#vitest, { logger: { value: logger } }));
      // Only a keyboard input cancels the recording. A run that stops at a failure is recorded.
      this.#vitest.onCancel?.((reason) => {
        run.isCancelled = reason === 'keyboard-input';
      });
    } catch {}
    this.#run = run;
  }

  async #end(name, files, errors = []) {
    const run = this.#run;
    // Vitest 3 calls both methods at the end.
    if (run?.json?.[name] === undefined) return;
    this.#run = undefined;
    try {
      await run.json[name](files, errors);
    } catch {}
    // Waits so that the other reporters print first.
    await new Promise(setImmediate);
    const tasks = files.map((file) => file.task ?? file);
    const { testNamePattern, dangerouslyIgnoreUnhandledErrors } = this.#vitest.config;
    const errorsOutsideTests = dangerouslyIgnoreUnhandledErrors ? [] : errors;
    run.recording.end({
      command: report.formatCommand('vitest', process.argv.slice(2)),
      exitCode: errorsOutsideTests.length > 0 || tasks.some(hasFailed) ? 1 : 0,
      filter: testNamePattern?.source,
      output: errorsOutsideTests.map(({ stack, message }) => stack || message).join('\n'),
      isOver: run.isCancelled || (errorsOutsideTests.length === 0 && tasks.length === 0),
    });
  }
}
