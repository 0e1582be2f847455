const { defineConfig } = require('@playwright/test');

// No browser: Playwright's runner also tests plain HTTP interfaces.
module.exports = defineConfig({
  testDir: 'tests',
  testMatch: 'sum.js',
  reporter: 'list',
  projects: [{ name: 'api' }],
  retries: 1,
});
