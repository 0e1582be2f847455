/** Loads zod on first use, because loading it would double the duration of a short command. */

import type { z } from 'zod';

/** Passed to functions that build schemas. */
export type Zod = typeof z;

export async function loadZod(): Promise<Zod> {
  const { z } = await import('zod');
  return z;
}
