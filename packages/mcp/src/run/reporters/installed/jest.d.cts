/** For use as `reporters: ['default', 'argus-mcp/jest']`. */
declare class ArgusReporter {
  constructor(config?: object);
  onRunStart(): void;
  onRunComplete(contexts: unknown, results: object): void;
}
export = ArgusReporter;
