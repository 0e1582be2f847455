// The Vitest reporter of a project: it stands beside those that print. In watch mode each run over is a run of its own.
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

  /** Up to Vitest 2, which has no word for each test. */
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

  /** What is not as it is known of Vitest fails no run. */
  #begin() {
    if (this.#run !== undefined || this.#known?.json === undefined) return;
    const recording = report.begin('vitest', true);
    if (recording === undefined) return;
    const run = { recording, isCancelled: false };
    try {
      run.json = tellingValues(new this.#known.json({}), this.#vitest);
      run.json.writeReport = async (text) => report.write('vitest', text);
      // What it has to say of its own report is of no use here.
      const logger = { log() {}, warn() {}, error() {} };
      run.json.onInit(Object.create(this.#vitest, { logger: { value: logger } }));
      // A run that stops at a failure is one all the same.
      this.#vitest.onCancel?.((reason) => {
        run.isCancelled = reason === 'keyboard-input';
      });
    } catch {}
    this.#run = run;
  }

  async #end(name, files, errors = []) {
    const run = this.#run;
    // Vitest 3 tells it in both ways.
    if (run?.json?.[name] === undefined) return;
    this.#run = undefined;
    try {
      await run.json[name](files, errors);
    } catch {}
    // The others print first.
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
