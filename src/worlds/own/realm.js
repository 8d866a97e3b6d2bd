// Runs first in the realm of every episode; only the host receives its value. It copies the built-ins that it needs
// now, before the world's code can replace them. The host does not trust what comes out: it reads it as JSON and checks
// every value (answers.ts). Here only the lengths of texts are bounded, so that none is copied that is too long.
(() => {
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { imul } = Math;
  const Failure = TypeError;
  const TooLong = RangeError;

  return (world, given) => {
    const { seed, most } = parse(given);
    let state = seed;
    // The same numbers for the same task. Mulberry32 (Tommy Ettinger, public domain).
    Math.random = () => {
      state = (state + 0x6d2b79f5) | 0;
      let h = imul(state ^ (state >>> 15), state | 1);
      h ^= h + imul(h ^ (h >>> 7), h | 61);
      return ((h ^ (h >>> 14)) >>> 0) / 0x100000000;
    };

    const has = (name) => typeof world[name] === 'function';
    const call = (name, ...args) => {
      if (!has(name)) throw new Failure(`there is no such function. The code must export ${name}().`);
      return world[name](...args);
    };
    /** A call that leaves the random numbers of the episode as they are. */
    const aside = (name) => {
      const before = state;
      try {
        return has(name) ? call(name) : null;
      } finally {
        state = before;
      }
    };
    const text = (value, what) => {
      if (typeof value !== 'string') throw new Failure(`${what} must be a text (it is ${typeof value}).`);
      if (value.length > most.text)
        throw new TooLong(`${what} has ${value.length} characters; at most ${most.text} are allowed.`);
      return value;
    };

    let listed = null;
    /** The valid actions: null for none, 0 for the same list as before. */
    const actions = () => {
      const list = aside('validActions');
      if (list === null || list === undefined) return null;
      if (!isArray(list)) throw new Failure('validActions() must return a list of texts.');
      if (list.length > most.actions)
        throw new TooLong(`validActions() lists ${list.length} actions; at most ${most.actions} are allowed.`);
      let same = listed !== null && listed.length === list.length;
      const copy = [];
      for (let k = 0; k < list.length; k++) {
        const action = list[k];
        if (typeof action !== 'string') throw new Failure(`validActions() must list texts; entry ${k} is not one.`);
        if (action.length > most.action)
          throw new TooLong(`Action ${k} has ${action.length} characters; at most ${most.action} are allowed.`);
        if (same && listed[k] !== action) same = false;
        copy[k] = action;
      }
      listed = copy;
      return same ? 0 : copy;
    };

    const face = {
      about: () => ({ splits: has('tasks') && world.tasks.length > 1, oracle: has('oracle'), view: has('view') }),
      tasks: ([seed, split]) => call('tasks', seed, split),
      reset: ([task]) => {
        const opening = call('reset', task);
        const first = typeof opening === 'string' ? opening : opening?.text;
        return [text(first, 'the text that reset() returns'), 0, false, true, actions()];
      },
      step: ([action]) => {
        const result = call('step', action);
        if (typeof result !== 'object' || result === null)
          throw new Failure('step() must return { text, reward, done }.');
        const { text: answer, reward = 0, done = false, valid = null } = result;
        const read = text(answer, 'the text of step()');
        if (typeof reward !== 'number') throw new Failure(`the reward must be a number (it is ${typeof reward}).`);
        // JSON has no NaN and no infinity.
        if (reward - reward !== 0) throw new TooLong(`the reward is ${reward}; it must be a finite number.`);
        return [read, reward, done === true, valid === null ? null : valid === true, done === true ? 0 : actions()];
      },
      oracle: () => aside('oracle'),
      view: () => aside('view'),
    };

    return (name, input) => {
      const out = stringify(face[name](parse(input))) ?? 'null';
      if (typeof out !== 'string') throw new Failure('the answer must be plain data.');
      if (out.length > most.answer)
        throw new TooLong(`the answer has ${out.length} characters as JSON; at most ${most.answer} are allowed.`);
      return out;
    };
  };
})();
