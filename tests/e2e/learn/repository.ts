/** A repository for the tests of `argus learn`. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { argus } from '../argus.ts';
import { runGit } from '../fix-loop/fix-loop.ts';
import { createProject, type Data } from '../harness.ts';

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

export class Repository {
  readonly root = createProject();

  constructor() {
    this.git('init', '-q', '-b', 'main');
  }

  git(...args: string[]): string {
    return runGit(this.root, ...args);
  }

  /** Commits the files and returns the hash. */
  commit(message: string, files: Record<string, string>): string {
    writeFiles(this.root, files);
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  argus(...args: string[]) {
    return argus(args, { cwd: this.root });
  }

  data(command: string, ...args: string[]): Promise<Data> {
    return readCommandData(this.root, command, ...args);
  }
}

/** Runs a command in a folder and returns the data of its answer. */
export async function readCommandData(cwd: string, command: string, ...args: string[]): Promise<Data> {
  return JSON.parse((await argus([command, '--json', ...args], { cwd })).stdout).data;
}
