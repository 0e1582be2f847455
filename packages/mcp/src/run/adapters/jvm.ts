/** The build tools of the JVM, which run tests. */

import path from 'node:path';
import {
  GRADLE_PROJECTS_MAY_BE_EMPTY,
  gradleTest,
  hasGradleProjects,
  hasMavenModules,
  MAVEN_MODULES_MAY_BE_EMPTY,
  mavenTest,
} from '../jvm-builds.ts';
import { type Adapter, isReadAsOption, program, type ReportSource } from './adapter.ts';

export const maven: Adapter = {
  name: 'maven',
  filterOptions: ['-Dtest'],
  recognise: program('mvn', 'mvnw', 'mvnd'),
  filter: (name) => [`-Dtest=${mavenTest(name)}`],
  takesCaseNames: true,
  reporting: ({ root, filtered }) => ({
    args: filtered && hasMavenModules(root) ? MAVEN_MODULES_MAY_BE_EMPTY : [],
    reports: xmlOf('target/surefire-reports', 'target/failsafe-reports'),
  }),
};

export const gradle: Adapter = {
  name: 'gradle',
  filterOptions: ['--tests'],
  recognise: program('gradle', 'gradlew'),
  filter(name) {
    const pattern = gradleTest(name);
    return isReadAsOption(pattern) ? undefined : ['--tests', pattern];
  },
  takesCaseNames: true,
  reporting({ dir, root, filtered }) {
    const reports = xmlOf('build/test-results');
    if (!filtered || !hasGradleProjects(root)) return { reports };
    const args = ['--init-script', path.join(dir, 'argus.gradle')];
    return { args, files: { 'argus.gradle': GRADLE_PROJECTS_MAY_BE_EMPTY }, reports };
  },
};

function xmlOf(...folders: string[]): ReportSource[] {
  return folders.map((folder) => ({ kind: 'glob', pattern: `**/${folder}/**/*.xml`, format: 'junit' }));
}
