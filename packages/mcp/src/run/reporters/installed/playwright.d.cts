/** For use as `reporter: [['list'], ['argus-mcp/playwright']]`. */
declare class ArgusReporter {
  constructor(options?: object);
  printsToStdio(): boolean;
  onBegin(config: object, suite: object): void;
  onError(error: object): void;
  onEnd(result: object): void;
}
export = ArgusReporter;
