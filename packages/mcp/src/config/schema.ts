/**
 * The schema of `argus.yaml`, from which the JSON Schema for editors (`argus.schema.json`) is generated. `load.ts`
 * reads the files. The schemas are functions, because they are only built if there is a file to check.
 */

import { FAILURE_CATEGORIES, LOCALES } from 'argus-engine';
import { z } from 'zod';
import { PROJECT_NAME_PATTERN } from '../owner/project.ts';

const createNameSchema = () => z.string().min(1).max(60);
const createPatternSchema = () =>
  z.string().min(1).describe('Regular expression in the syntax of the Rust regex crate, without \\p{..}');

/** Schema of an age: `90d`, `12w`, or a number of days. */
const createAgeSchema = () => z.union([z.int().min(1), z.string().regex(/^[1-9]\d{0,4}[dw]$/u)]);

const createHistorySchema = () =>
  z.strictObject({
    enabled: z.boolean().optional().describe('false: nothing is stored. Default: true'),
    database: z.string().min(1).optional().describe('Database file. Default: .argus/argus.db'),
    retention: z
      .strictObject({
        maxAge: createAgeSchema().optional().describe('Maximum age of runs: days as a number, or 90d, 12w'),
        maxRuns: z.int().min(1).optional().describe('Maximum number of runs; the oldest are deleted'),
        minRuns: z.int().min(1).optional().describe('Number of newest runs to keep at any age. Default: 20'),
      })
      .optional()
      .describe('Limits for runs; patterns and fixes are never deleted'),
  });

const createMemorySchema = () =>
  z.strictObject({
    halfLife: createAgeSchema()
      .optional()
      .describe(
        'Age at which a confirmed solution counts half as recent: days as a number, or 90d, 12w. Default: 180d',
      ),
  });

const createTestSchema = () =>
  z.strictObject({
    command: z.string().min(1).optional().describe('Command that runs the tests. Default: detected'),
    report: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe('Report file or glob the command writes; only files written during the run are read'),
    timeout: z.int().min(1).max(86_400).optional().describe('Seconds until the command is stopped. Default: 1800'),
    idleTimeout: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe('Seconds without output until the command is stopped. Default: never'),
  });

const createTeamSchema = () =>
  z.strictObject({
    url: z.url().describe('URL of the team server'),
    project: z.string().regex(PROJECT_NAME_PATTERN).optional().describe('Name of this project on the server'),
  });

/** Schema of the complete file. Every key is optional. */
export const createConfigSchema = () =>
  z.strictObject({
    version: z.literal(1).optional().describe('Version of this format'),
    locale: z.enum(LOCALES).optional().describe('Language of built-in suggestions'),
    history: createHistorySchema().optional(),
    team: createTeamSchema()
      .optional()
      .describe('Proposed team server. Nothing is sent until a person calls argus team join'),
    memory: createMemorySchema().optional(),
    test: createTestSchema().optional(),
    hook: z.boolean().optional().describe('false: argus hook records nothing and gives no hints here. Default: true'),
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
          .array(
            z.strictObject({
              name: createNameSchema(),
              category: z.enum(FAILURE_CATEGORIES),
              pattern: createPatternSchema(),
            }),
          )
          .optional()
          .describe('Classification rules, tried before the built-in rules'),
      })
      .optional(),
    redact: z
      .strictObject({
        patterns: z
          .array(z.strictObject({ name: createNameSchema(), pattern: createPatternSchema() }))
          .optional()
          .describe('Secrets to replace; replaces group 1 if the pattern has a group'),
      })
      .optional(),
  });

export type Config = z.infer<ReturnType<typeof createConfigSchema>>;

/** Returns the JSON Schema for editors. */
export function createConfigJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(createConfigSchema(), { io: 'input' });
  return {
    ...schema,
    title: 'argus.yaml',
    description: 'Configuration of Argus, the failure memory for coding agents',
  };
}
