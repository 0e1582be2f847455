/**
 * The part of the WebAssembly interface that this package uses. TypeScript declares this interface only as part of the
 * DOM library.
 */

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand: never;
  }
}
