/**
 * The options of fix-problem that describe the goal of the loop. They are built from the table of fields in
 * fix/start-fields.ts.
 */

import { InvalidArgumentError, Option } from 'commander';
import { dashed, fieldsForPeople, type StartField } from '../../fix/start-fields.ts';
import { wholeNumber } from '../terminal/numbers.ts';

interface StartOption {
  name: string;
  /** True for an option of the contract, which the prompt has too. The other options are Argus's own. */
  isOfContract: boolean;
  option: Option;
}

export function startOptions(): StartOption[] {
  return fieldsForPeople().flatMap(([name, field]) => {
    const option = optionOf(name, field);
    return option === undefined ? [] : [{ name, isOfContract: field.prompt !== undefined, option }];
  });
}

/** Returns the given options by the names of their fields. */
export function startValues(options: object): Record<string, unknown> {
  const given = new Map<string, unknown>(Object.entries(options));
  const values = startOptions().map(({ name, option }) => [name, given.get(option.attributeName())] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function optionOf(name: string, { type, option }: StartField): Option | undefined {
  if (option === undefined) return undefined;
  const { value, help, isWhole } = option;
  const made = new Option([`--${dashed(name)}`, value].filter(Boolean).join(' '), help);
  return type === 'number' ? made.argParser(isWhole ? wholeNumber : decimal) : made;
}

function decimal(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,6})?$/u.test(text)) throw new InvalidArgumentError('A number, 0 or more, is needed.');
  return Number(text);
}
