/**
 * Detects the environment of a JVM project from the files of Maven or Gradle. The files are not evaluated, so only the
 * common places and spellings are found.
 */

import { type EcosystemFinding, type FileTexts, parseMajor, removeUndefined } from './facts.ts';

/** Patterns for a framework, with an optional group for its version. */
const FRAMEWORKS: readonly { name: string; patterns: readonly RegExp[] }[] = [
  {
    name: 'spring-boot',
    patterns: [
      /<artifactId>spring-boot-starter-parent<\/artifactId>\s*<version>([^<]+)/u,
      /org\.springframework\.boot["'`)]*\s*(?:\)?\s*version\s*\(?\s*["']([^"']+))?/u,
    ],
  },
  {
    name: 'quarkus',
    patterns: [/<quarkus\.platform\.version>([^<]+)/u, /io\.quarkus["')]*\s*(?:version\s*["']([^"']+))?/u],
  },
  {
    name: 'micronaut',
    patterns: [/<micronaut\.version>([^<]+)/u, /io\.micronaut[\w.]*["')]*\s*(?:version\s*["']([^"']+))?/u],
  },
  { name: 'ktor', patterns: [/io\.ktor(?::[\w-]+:([\d.]+)|[\w.]*["')]*\s*(?:version\s*["']([^"']+))?)/u] },
  {
    name: 'android',
    patterns: [/com\.android\.(?:application|library)["')]*\s*(?:version\s*["']([^"']+))?/u],
  },
  {
    name: 'spring',
    patterns: [/org\.springframework:spring-\w+:([\d.]+)/u, /<groupId>org\.springframework<\/groupId>/u],
  },
];

/** Patterns for the version of Java, the most reliable first. */
const JAVA_VERSION_PATTERNS = [
  /<maven\.compiler\.release>\s*([^<$]+)/u,
  /<java\.version>\s*([^<$]+)/u,
  /<maven\.compiler\.(?:target|source)>\s*([^<$]+)/u,
  /<release>\s*([^<$]+)/u,
  /JavaLanguageVersion\.of\(\s*["']?([\d.]+)/u,
  /jvmToolchain\(\s*([\d.]+)/u,
  /(?:source|target)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_)?["']?([\d._]+)/u,
];

const GRADLE_FILES = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];

export function detectJvm(files: FileTexts): EcosystemFinding | undefined {
  const sources = ['pom.xml', ...GRADLE_FILES].map((name) => files[name]).filter((text) => text !== undefined);
  if (sources.length === 0) return undefined;
  const build = sources.join('\n');
  const framework = FRAMEWORKS.map(({ name, patterns }) => ({ name, match: findBestMatch(patterns, build) })).find(
    ({ match }) => match !== undefined,
  );
  const java = parseJavaMajor(findBestMatch(JAVA_VERSION_PATTERNS, build)?.[1] ?? files['.java-version']);
  const language = /kotlin\(["']jvm|org\.jetbrains\.kotlin|kotlin-maven-plugin/u.test(build) ? 'kotlin' : 'java';
  const facts = removeUndefined({
    language,
    // The version of Kotlin matters less than the version of the JVM.
    language_major: language === 'java' ? java : undefined,
    framework: framework?.name,
    framework_major: parseMajor(framework?.match?.slice(1).find((version) => version !== undefined)),
    runtime: java === undefined ? 'jvm' : `jvm-${java}`,
  });
  return { facts, isCertain: true };
}

/** Returns the first match that contains a version, otherwise the first match. */
function findBestMatch(patterns: readonly RegExp[], text: string): RegExpExecArray | undefined {
  const matches = patterns.map((pattern) => pattern.exec(text)).filter((match) => match !== null);
  return matches.find((match) => match.slice(1).some((group) => group !== undefined)) ?? matches[0];
}

/** Returns 8 for `1.8` and `1_8`. */
function parseJavaMajor(version: string | undefined): string | undefined {
  return parseMajor(version?.trim().replace(/^1[._](?=\d)/u, ''));
}
