/**
 * `argus-quarantine.yaml` lists cases whose failures people accept for a while. The cases still run and are recorded,
 * but `argus gate` ignores their failures. The JSON Schema for editors (`argus-quarantine.schema.json`) is generated
 * from this file. `quarantine-versions.ts` chooses the version that counts.
 */

import { QUARANTINE_FILE } from 'argus-engine';
import { z } from 'zod';
import { checkedYaml } from './checked-yaml.ts';

const MAX_TEXT_CHARS = 2_000;

const text = () => z.string().min(1).max(MAX_TEXT_CHARS);

const quarantineSchema = () =>
  z.strictObject({
    version: z.literal(1).optional().describe('Version of this format'),
    cases: z
      .array(
        z.strictObject({
          case: text().describe('Whole name of the case, as argus history and argus gate print it'),
          reason: text().describe('Why it is not mended now, such as the issue it waits for'),
          owner: text().describe('Who sees to it'),
          until: z.iso.date().describe('Last day on which it is let pass (UTC); from the next one on the gate fails'),
        }),
      )
      .describe('Cases whose failures do not fail argus gate'),
  });

export type Quarantine = z.infer<ReturnType<typeof quarantineSchema>>;
export type QuarantinedCase = Quarantine['cases'][number];

export async function parseQuarantine(text: string, file: string): Promise<QuarantinedCase[]> {
  const { cases } = await checkedYaml(text, file, quarantineSchema(), 'argus-quarantine.schema.json');
  return cases;
}

/** True after the last day of the entry. `today` is a date in ISO 8601 (UTC). */
export function isExpired({ until }: QuarantinedCase, today: string): boolean {
  return until < today;
}

/** The JSON Schema for editors. */
export function quarantineJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(quarantineSchema(), { io: 'input' }),
    title: QUARANTINE_FILE,
    description: 'Cases whose failures do not fail argus gate, for a while',
  };
}
