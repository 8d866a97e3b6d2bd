// Runs first in the realm of a world; only the host receives its value. It copies the built-ins that it needs now. The
// realm is then frozen: episodes share its built-ins, and none may leave a trace that another could read. The host does
// not trust what comes out: it reads it as JSON and checks every value (answers.ts). Here only lengths are bounded, so
// that nothing is copied that is too long.
(() => {
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { imul } = Math;
  const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
  const { freeze } = Object;
  const Bytes = ArrayBuffer;
  const Failure = TypeError;
  const TooLong = RangeError;

  /** State of the random numbers of the episode that runs. */
  let random = 0;
  // The same numbers for the same task. Mulberry32 (Tommy Ettinger, public domain).
  Math.random = () => {
    random = (random + 0x6d2b79f5) | 0;
    let h = imul(random ^ (random >>> 15), random | 1);
    h ^= h + imul(h ^ (h >>> 7), h | 61);
    return ((h ^ (h >>> 14)) >>> 0) / 0x100000000;
  };

  /** Lets objects have their own property of the name of a frozen one: `thing.toString = ...` would throw otherwise. */
  const allowOwn = (prototype) => {
    for (const key of ownKeys(prototype)) {
      const { value, configurable } = getOwnPropertyDescriptor(prototype, key);
      if (value === undefined || !configurable) continue;
      defineProperty(prototype, key, {
        get: () => value,
        set(other) {
          if (this === prototype) throw new Failure(`the built-in ${String(key)} cannot be replaced in a world`);
          defineProperty(this, key, { value: other, writable: true, enumerable: true, configurable: true });
        },
      });
    }
  };

  const freezeAll = (roots) => {
    const seen = new Set();
    const left = [...roots];
    while (left.length) {
      const each = left.pop();
      if ((typeof each !== 'object' && typeof each !== 'function') || each === null || seen.has(each)) continue;
      seen.add(each);
      for (const key of ownKeys(each)) {
        const { value, get, set } = getOwnPropertyDescriptor(each, key);
        left.push(value, get, set);
      }
      left.push(getPrototypeOf(each));
      freeze(each);
    }
  };

  for (const each of [Object, Function, Error, TypeError, RangeError, SyntaxError, ReferenceError])
    allowOwn(each.prototype);
  freezeAll([
    globalThis,
    function* () {},
    async () => {},
    async function* () {},
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    /a/[Symbol.matchAll](''),
    // An arrow function would do, but its own properties are not those of a function.
    () => {},
  ]);

  return (make, given) => {
    const { most } = parse(given);
    /** Episodes by number: the exports of their copy of the code, their random numbers, their list of actions. */
    const episodes = { __proto__: null };
    let current = null;

    const has = (name) => typeof current.world[name] === 'function';
    const call = (name, ...args) => {
      if (!has(name)) throw new Failure(`there is no such function. The code must export ${name}().`);
      return current.world[name](...args);
    };
    /** A call that leaves the random numbers of the episode as they are. */
    const aside = (name) => {
      const before = random;
      try {
        return has(name) ? call(name) : null;
      } finally {
        random = before;
      }
    };
    const text = (value, what) => {
      if (typeof value !== 'string') throw new Failure(`${what} must be a text (it is ${typeof value}).`);
      if (value.length > most.text)
        throw new TooLong(`${what} has ${value.length} characters; at most ${most.text} are allowed.`);
      return value;
    };

    /** The valid actions: null for none, 0 for the same list as before. */
    const actions = () => {
      const list = aside('validActions');
      if (list === null || list === undefined) return null;
      if (!isArray(list)) throw new Failure('validActions() must return a list of texts.');
      if (list.length > most.actions)
        throw new TooLong(`validActions() lists ${list.length} actions; at most ${most.actions} are allowed.`);
      const { listed } = current;
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
      current.listed = copy;
      return same ? 0 : copy;
    };

    const face = {
      about: () => ({
        splits: has('tasks') && current.world.tasks.length > 1,
        oracle: has('oracle'),
        view: has('view'),
      }),
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

    /**
     * Frees what dropped episodes held: QuickJS collects cycles after so many new objects. Throws if a large array
     * still finds no room.
     */
    const sweep = () => {
      const all = [];
      for (let k = 0; k < most.swept; k++) all[k] = {};
      return new Bytes(most.room).byteLength;
    };

    /** Calls a function of an episode; `begin` and `end` make and drop one. */
    return (name, input) => {
      const [id, args, seed] = parse(input);
      if (name === 'sweep') return stringify(sweep());
      if (name === 'end') {
        current = null;
        delete episodes[id];
        return 'null';
      }
      if (name === 'begin') {
        random = seed;
        episodes[id] = { world: null, random: seed, listed: null };
        episodes[id].world = make();
        episodes[id].random = random;
        return 'null';
      }
      current = episodes[id];
      random = current.random;
      const out = stringify(face[name](args)) ?? 'null';
      current.random = random;
      if (typeof out !== 'string') throw new Failure('the answer must be plain data.');
      if (out.length > most.answer)
        throw new TooLong(`the answer has ${out.length} characters as JSON; at most ${most.answer} are allowed.`);
      return out;
    };
  };
})();
