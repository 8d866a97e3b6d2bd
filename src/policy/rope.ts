/**
 * Rotary position settings of a `config.json`, read as transformers 5 reads them (modeling_rope_utils.py): a non-empty
 * `rope_scaling` before `rope_parameters`, and a `rope_theta` inside of it before the one beside it.
 */
import { ConfigReader, type Fields, isObject } from './config-reader.ts';
import { power } from './elementary.ts';

/** Llama 3's scaling of the rotary frequencies (`rope_type: "llama3"`). */
interface Llama3Scaling {
  type: 'llama3';
  factor: number;
  lowFreqFactor: number;
  highFreqFactor: number;
  originalMaxPosition: number;
}

/** Division of all rotary frequencies by a factor (`rope_type: "linear"`). */
interface LinearScaling {
  type: 'linear';
  factor: number;
}

export type RopeScaling = Llama3Scaling | LinearScaling;

export interface Rope {
  ropeTheta: number;
  ropeScaling: RopeScaling | null;
}

/** The object with the settings, and its path. */
function settingsOf(read: ConfigReader): ConfigReader {
  for (const field of ['rope_scaling', 'rope_parameters']) {
    const value = read.json[field] ?? {};
    if (!isObject(value)) read.refuse(field, 'it must be an object or null');
    else if (Object.keys(value).length) return new ConfigReader(value, `${field}.`);
  }
  return new ConfigReader({}, 'rope_parameters.');
}

/** Rotary settings. `maxPosition`: the model's context length. Problems are added to the reader's. */
export function readRope(read: ConfigReader, maxPosition: number): Rope {
  const inner = settingsOf(read);
  const ropeTheta =
    'rope_theta' in inner.json
      ? inner.number('rope_theta')
      : 'rope_theta' in read.json
        ? read.number('rope_theta')
        : 10_000;
  const ropeScaling = readScaling(inner, read, maxPosition);
  if ((inner.json.partial_rotary_factor ?? 1) !== 1)
    inner.refuse('partial_rotary_factor', 'only a rotation of the whole head is supported');
  const nested = Object.keys(inner.json).find((key) => isObject(inner.json[key]));
  if (nested) inner.refuse(nested, 'rotary settings that differ between layers are not supported');
  read.problems.push(...inner.problems);
  return { ropeTheta, ropeScaling };
}

function readScaling(inner: ConfigReader, read: ConfigReader, maxPosition: number): RopeScaling | null {
  const field = 'rope_type' in inner.json || !('type' in inner.json) ? 'rope_type' : 'type';
  const type = field in inner.json ? inner.json[field] : 'default';
  if (type === 'default') {
    if (!(field in inner.json) && (inner.json.factor ?? 1) !== 1)
      inner.refuse('factor', 'without a rope_type it has no meaning: add the type, or remove the factor');
    return null;
  }
  if (type === 'linear') return { type, factor: inner.number('factor') };
  if (type === 'llama3') return readLlama3(inner, read, maxPosition);
  inner.refuse(field, 'only default, linear and llama3 are supported');
  return null;
}

/** An original context length beside the settings precedes the one inside, as in transformers. */
function readLlama3(inner: ConfigReader, read: ConfigReader, maxPosition: number): Llama3Scaling {
  const original = 'original_max_position_embeddings';
  const scaling: Llama3Scaling = {
    type: 'llama3',
    factor: inner.number('factor'),
    lowFreqFactor: inner.number('low_freq_factor'),
    highFreqFactor: inner.number('high_freq_factor'),
    originalMaxPosition:
      original in read.json
        ? read.integer(original)
        : inner.integer(original, original in inner.json ? undefined : maxPosition),
  };
  if (scaling.highFreqFactor <= scaling.lowFreqFactor && !inner.problems.length)
    inner.refuse('high_freq_factor', `it must be above low_freq_factor ${scaling.lowFreqFactor}`);
  return scaling;
}

/** `rope_scaling` of a `config.json`. */
export function writeScaling(scaling: RopeScaling | null): Fields | null {
  if (!scaling) return null;
  if (scaling.type === 'linear') return { rope_type: 'linear', factor: scaling.factor };
  return {
    rope_type: 'llama3',
    factor: scaling.factor,
    low_freq_factor: scaling.lowFreqFactor,
    high_freq_factor: scaling.highFreqFactor,
    original_max_position_embeddings: scaling.originalMaxPosition,
  };
}

/**
 * (headDim / 2) rotation per position of each pair of a head, in radians. Linear scaling divides every frequency by
 * `factor`. Llama 3's divides that of long wavelengths, keeps that of short ones, and interpolates in between
 * (transformers, modeling_rope_utils.py).
 */
export function inverseFrequencies(headDim: number, { ropeTheta, ropeScaling }: Rope): Float64Array {
  const plain = Float64Array.from({ length: headDim / 2 }, (_, i) => 1 / power(ropeTheta, (2 * i) / headDim));
  if (!ropeScaling) return plain;
  if (ropeScaling.type === 'linear') return plain.map((frequency) => frequency / ropeScaling.factor);
  return plain.map((frequency) => scaleLlama3(frequency, ropeScaling));
}

function scaleLlama3(frequency: number, scaling: Llama3Scaling): number {
  const { factor, lowFreqFactor, highFreqFactor, originalMaxPosition } = scaling;
  const wavelength = (2 * Math.PI) / frequency;
  if (wavelength < originalMaxPosition / highFreqFactor) return frequency;
  if (wavelength > originalMaxPosition / lowFreqFactor) return frequency / factor;
  const smooth = (originalMaxPosition / wavelength - lowFreqFactor) / (highFreqFactor - lowFreqFactor);
  return ((1 - smooth) * frequency) / factor + smooth * frequency;
}
