/** The adapters of the JVM's build tools, which run tests. */

import path from 'node:path';
import {
  createGradleFilter,
  createMavenFilter,
  GRADLE_ALLOW_EMPTY_PROJECTS_SCRIPT,
  hasGradleProjects,
  hasMavenModules,
  MAVEN_ALLOW_EMPTY_MODULES_ARGS,
} from '../jvm-builds.ts';
import { type Adapter, mayBeReadAsOption, type ReportSource, recognizeProgram } from './adapter.ts';

export const maven: Adapter = {
  name: 'maven',
  filterOptions: ['-Dtest'],
  recognize: recognizeProgram('mvn', 'mvnw', 'mvnd'),
  filter: (name) => [`-Dtest=${createMavenFilter(name)}`],
  takesCaseNames: true,
  createReportSettings: ({ root, isFiltered }) => ({
    args: isFiltered && hasMavenModules(root) ? MAVEN_ALLOW_EMPTY_MODULES_ARGS : [],
    reports: createXmlSources('target/surefire-reports', 'target/failsafe-reports'),
  }),
};

export const gradle: Adapter = {
  name: 'gradle',
  filterOptions: ['--tests'],
  recognize: recognizeProgram('gradle', 'gradlew'),
  filter(name) {
    const pattern = createGradleFilter(name);
    return mayBeReadAsOption(pattern) ? undefined : ['--tests', pattern];
  },
  takesCaseNames: true,
  createReportSettings({ dir, root, isFiltered }) {
    const reports = createXmlSources('build/test-results');
    if (!isFiltered || !hasGradleProjects(root)) return { reports };
    const args = ['--init-script', path.join(dir, 'argus.gradle')];
    return { args, files: { 'argus.gradle': GRADLE_ALLOW_EMPTY_PROJECTS_SCRIPT }, reports };
  },
};

function createXmlSources(...folders: string[]): ReportSource[] {
  return folders.map((folder) => ({ kind: 'glob', pattern: `**/${folder}/**/*.xml`, format: 'junit' }));
}
