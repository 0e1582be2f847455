/** A repository for the tests of `argus learn`. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { argus } from '../argus.ts';
import { git } from '../fix-loop/fix-loop.ts';
import { type Data, project } from '../harness.ts';

/** Writes files below a folder. */
export function put(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

export class Repository {
  readonly root = project();

  constructor() {
    this.git('init', '-q', '-b', 'main');
  }

  git(...args: string[]): string {
    return git(this.root, ...args);
  }

  /** Commits the files and returns the hash. */
  commit(message: string, files: Record<string, string>): string {
    put(this.root, files);
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  argus(...args: string[]) {
    return argus(args, { cwd: this.root });
  }

  data(command: string, ...args: string[]): Promise<Data> {
    return dataIn(this.root, command, ...args);
  }
}

/** Runs a command in a folder and returns the data of its answer. */
export async function dataIn(cwd: string, command: string, ...args: string[]): Promise<Data> {
  return JSON.parse((await argus([command, '--json', ...args], { cwd })).stdout).data;
}
