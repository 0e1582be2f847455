// Runs steps in lanes that work side by side. A lane takes its steps in order, one at a time; a step also waits for the
// steps that it names, in whichever lane they are, and is left out when one of these has failed.

/**
 * @param steps `{ name, lane, after? }`, in order; `after` holds names of earlier steps
 * @param perform resolves to whether the step succeeded
 * @returns the names of the steps that were left out
 */
export async function runInLanes(steps, perform) {
  const ended = new Map();
  const lanes = new Map();
  const left = [];
  for (const step of steps) {
    const before = [lanes.get(step.lane), ...(step.after ?? []).map((name) => endOf(name, ended))];
    const work = Promise.all(before).then(async ([, ...needed]) => {
      if (needed.every(Boolean)) return perform(step);
      left.push(step.name);
      return false;
    });
    ended.set(step.name, work);
    lanes.set(step.lane, work);
  }
  await Promise.all(ended.values());
  return left;
}

function endOf(name, ended) {
  const work = ended.get(name);
  if (work === undefined) throw new Error(`no earlier step is called ${name}`);
  return work;
}
