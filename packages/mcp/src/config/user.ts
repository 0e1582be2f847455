/**
 * The user's own configuration, `argus.yaml` in the platform's configuration folder. It holds settings that a
 * repository must not set, because they would let it start programs of its choice. `load.ts` reads the project's
 * configuration.
 */

import path from 'node:path';
import { z } from 'zod';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { realOfExisting } from '../owner/data-folder.ts';
import type { Project } from '../owner/project.ts';
import { readText } from '../system/files/read.ts';
import { userFolder } from '../system/files/user-folder.ts';
import { isStrangers, isWithin, lstat } from '../system/files/way.ts';
import { readYaml } from '../system/files/yaml.ts';

/** The file has a few lines. */
const MAX_BYTES = 1024 * 1024;

const schema = () =>
  z.strictObject({
    version: z.literal(1).optional(),
    fix: z.strictObject({ agent: z.string().trim().min(1).optional() }).optional(),
  });

export type UserConfig = z.infer<ReturnType<typeof schema>>;

/**
 * Returns an empty configuration without a file. A file in the project, or of another user, is ignored because the user
 * did not write it.
 */
export async function userConfig({ top, home }: Project): Promise<UserConfig> {
  const file = userConfigFile();
  if (file === undefined) return {};
  const real = realOfExisting(file);
  if ([top, home].some((folder) => isWithin(real, folder))) return {};
  const stats = lstat(real);
  if (stats === undefined || isStrangers(stats)) return {};
  try {
    const { value } = await readYaml(readText(real, { maxBytes: MAX_BYTES, links: 'refused' }));
    return schema().parse(value);
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return {};
    const reason =
      thrown instanceof z.ZodError
        ? thrown.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`).join('; ')
        : messageOf(thrown);
    throw new ArgusError('CONFIG_INVALID', `${file}: ${reason}. It may say fix.agent.`, { cause: thrown });
  }
}

/** Undefined if the account has no configuration folder. */
function userConfigFile(): string | undefined {
  try {
    const folder = userFolder('config');
    return path.isAbsolute(folder) ? path.join(folder, 'argus.yaml') : undefined;
  } catch {
    return undefined;
  }
}
