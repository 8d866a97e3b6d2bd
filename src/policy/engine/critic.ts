/**
 * Value head on the trunk: v = w . h + b, with h the normalised hidden state from which a token is predicted, so the
 * value of a token is known before the token is sampled. The head is small (hidden size + 1 numbers), lives on the
 * host, and has its own AdamW. It starts at 0, so a shared trunk receives no value gradient until the head has learnt
 * something. Sums run in the order of the rows and in double precision, and are therefore equal on every device.
 */
import { wholePower } from '../elementary.ts';
import { keptPrefix } from '../moments.ts';
import type { TensorMap } from '../policy.ts';

const names = {
  weight: 'value_head',
  first: 'value_head.exp_avg',
  second: 'value_head.exp_avg_sq',
  step: 'value_head.step',
};
const [beta1, beta2, epsilon] = [0.9, 0.999, 1e-8];

export class Critic {
  private weight: Float32Array<ArrayBuffer>;
  private first: Float32Array;
  private second: Float32Array;
  private steps = 0;
  private gradient: Float64Array;

  constructor(private readonly hiddenSize: number) {
    const zeros = () => new Float32Array(hiddenSize + 1);
    [this.weight, this.first, this.second] = [zeros(), zeros(), zeros()];
    this.gradient = new Float64Array(hiddenSize + 1);
  }

  /** (N) values of hidden states (N, C). */
  values(hidden: Float32Array): Float32Array {
    const C = this.hiddenSize;
    return Float32Array.from({ length: hidden.length / C }, (_, n) => {
      let sum = this.weight[C];
      for (let c = 0; c < C; c++) sum += this.weight[c] * hidden[n * C + c];
      return sum;
    });
  }

  /** (C) dvalue/dhidden, the same for every row. */
  get slopes(): Float32Array<ArrayBuffer> {
    return this.weight.slice(0, this.hiddenSize);
  }

  /** Adds the sum over rows of dloss/dvalue * dvalue/dweight. */
  accumulate(hidden: Float32Array, valueWeight: ArrayLike<number>): void {
    const C = this.hiddenSize;
    for (let n = 0; n < valueWeight.length; n++) {
      for (let c = 0; c < C; c++) this.gradient[c] += valueWeight[n] * hidden[n * C + c];
      this.gradient[C] += valueWeight[n];
    }
  }

  /** Discards the gradient of an unfinished update. */
  discardGradient(): void {
    this.gradient.fill(0);
  }

  /** Takes one step of AdamW without weight decay. */
  apply(learningRate: number): void {
    this.steps += 1;
    const [c1, c2] = [1 - wholePower(beta1, this.steps), 1 - wholePower(beta2, this.steps)];
    this.gradient.forEach((g, i) => {
      this.first[i] = beta1 * this.first[i] + (1 - beta1) * g;
      this.second[i] = beta2 * this.second[i] + (1 - beta2) * g * g;
      this.weight[i] -= (learningRate * (this.first[i] / c1)) / (Math.sqrt(this.second[i] / c2) + epsilon);
    });
    this.gradient.fill(0);
  }

  /** Adds the head's state to `tensors`. Before the first step there is nothing to save: most runs have no critic. */
  save(tensors: TensorMap): void {
    if (this.steps === 0) return;
    const put = (name: string, data: Float32Array) =>
      tensors.set(keptPrefix + name, { shape: [data.length], data: data.slice() });
    put(names.weight, this.weight);
    put(names.first, this.first);
    put(names.second, this.second);
    put(names.step, Float32Array.of(this.steps));
  }

  load(tensors: TensorMap): void {
    const read = (name: string) =>
      tensors.get(keptPrefix + name)?.data.slice() as Float32Array<ArrayBuffer> | undefined;
    const zeros = () => new Float32Array(this.hiddenSize + 1);
    this.weight = read(names.weight) ?? zeros();
    this.first = read(names.first) ?? zeros();
    this.second = read(names.second) ?? zeros();
    this.steps = read(names.step)?.[0] ?? 0;
    this.gradient.fill(0);
  }
}

const notesPrefix = `${keptPrefix}note.`;

/**
 * Saves training numbers as tensors of one value, in single precision. Callers round the values in use to single
 * precision as well, so that a resumed run continues with the same numbers.
 */
export function saveNotes(notes: ReadonlyMap<string, number>, tensors: TensorMap): void {
  for (const [name, value] of notes) tensors.set(notesPrefix + name, { shape: [1], data: Float32Array.of(value) });
}

export function loadNotes(notes: Map<string, number>, tensors: TensorMap): void {
  notes.clear();
  for (const [name, { data }] of tensors)
    if (name.startsWith(notesPrefix)) notes.set(name.slice(notesPrefix.length), data[0]);
}
