/** The runners that are installed here, and the search path that finds them. */

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { nodePrograms, pythonFolder, setUpRunners } from '../setup.mjs';

// Before the tests are collected, for what is missing decides which of them are skipped.
setUpRunners();

export const PATH = [path.join(pythonFolder, 'bin'), nodePrograms, process.env.PATH].join(path.delimiter);

export const has = (program: string, args = ['--version']) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** As its launcher looks for one. */
export const hasChrome = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser'].some((name) =>
  has(name),
);
