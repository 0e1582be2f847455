// The reporter for node:test of a project. As a module that is required it stands beside any other; as the reporter it
// prints what Node's own prints.
'use strict';
const { spec } = require('node:test/reporters');
const { listen } = require('../node-test.cjs');

// The processes of single files tell the one that started them.
if (!process.env.NODE_TEST_CONTEXT) listen(true);
module.exports = spec;
