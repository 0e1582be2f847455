/** Converts ages in `argus.yaml`. */

/** The days of `90d`, `12w` or a number of days. */
export function ageInDays(age: number | string): number {
  if (typeof age === 'number') return age;
  const count = Number.parseInt(age, 10);
  return age.endsWith('w') ? count * 7 : count;
}
