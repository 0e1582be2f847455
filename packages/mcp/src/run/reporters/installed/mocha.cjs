// The Mocha reporter that a project installs. As a required module, it works with any other reporter. As the reporter,
// it prints the same as the default reporter of Mocha.
'use strict';
const { Mocha, recordRuns } = require('../mocha.cjs');

recordRuns();
module.exports = Mocha?.reporters.Spec;
