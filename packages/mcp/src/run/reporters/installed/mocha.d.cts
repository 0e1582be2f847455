/** `require: ['argus-mcp/mocha']`, beside any reporter; as the reporter it prints what `spec` prints. */
declare const reporter: new (runner: object, options?: object) => object;
export = reporter;
