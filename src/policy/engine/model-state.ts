/** Saved state of a model: trained values with the optimiser's moments, and the reference copy. */
import type { DeviceBuffer, Recorder } from '../../device/device.ts';
import { firstMoment, hasMoments, parametersOf, secondMoment } from '../moments.ts';
import type { PolicyState, TensorMap } from '../policy.ts';
import type { ParameterSet } from '../weights/parameters.ts';
import { checkNames, checkTensors, type ModelWeights } from './model-weights.ts';

export class ModelState {
  constructor(
    private readonly recorder: Recorder,
    private readonly values: ModelWeights,
  ) {}

  async save(): Promise<PolicyState> {
    const { trained, adamw } = this.values;
    const sets: [ParameterSet, string][] = trained ? [[trained, '']] : [];
    if (adamw) sets.push([adamw.m, firstMoment], [adamw.v, secondMoment]);
    return { tensors: await this.read(sets), optimizerStep: adamw?.step ?? 0 };
  }

  /** Saves the reference copy. An adapted model has none to save. */
  async saveReference(): Promise<PolicyState> {
    const { copied } = this.values;
    return { tensors: await this.read(copied ? [[copied, '']] : []), optimizerStep: 0 };
  }

  /**
   * Loads a state. Checks every tensor by name and shape first; throws StateError on a mismatch without changing
   * anything.
   */
  async load(state: PolicyState): Promise<void> {
    const { recorder } = this;
    const { trained, trainedShapes, grads, adamw } = this.values;
    const prefixes = [''];
    const moments = adamw && hasMoments(state.tensors);
    if (moments) prefixes.push(firstMoment, secondMoment);
    for (const prefix of prefixes) checkTensors(trainedShapes, state.tensors, prefix);
    checkNames(trainedShapes, parametersOf(state.tensors));
    trained?.upload(recorder, state.tensors);
    if (moments) {
      adamw.m.upload(recorder, state.tensors, firstMoment);
      adamw.v.upload(recorder, state.tensors, secondMoment);
    } else {
      adamw?.m.clear(recorder);
      adamw?.v.clear(recorder);
    }
    grads?.clear(recorder);
    if (adamw) adamw.step = moments ? state.optimizerStep : 0;
    await recorder.finish();
  }

  async loadReference({ tensors }: PolicyState): Promise<void> {
    const { copied, trainedShapes } = this.values;
    if (!copied) return;
    checkTensors(trainedShapes, tensors, '');
    checkNames(trainedShapes, parametersOf(tensors));
    copied.upload(this.recorder, tensors);
    await this.recorder.finish();
  }

  /** Reads the tensors of sets, each under its prefix, with one read-back if the staging buffer holds them. */
  async read(sets: readonly [ParameterSet, string][]): Promise<TensorMap> {
    const slices = sets.flatMap(([set]) => set.slices());
    const total = slices.reduce((sum, s) => sum + s.size, 0);
    const blocks =
      total <= this.recorder.stagingBytes ? await this.recorder.read(slices) : await this.readLarge(slices);
    const tensors: TensorMap = new Map();
    for (const [set, prefix] of sets) {
      const own = blocks.splice(0, set.buffers.length);
      for (const [name, tensor] of set.unpack(own, prefix)) tensors.set(name, tensor);
    }
    return tensors;
  }

  /** All values of a set, block after block. */
  async flat(set: ParameterSet): Promise<Float32Array<ArrayBuffer>> {
    const sizes = set.layout.blocks;
    const out = new Float32Array(sizes.reduce((sum, floats) => sum + floats, 0));
    let at = 0;
    for (const [i, piece] of set.slices().entries()) {
      await this.readInto(out.subarray(at, at + sizes[i]), piece);
      at += sizes[i];
    }
    return out;
  }

  /** Reads one slice into a host array, in pieces. */
  async readInto(
    out: Float32Array<ArrayBuffer>,
    { buffer, offset, size }: { buffer: DeviceBuffer; offset: number; size: number },
  ): Promise<Float32Array<ArrayBuffer>> {
    for (let at = 0; at < size; at += this.recorder.stagingBytes) {
      const piece = { buffer, offset: offset + at, size: Math.min(this.recorder.stagingBytes, size - at) };
      const [bytes] = await this.recorder.read([piece]);
      out.set(new Float32Array(bytes), at / 4);
    }
    return out;
  }

  /** Reads slices larger than the staging buffer, in pieces. */
  async readLarge(slices: readonly { buffer: DeviceBuffer; offset: number; size: number }[]): Promise<ArrayBuffer[]> {
    const blocks: ArrayBuffer[] = [];
    for (const s of slices) {
      const out = new Uint8Array(s.size);
      for (let at = 0; at < s.size; at += this.recorder.stagingBytes) {
        const size = Math.min(this.recorder.stagingBytes, s.size - at);
        const [piece] = await this.recorder.read([{ buffer: s.buffer, offset: s.offset + at, size }]);
        out.set(new Uint8Array(piece), at);
      }
      blocks.push(out.buffer);
    }
    return blocks;
  }
}
