// Trusted text that runs in the sandbox before a reward function. It passes each episode as a copy of its own, so that a
// function cannot change another's, and reports the first value that is not a number.
(() => {
  const { parse } = JSON;
  const { isFinite: isFiniteNumber } = Number;
  const Floats = Float64Array;
  const { isArray } = Array;
  const Text = String;
  const kindOf = (value) => {
    if (typeof value === 'number') return Text(value);
    if (value === null) return 'null';
    if (isArray(value)) return 'a list';
    if (typeof value === 'object' && typeof value.then === 'function') return 'a promise (remove async)';
    return typeof value;
  };
  return (code, _arrays, { items }) => {
    const { reward } = code;
    if (typeof reward !== 'function')
      return { values: { problem: 'the code must export a function named reward', at: -1 } };
    const value = new Floats(items.length);
    for (let b = 0; b < items.length; b++) {
      const result = reward(parse(items[b]));
      if (typeof result !== 'number' || !isFiniteNumber(result))
        return { values: { problem: `reward returned ${kindOf(result)} and must return a finite number`, at: b } };
      value[b] = result;
    }
    return { arrays: { value } };
  };
})();
