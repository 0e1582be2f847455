/** The library that checks what comes from outside, read where something is checked: it would double a short command. */

import type { z } from 'zod';

/** Handed to whatever makes a schema. */
export type Zod = typeof z;

export async function loadZod(): Promise<Zod> {
  const { z } = await import('zod');
  return z;
}
