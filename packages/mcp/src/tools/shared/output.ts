/**
 * Describes the answer of a tool: results of the engine, with schemas and types generated from Rust, and fields that
 * this package adds. `listing.ts` builds the schema for clients from both.
 */

import type { CallName, Calls } from 'argus-engine';
import type { z } from 'zod';
import type { Zod } from '../../system/zod.ts';

export interface Output {
  /** The calls of the engine that supply the result. Each answer has the result of a single call. */
  calls: readonly CallName[];
  /** Fields of the result that the answer leaves out. */
  omits: readonly string[];
  /** Fields that are added or that replace fields of the result. */
  adds(z: Zod): z.ZodRawShape;
}

/** The type of an answer without the envelope. */
export type AnswerOf<Of extends Output> = Without<
  Calls[Of['calls'][number]]['result'],
  Of['omits'][number] | keyof ReturnType<Of['adds']>
> &
  Shaped<ReturnType<Of['adds']>>;

/** `Omit` for each member of a union. `object` for an empty union, because it adds nothing. */
type Without<Result, Omitted extends PropertyKey> = [Result] extends [never]
  ? object
  : Result extends unknown
    ? Omit<Result, Omitted>
    : never;

type Shaped<Shape extends z.ZodRawShape> = keyof Shape extends never ? object : z.output<z.ZodObject<Shape>>;
