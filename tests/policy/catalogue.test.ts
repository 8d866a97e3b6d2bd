import { describe, expect, it } from 'vitest';
import { catalogue, configOf, downloadBytes, findModel, UnknownModelError } from '../../src/policy/catalogue.ts';
import { countParameters } from '../../src/policy/config.ts';

/** Number of values in each repository's safetensors files, as the Hub counts them. */
const published: { [id: string]: number } = {
  'qwen2.5-0.5b': 494_032_768,
  'qwen2.5-1.5b': 1_543_714_304,
  'qwen2.5-3b': 3_085_938_688,
  'smollm2-135m': 134_515_008,
  'smollm2-360m': 361_821_120,
  'qwen3-0.6b': 596_049_920,
  'qwen3-1.7b': 1_720_574_976,
  'llama-3.2-1b': 1_235_814_400,
  'llama-3.2-3b': 3_212_749_824,
};

describe('the catalogue', () => {
  it('has the parameter counts of the Hub', () => {
    const counted = Object.fromEntries(catalogue.map((entry) => [entry.id, countParameters(configOf(entry))]));
    expect(counted).toEqual(published);
    expect(downloadBytes(findModel('smollm2-135m'))).toBe(269_030_016);
  });

  it('finds a model by its short id or its repository, and lists them all for an unknown name', () => {
    expect(findModel('Qwen2.5-0.5B').repository).toBe('Qwen/Qwen2.5-0.5B-Instruct');
    expect(findModel('meta-llama/Llama-3.2-1B-Instruct')).toMatchObject({ id: 'llama-3.2-1b', gated: true });
    expect(() => findModel('gpt-2')).toThrow(UnknownModelError);
    expect(() => findModel('gpt-2')).toThrow(/qwen2\.5-0\.5b, .*llama-3\.2-3b/);
  });

  it('agrees with the engine on the family of each model', () => {
    expect(configOf(findModel('qwen2.5-3b'))).toMatchObject({ qkvBias: true, qkNorm: false, headDim: 128 });
    expect(configOf(findModel('qwen3-0.6b'))).toMatchObject({ qkvBias: false, qkNorm: true, headDim: 128 });
    expect(configOf(findModel('smollm2-360m'))).toMatchObject({ qkvBias: false, headDim: 64, ropeTheta: 100_000 });
    expect(configOf(findModel('llama-3.2-3b')).ropeScaling).toMatchObject({ type: 'llama3', factor: 32 });
  });
});
