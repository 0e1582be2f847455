/**
 * The schema of `argus.yaml`. The JSON Schema for editors (`argus.schema.json`) is generated from it. `load.ts` reads
 * the files. The schema is a function, because it is only built when there is a file to check.
 */

import { FAILURE_CATEGORIES, LOCALES } from 'argus-engine';
import { z } from 'zod';
import { PROJECT_NAME } from './project-name.ts';

const name = () => z.string().min(1).max(60);
const pattern = () =>
  z.string().min(1).describe('Regular expression in the syntax of the Rust regex crate, without \\p{..}');

/** `90d`, `12w`, or a number of days. */
const age = () => z.union([z.int().min(1), z.string().regex(/^[1-9]\d{0,4}[dw]$/u)]);

const history = () =>
  z.strictObject({
    enabled: z.boolean().optional().describe('false: nothing is stored. Default: true'),
    database: z.string().min(1).optional().describe('Database file. Default: .argus/argus.db'),
    retention: z
      .strictObject({
        maxAge: age().optional().describe('Runs older than this go: days as a number, or 90d, 12w'),
        maxRuns: z.int().min(1).optional().describe('Only this many newest runs stay'),
        minRuns: z.int().min(1).optional().describe('So many newest runs stay, however old they are. Default: 20'),
      })
      .optional()
      .describe('Limits for runs; patterns and fixes are never deleted'),
  });

const memory = () =>
  z.strictObject({
    halfLife: age()
      .optional()
      .describe(
        'Age at which a confirmed solution counts half as recent: days as a number, or 90d, 12w. Default: 180d',
      ),
  });

const test = () =>
  z.strictObject({
    command: z.string().min(1).optional().describe('Command that runs the tests. Default: detected'),
    report: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('Report file or glob the command writes; only files written during the run are read'),
    timeout: z.int().min(1).max(86_400).optional().describe('Seconds until the command is ended. Default: 1800'),
    idleTimeout: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('Seconds without output until the command is ended. Default: never'),
  });

const team = () =>
  z.strictObject({
    url: z.url().describe('Address of the server of the team'),
    project: z.string().regex(PROJECT_NAME).optional().describe('Name of this project there'),
  });

/** The whole file. Every key is optional. */
export const configSchema = () =>
  z.strictObject({
    version: z.literal(1).optional().describe('Version of this format'),
    locale: z.enum(LOCALES).optional().describe('Language of built-in suggestions'),
    history: history().optional(),
    team: team()
      .optional()
      .describe('A proposal that is shown: nothing is sent until a person has called argus team join'),
    memory: memory().optional(),
    test: test().optional(),
    hook: z.boolean().optional().describe('false: argus hook remembers and says nothing here. Default: true'),
    gate: z
      .strictObject({
        missingTests: z
          .enum(['report', 'fail'])
          .optional()
          .describe('fail: a test of the base that did not run fails the gate. Default: report'),
      })
      .optional(),
    containers: z.array(z.string().min(1)).optional().describe('Docker containers whose state explains failures'),
    kubernetes: z
      .strictObject({ namespace: z.string().min(1).describe('Namespace whose pods explain failures') })
      .optional(),
    classify: z
      .strictObject({
        rules: z
          .array(z.strictObject({ name: name(), category: z.enum(FAILURE_CATEGORIES), pattern: pattern() }))
          .optional()
          .describe('Classification rules, tried before the built-in ones'),
      })
      .optional(),
    redact: z
      .strictObject({
        patterns: z
          .array(z.strictObject({ name: name(), pattern: pattern() }))
          .optional()
          .describe('Secrets to replace; group 1 where there is one'),
      })
      .optional(),
  });

export type Config = z.infer<ReturnType<typeof configSchema>>;

/** The JSON Schema for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(configSchema(), { io: 'input' });
  return {
    ...schema,
    title: 'argus.yaml',
    description: 'Configuration of Argus, the failure memory for coding agents',
  };
}
