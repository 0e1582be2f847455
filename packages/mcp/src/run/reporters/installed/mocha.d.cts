/** For use as `require: ['argus-mcp/mocha']` with any reporter. As the reporter, it prints the same as `spec`. */
declare const reporter: new (runner: object, options?: object) => object;
export = reporter;
