// The Playwright reporter of a project: it stands beside those that print.
'use strict';
const Reporter = require('../playwright.cjs');

class ArgusReporter extends Reporter {
  isInstalled = true;
  /** Playwright's own word for what it is about to do; a list of tests is no run. */
  constructor({ _mode } = {}) {
    super();
    this.hasBegun = _mode === 'list';
  }
}
module.exports = ArgusReporter;
