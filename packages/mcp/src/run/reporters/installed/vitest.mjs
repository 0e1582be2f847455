// The Vitest reporter that a project installs, in addition to reporters that print. In watch mode, each rerun is a
// separate run.
import report from '../report.cjs';
import { knownIn, tellingValues } from '../vitest.mjs';

const hasFailed = (task) => task.result?.state === 'fail' || (task.tasks ?? []).some(hasFailed);

export default class ArgusReporter {
  #vitest;
  #known;
  #run;

  async onInit(vitest) {
    this.#vitest = vitest;
    this.#known = await knownIn(vitest.config.root).catch(() => undefined);
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

  /** Up to Vitest 2, which has no event for each test. */
  onTaskUpdate(packs) {
    this.#run?.json?.onTaskUpdate(packs);
  }

  onTestRunEnd(modules, errors) {
    return this.#end('onTestRunEnd', modules, errors);
  }

  /** Up to Vitest 3. */
  onFinished(files, errors) {
    return this.#end('onFinished', files, errors);
  }

  /** Errors are ignored, because an unknown version of Vitest must not make a run fail. */
  #begin() {
    if (this.#run !== undefined || this.#known?.json === undefined) return;
    const recording = report.begin('vitest', true);
    if (recording === undefined) return;
    const run = { recording, isCancelled: false };
    try {
      run.json = tellingValues(new this.#known.json({}), this.#vitest);
      run.json.writeReport = async (text) => report.write('vitest', text);
      // The messages of this reporter about its own report are not useful here.
      const logger = { log() {}, warn() {}, error() {} };
      run.json.onInit(Object.create(this.#vitest, { logger: { value: logger } }));
      // A run that stops at a failure still counts.
      this.#vitest.onCancel?.((reason) => {
        run.isCancelled = reason === 'keyboard-input';
      });
    } catch {}
    this.#run = run;
  }

  async #end(name, files, errors = []) {
    const run = this.#run;
    // Vitest 3 calls both methods.
    if (run?.json?.[name] === undefined) return;
    this.#run = undefined;
    try {
      await run.json[name](files, errors);
    } catch {}
    // Waits so that the other reporters print first.
    await new Promise(setImmediate);
    const tasks = files.map((file) => file.task ?? file);
    const { testNamePattern, dangerouslyIgnoreUnhandledErrors } = this.#vitest.config;
    const outside = dangerouslyIgnoreUnhandledErrors ? [] : errors;
    run.recording.end({
      command: report.typed('vitest', process.argv.slice(2)),
      exitCode: outside.length > 0 || tasks.some(hasFailed) ? 1 : 0,
      filter: testNamePattern?.source,
      output: outside.map(({ stack, message }) => stack || message).join('\n'),
      isOver: run.isCancelled || (outside.length === 0 && tasks.length === 0),
    });
  }
}
