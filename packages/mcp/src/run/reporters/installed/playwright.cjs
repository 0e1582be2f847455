// The Playwright reporter that a project installs. The project keeps its other reporters, which print.
'use strict';
const Reporter = require('../playwright.cjs');

class ArgusReporter extends Reporter {
  isInstalled = true;
  /** Playwright passes its mode in `_mode`. Listing tests is not a run. */
  constructor({ _mode } = {}) {
    super();
    this.hasBegun = _mode === 'list';
  }
}
module.exports = ArgusReporter;
