// The reporter for node:test that a project installs. As a required module, it works with any other reporter. As the
// reporter, it prints the same as the default reporter of Node.
'use strict';
const { spec } = require('node:test/reporters');
const { listen } = require('../node-test.cjs');

// Processes of single files report to the process that started them.
if (!process.env.NODE_TEST_CONTEXT) listen(true);
module.exports = spec;
