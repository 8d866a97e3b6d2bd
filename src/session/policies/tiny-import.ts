/** Imports a whole policy in the Hugging Face layout as a run at step 0 with a tiny policy of the same sizes. */
import { type Experiment, ExperimentError, parseExperiment } from '../../experiment/experiment.ts';
import { type ModelConfig, parseConfig, writeConfig } from '../../policy/config.ts';
import { loadCheckpoint } from '../../policy/formats/checkpoint.ts';
import { freshState } from '../../policy/moments.ts';
import { Tokenizer } from '../../policy/text/tokenizer.ts';
import { BundleError, type PolicyFiles, readPolicy } from '../../store/bundle.ts';
import type { NewRun } from '../../store/run-store.ts';
import { encodeState, REFERENCE } from '../checkpoint.ts';
import { bytesOf, requireUsable, textOf } from './kept-files.ts';
import { untrained } from './kind.ts';

/** An experiment for watching an imported policy: the preset's world, the policy's own sizes. */
function experimentOfPolicy(config: ModelConfig, preset: Experiment, name: string): Experiment {
  if (preset.policy.kind !== 'tiny')
    throw new BundleError(
      'This zip contains a whole model, but its settings are for another kind of policy: a language model is trained by an ' +
        'adapter beside it. Choose it as the language model of an experiment.',
    );
  const policy = {
    ...preset.policy,
    layers: config.numLayers,
    hidden: config.hiddenSize,
    heads: config.numHeads,
    kvHeads: config.numKvHeads,
    headDim: config.headDim,
    intermediate: config.intermediateSize,
    tieEmbeddings: config.tieWordEmbeddings,
    qkNorm: config.qkNorm,
    qkvBias: config.qkvBias,
    // They set initial weights; the imported ones are trained already.
    previousTokenHeads: 0,
    inductionHeads: 0,
    ropeTheta: config.ropeTheta,
  };
  try {
    return parseExperiment({ ...preset, name: name.slice(0, 120), policy });
  } catch (error) {
    if (!(error instanceof ExperimentError)) throw error;
    throw new BundleError(`This policy is larger than a tiny policy may be:\n${error.message}`);
  }
}

/** A JSON file of a policy. */
function parsed(files: PolicyFiles, name: 'config.json' | 'tokenizer.json') {
  try {
    return JSON.parse(textOf(files[name]));
  } catch (error) {
    throw new BundleError(
      `${name} in this zip is not JSON (${(error as Error).message.slice(0, 200)}). Pack the policy again.`,
    );
  }
}

/** The run of a policy's zip: it can be watched or trained further. Throws a BundleError if the zip has no policy. */
export function readTiny(bytes: Uint8Array, preset: Experiment, fileName: string): NewRun {
  const files = readPolicy(bytes);
  const stated = parseConfig(parsed(files, 'config.json'));
  // The kind of the settings is checked before the weights, which may be a language model's.
  experimentOfPolicy(stated, preset, fileName);
  const { config, tensors } = loadCheckpoint({
    config: textOf(files['config.json']),
    model: files['model.safetensors'],
    tokenizer: textOf(files['tokenizer.json']),
  });
  const experiment = experimentOfPolicy(config, preset, fileName);
  // A tokenizer that cannot be read would be found only when the run opens.
  new Tokenizer(parsed(files, 'tokenizer.json')).encode('');
  requireUsable(tensors);
  const weights = encodeState(freshState(tensors));
  const isAsStated = config.tieWordEmbeddings === stated.tieWordEmbeddings;
  return {
    name: experiment.name,
    experiment,
    origin: { kind: 'import', file: fileName },
    checkpoints: [{ meta: untrained, bytes: weights }],
    assets: {
      'config.json': isAsStated ? files['config.json'] : bytesOf(writeConfig(config)),
      'tokenizer.json': files['tokenizer.json'],
      [REFERENCE]: weights,
    },
  };
}
