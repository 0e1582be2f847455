/**
 * The part of the WebAssembly interface that this package uses. TypeScript declares the interface only together with
 * the DOM.
 */

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand: never;
  }
}
