/**
 * Describes the project's technologies and its environment in a few words for the research query. Detection is in
 * `environment/`.
 */

import { environmentOf } from '../../../environment/project-environment.ts';
import type { ContextScope } from '../scope.ts';
import { namespaceOf } from '../system/cluster.ts';

/** For example `typescript 5`, `react 18`, `node 20`. */
export function techStack({ files }: ContextScope): string[] {
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
