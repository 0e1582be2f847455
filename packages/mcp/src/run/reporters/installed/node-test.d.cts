/** `--require=argus-mcp/node-test`, beside any reporter; as `--test-reporter` it prints what `spec` prints. */
declare const reporter: new () => NodeJS.ReadWriteStream;
export = reporter;
