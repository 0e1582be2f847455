// Intervals for the report: Wilson's for shares, and a bootstrap over repositories for means.

const Z95 = 1.96;
const RESAMPLES = 1000;

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Returns Wilson's score interval of 95 % for `hits` of `count`. */
export function wilsonInterval(hits, count) {
  if (count === 0) return [0, 1];
  const share = hits / count;
  const square = Z95 * Z95;
  const middle = (share + square / (2 * count)) / (1 + square / count);
  const half = (Z95 / (1 + square / count)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count * count));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Returns the 95 % bootstrap interval of the mean. Whole groups are drawn, because values of a group are alike. */
export function bootstrapInterval(groups, seed = 1) {
  if (groups.length === 0) return [Number.NaN, Number.NaN];
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(Array.from({ length: groups.length }, () => groups[Math.floor(next() * groups.length)]).flat()),
  ).sort((a, b) => a - b);
  return [means[Math.floor(RESAMPLES * 0.025)], means[Math.floor(RESAMPLES * 0.975)]];
}
