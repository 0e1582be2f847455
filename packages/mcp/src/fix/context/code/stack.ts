/**
 * The project's technologies and where it runs, in a few words for a query. Detecting them: `environment/`.
 */

import path from 'node:path';
import { environmentOf } from '../../../environment/project-environment.ts';
import type { ContextScope } from '../scope.ts';
import { namespaceOf } from '../system/cluster.ts';

/** Of files whose language is not the project's first. */
const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'typescript',
  '.tsx': 'typescript',
  '.js': 'javascript',
  '.jsx': 'javascript',
  '.mjs': 'javascript',
  '.py': 'python',
  '.rs': 'rust',
  '.go': 'go',
  '.java': 'java',
  '.kt': 'kotlin',
  '.rb': 'ruby',
  '.php': 'php',
  '.cs': 'c#',
  '.sh': 'bash',
};

/** `typescript 5`, `react 18`, `node-20`. */
export function techStack({ files, place }: ContextScope): string[] {
  const own = LANGUAGES[path.posix.extname(place?.file ?? '')];
  const project = projectStack(files);
  return own === undefined || project.some((name) => name.startsWith(own)) ? project : [own, ...project];
}

function projectStack(files: ContextScope['files']): string[] {
  const { language, language_major, framework, framework_major, runtime } = environmentOf(files.root);
  const named = [
    [language, language_major],
    [framework, framework_major],
    [runtime?.replace('-', ' '), undefined],
  ];
  return named.flatMap(([name, version]) => (name ? [version ? `${name} ${version}` : name] : []));
}

export function environmentName(scope: ContextScope): string {
  const namespace = namespaceOf(scope);
  if (namespace !== undefined) return `kubernetes (namespace ${namespace})`;
  return scope.request.config.containers?.length ? 'docker' : 'local';
}
