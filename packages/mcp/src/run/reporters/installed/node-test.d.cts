/** For use as `--require=argus-mcp/node-test` with any reporter. As `--test-reporter`, it prints the same as `spec`. */
declare const reporter: new () => NodeJS.ReadWriteStream;
export = reporter;
