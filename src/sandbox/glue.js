// Runs first in every realm; only the host receives its value. It first copies the built-ins that it needs, before
// custom code can replace them.
(() => {
  const { parse, stringify } = JSON;
  const Floats = Float64Array;
  const Buffer = ArrayBuffer;
  const { isView } = Buffer;
  const { entries, fromEntries, keys } = Object;
  const { isArray } = Array;
  const Failure = TypeError;
  const each = Function.prototype.call.bind(Array.prototype.map);
  const set = Function.prototype.call.bind(Object.getPrototypeOf(Floats.prototype).set);
  const lengthOf = Function.prototype.call.bind(
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Floats.prototype), 'length').get,
  );

  // Random numbers would make a run that cannot be reproduced.
  const refuse = (name, why) => () => {
    throw new Error(`${name} is not available: ${why}`);
  };
  Math.random = refuse('Math.random', 'the same run must give the same numbers every time');

  /** Arrays that lie one after another in a buffer. */
  const unpack = (buffer, layout) => {
    let at = 0;
    return fromEntries(
      each(layout, ([name, length]) => {
        const array = new Floats(buffer, at, length);
        at += 8 * length;
        return [name, array];
      }),
    );
  };

  const pack = (arrays) => {
    const list = entries(arrays);
    const layout = each(list, ([name, array]) => [name, isView(array) ? lengthOf(array) : 0]);
    let total = 0;
    for (let k = 0; k < layout.length; k++) total += layout[k][1];
    const all = new Floats(total);
    let at = 0;
    for (let k = 0; k < list.length; k++) {
      if (layout[k][1]) set(all, list[k][1], at);
      at += layout[k][1];
    }
    return { layout, buffer: all.buffer };
  };

  /** Maximum number of levels of a result. */
  const mostLevels = 100;

  // JSON.stringify calls any toJSON that custom code gave to an object or a prototype, and so lets it choose the text
  // that the host reads. This writes own enumerable fields only. Numbers that are not finite become null, and functions
  // and symbols are left out, as JSON.stringify does.
  const written = (value, level) => {
    if (value === null || value === undefined) return 'null';
    const type = typeof value;
    if (type === 'boolean') return value ? 'true' : 'false';
    if (type === 'number') return value - value === 0 ? `${value}` : 'null';
    if (type === 'string') return stringify(value);
    if (type === 'bigint') throw new Failure('The result has a BigInt: return numbers.');
    if (type !== 'object') return 'null';
    if (level > mostLevels) throw new Failure(`The result has more than ${mostLevels} levels, or contains itself.`);
    let text = '';
    if (isArray(value)) {
      const { length } = value;
      for (let k = 0; k < length; k++) text += `${k ? ',' : ''}${written(value[k], level + 1)}`;
      return `[${text}]`;
    }
    const names = keys(value);
    for (let k = 0; k < names.length; k++) {
      const field = value[names[k]];
      const kind = typeof field;
      if (kind === 'function' || kind === 'symbol' || kind === 'undefined') continue;
      text += `${text ? ',' : ''}${stringify(names[k])}:${written(field, level + 1)}`;
    }
    return `{${text}}`;
  };

  const plain = (code, arrays, values) => {
    if (typeof code.main !== 'function') throw new TypeError('The code must export a function named main.');
    return code.main(arrays, values);
  };

  /** Runs the code. Takes and returns JSON text and a buffer of floats. */
  return (code, prelude, buffer, input) => {
    const { layout, values } = parse(input);
    const result = (prelude ?? plain)(code, unpack(buffer, layout), values);
    const packed = pack(result.arrays ?? {});
    return [`{"layout":${written(packed.layout, 0)},"values":${written(result.values, 0)}}`, packed.buffer];
  };
})();
