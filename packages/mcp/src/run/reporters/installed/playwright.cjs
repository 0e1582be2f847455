// The Playwright reporter that a project installs. It works in addition to the reporters that print.
'use strict';
const Reporter = require('../playwright.cjs');

class ArgusReporter extends Reporter {
  isInstalled = true;
  /** Playwright passes its mode. A list of tests is not a run. */
  constructor({ _mode } = {}) {
    super();
    this.hasBegun = _mode === 'list';
  }
}
module.exports = ArgusReporter;
