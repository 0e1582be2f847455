// The Mocha reporter of a project. As one that is required it stands beside any other; as the reporter it prints what
// Mocha's own prints.
'use strict';
const { Mocha, recordRuns } = require('../mocha.cjs');

recordRuns();
module.exports = Mocha?.reporters.Spec;
