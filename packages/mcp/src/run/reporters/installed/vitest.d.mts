/** For use as `reporters: ['argus-mcp/vitest']`, or as an instance. */
export default class ArgusReporter {
  onInit(vitest: unknown): Promise<void>;
  onTestRunStart(): void;
  onWatcherRerun(): void;
  // biome-ignore lint/suspicious/noExplicitAny: of whichever Vitest the project has
  onTestRunEnd(modules: readonly any[], errors: readonly any[]): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: of whichever Vitest the project has
  onFinished(files: readonly any[], errors?: readonly any[]): Promise<void>;
}
