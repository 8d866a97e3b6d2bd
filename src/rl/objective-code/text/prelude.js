// Trusted text that runs in the sandbox before an objective's. It replaces exp, expm1 and log of Math by the project's
// own (policy/elementary.ts, operation by operation, so that every bit is the same), defines stopGradient, and converts
// arrays to rows and a result back to arrays.
(() => {
  const Floats = Float64Array;
  const { isView } = ArrayBuffer;
  const { isArray } = Array;
  const { entries } = Object;
  const { abs, round, trunc, LOG2E, SQRT2 } = Math;
  const isNotNumber = Number.isNaN;

  const LN2_HIGH = 0.6931471803691238;
  const LN2_LOW = 1.9082149292705877e-10;
  const double = new Floats(1);
  const words = new Uint32Array(double.buffer);

  const powerOfTwo = (k) => {
    words[1] = (k + 1023) << 20;
    words[0] = 0;
    return double[0];
  };

  // Numbers from a typed array are doubles. QuickJS multiplies two doubles faster than a double and an integer (4,096
  // series: 1.4 ms against 4.4 ms).
  const [one, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15] = Floats.from(
    { length: 15 },
    (_, i) => i + 1,
  );

  // biome-ignore format: Taylor's series to r^15 / 15!, as policy/elementary.ts adds it up
  const series = (r) => r * (one + (r / n2) * (one + (r / n3) * (one + (r / n4) * (one + (r / n5) * (one + (r / n6) * (one + (r / n7) * (one + (r / n8) * (one + (r / n9) * (one + (r / n10) * (one + (r / n11) * (one + (r / n12) * (one + (r / n13) * (one + (r / n14) * (one + r / n15))))))))))))));

  const exp = (x) => {
    if (isNotNumber(x)) return x;
    if (x > 709.782712893384) return Infinity;
    if (x < -745.1332191019411) return 0;
    const k = round(x * LOG2E);
    if (k === 0) return one + series(x);
    const value = one + series(x - k * LN2_HIGH - k * LN2_LOW);
    const half = trunc(k / 2);
    return value * powerOfTwo(half) * powerOfTwo(k - half);
  };

  const expm1 = (x) => (abs(x) <= 0.35 ? series(x) : exp(x) - one);

  const log = (x) => {
    if (isNotNumber(x) || x < 0) return NaN;
    if (x === 0) return -Infinity;
    if (x === Infinity) return x;
    const scale = x < 2.2250738585072014e-308 ? 54 : 0;
    double[0] = scale ? x * 2 ** 54 : x;
    const high = words[1];
    let k = (high >>> 20) - 1023 - scale;
    words[1] = (high & 0xfffff) | 0x3ff00000;
    let m = double[0];
    if (m > SQRT2) {
      m /= 2;
      k += 1;
    }
    const s = (m - 1) / (m + 1);
    const z = s * s;
    let sum = 0;
    for (let n = 21; n > 1; n -= 2) sum = z * (1 / n + sum);
    return k * LN2_HIGH + (2 * s + (2 * s * sum + k * LN2_LOW));
  };

  Math.exp = exp;
  Math.expm1 = expm1;
  Math.log = log;

  // Finite differences move everything that a loss does not hold constant: the first evaluation stores each held value
  // in order, and the later ones read them back.
  const tape = [];
  let replaying = false;
  let at = 0;
  globalThis.stopGradient = (x) => {
    if (replaying) return at < tape.length ? tape[at++] : x;
    tape[tape.length] = x;
    return x;
  };

  const shown = ['policyLoss', 'kl', 'flags', 'ratio'];

  const kindOf = (value) => (value === null ? 'null' : isArray(value) ? 'a list' : typeof value);

  /** Numbers of `name`, or a description of the problem with them. */
  const numbers = (name, value, count) => {
    if (!isArray(value) && !(isView(value) && value.length !== undefined))
      return { problem: `${name} is ${kindOf(value)} and must be a list of ${count} numbers, one a row` };
    if (value.length !== count) return { problem: `${name} has ${value.length} numbers for ${count} rows` };
    // Typed arrays are copied at once; the items of a plain list are checked one by one.
    if (isView(value)) return { array: new Floats(value) };
    const array = new Floats(count);
    for (let i = 0; i < count; i++) array[i] = typeof value[i] === 'number' ? value[i] : NaN;
    return { array };
  };

  const read = (result, count) => {
    if (typeof result !== 'object' || result === null)
      return { problem: `objective returned ${kindOf(result)} and must return { loss, weight }` };
    if (typeof result.then === 'function')
      return { problem: 'objective is async and must return its numbers at once: remove async' };
    const arrays = {};
    const wanted = [
      ['loss', true],
      ['weight', true],
      ['entropyWeight', false],
      ['valueWeight', false],
    ];
    for (let k = 0; k < wanted.length; k++) {
      const [name, needed] = wanted[k];
      if (result[name] === undefined && !needed) continue;
      const { array, problem } = numbers(name, result[name], count);
      if (problem) return { problem };
      arrays[name] = array;
    }
    const aux = entries(result.aux ?? {});
    for (let k = 0; k < aux.length; k++) {
      if (!shown.includes(aux[k][0])) return { problem: `aux has "${aux[k][0]}" and may have ${shown.join(', ')}` };
      const { array, problem } = numbers(`aux.${aux[k][0]}`, aux[k][1], count);
      if (problem) return { problem };
      arrays[`aux.${aux[k][0]}`] = array;
    }
    return { arrays, values: { metrics: result.metrics ?? {} } };
  };

  /** Summed loss after one number of the rows is changed. */
  const lossWhere = (code, rows, settings, [column, row, change]) => {
    const moved = new Floats(rows[column]);
    moved[row] += change;
    replaying = true;
    at = 0;
    const { problem, arrays } = read(code.objective({ ...rows, [column]: moved }, settings), rows.count);
    if (problem) return { problem };
    let total = 0;
    for (let i = 0; i < rows.count; i++) total += arrays.loss[i];
    return { total };
  };

  return (code, arrays, { count, settings, moves }) => {
    if (typeof code.objective !== 'function')
      return { values: { problem: 'the code must export a function named objective' } };
    const rows = { count, value: null, ...arrays };
    const { problem, ...result } = read(code.objective({ ...rows }, settings), count);
    if (problem) return { values: { problem } };
    if (!moves) return result;
    const totals = new Floats(moves.length);
    for (let k = 0; k < moves.length; k++) {
      const { problem: wrong, total } = lossWhere(code, rows, settings, moves[k]);
      if (wrong) return { values: { problem: wrong } };
      totals[k] = total;
    }
    return { ...result, arrays: { ...result.arrays, totals } };
  };
})();
