/**
 * Loaded into a server before its own code (`node --import`): lets the engine's own test hook be pulled from outside,
 * since the published bundle has no way to. SIGUSR2 arms it with the number in the file that ARGUS_TEST_TRAP names, and
 * takes the file away. Instance and trap are the engine's own.
 */

import { readFileSync, rmSync } from 'node:fs';

const file = process.env.ARGUS_TEST_TRAP ?? '';
let engine;

WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(module, imports) {
    super(module, imports);
    if (this.exports.trapAtWrite) engine = this.exports;
  }
};

process.on('SIGUSR2', () => {
  engine.trapAtWrite(Number(readFileSync(file, 'utf8')));
  rmSync(file);
});
