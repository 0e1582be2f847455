/**
 * What a tool answers: results of the engine, whose schemas and types are generated from Rust, and what this package
 * adds to them. The schema that a client reads is made of both by `listing.ts`.
 */

import type { CallName, Calls } from 'argus-engine';
import type { z } from 'zod';
import type { Zod } from '../../system/zod.ts';

export interface Output {
  /** The engine's calls whose results are answered; of several, the result of one. */
  calls: readonly CallName[];
  /** Fields of the results that are not answered. */
  omits: readonly string[];
  /** Fields that are added, or that stand in place of the result's. */
  adds(z: Zod): z.ZodRawShape;
}

/** An answer of this output, without the envelope. */
export type AnswerOf<Of extends Output> = Without<
  Calls[Of['calls'][number]]['result'],
  Of['omits'][number] | keyof ReturnType<Of['adds']>
> &
  Shaped<ReturnType<Of['adds']>>;

/** `Omit` of each type of a union; of no type at all, what adds nothing. */
type Without<Result, Omitted extends PropertyKey> = [Result] extends [never]
  ? object
  : Result extends unknown
    ? Omit<Result, Omitted>
    : never;

type Shaped<Shape extends z.ZodRawShape> = keyof Shape extends never ? object : z.output<z.ZodObject<Shape>>;
