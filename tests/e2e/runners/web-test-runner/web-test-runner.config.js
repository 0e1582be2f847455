import { chromeLauncher } from '@web/test-runner-chrome';

// In a container there is nothing that a sandbox could be made of.
export default { browsers: [chromeLauncher({ launchOptions: { args: ['--no-sandbox'] } })] };
