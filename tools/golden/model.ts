/**
 * Checks the engine against recorded models: a folder with `config.json` and `model.safetensors`, and beside them
 * numbers of the original implementation. The files and their JSON determine what is compared, never the folder's name,
 * so that other cases in this layout run unchanged.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ropeInverseFrequencies } from '../../src/policy/config.ts';
import { type Checkpoint, loadCheckpoint, saveCheckpoint } from '../../src/policy/formats/checkpoint.ts';
import type { Capacity, TensorMap } from '../../src/policy/policy.ts';
import { begin, wholeTurns } from '../turns.ts';
import {
  GoldenCase,
  gates,
  type Inputs,
  type InspectablePolicy,
  numbers,
  type OpenPolicy,
  packInputs,
  packSequences,
  type Tensors,
} from './case.ts';
import { checkAdapter } from './lora.ts';
import { type GoldenReport, largestMagnitude, maxError } from './report.ts';

const knownFiles = new Set([
  'config.json',
  'config_v5.json',
  'model.safetensors',
  'manifest.json',
  'expected.json',
  'inputs.safetensors',
  'forward.safetensors',
  'grads_full.safetensors',
  'adamw_full.safetensors',
  'generate.safetensors',
  'bf16',
  'lora',
  'forward_lora.safetensors',
  'grads_lora.safetensors',
  'adamw_lora.safetensors',
  'rl_step_lora.safetensors',
  'generate_lora.safetensors',
]);

/** One recorded folder: its files and its checks. */
class ModelCase extends GoldenCase {
  private checkpoint!: Checkpoint;
  private inputs: Inputs | null = null;

  async run(): Promise<void> {
    this.checkpoint = this.load('config.json', 'model.safetensors');
    this.skipOthers();
    this.checkSpelling();
    if (this.has('inputs.safetensors')) await this.runInputs();
    if (this.has('expected.json')) await this.checkContinuation(JSON.parse(this.text('expected.json')));
  }

  private skipOthers() {
    for (const file of readdirSync(this.folder).sort())
      if (!knownFiles.has(file)) this.report.skip('unknown-file', `${this.name}/${file}`, 'unknown kind of file');
  }

  /** The other version of config.json must describe the same model. */
  private checkSpelling() {
    if (!this.has('config_v5.json')) return;
    const other = this.load('config_v5.json', 'model.safetensors').config;
    const same = JSON.stringify(other) === JSON.stringify(this.checkpoint.config);
    this.report.check('checkpoint', this.name, 'config_v5.json is the same model', same, same ? 0 : 1);
  }

  private async withPolicy(
    capacity: Partial<Capacity>,
    use: (policy: InspectablePolicy) => Promise<void>,
    tensors = this.checkpoint.tensors,
  ) {
    const least: Capacity = {
      rows: 1,
      groups: 1,
      promptTokens: 1,
      completionTokens: 8,
      batchTokens: this.inputs?.batch.tokens.length ?? 8,
      batchScored: this.inputs?.batch.scored.length ?? 8,
    };
    const policy = await this.open(this.checkpoint.config, tensors, { ...least, ...capacity });
    try {
      await use(policy);
    } finally {
      policy.destroy();
    }
  }

  private async runInputs() {
    const inputs = packInputs(this.tensors('inputs.safetensors'));
    this.inputs = inputs;
    await this.withPolicy(this.generationCapacity(inputs, 'generate.safetensors'), async (policy) => {
      if (this.has('forward.safetensors')) await this.checkForward(policy, inputs);
      if (this.has('grads_full.safetensors'))
        await this.checkGradients('model', policy, inputs, 'grads_full.safetensors');
      if (this.has('generate.safetensors'))
        await this.checkGeneration('generation', policy, inputs, 'generate.safetensors');
      await this.checkRoundTrip(policy);
      if (this.has('adamw_full.safetensors')) await this.checkAdamW('model', policy, inputs, 'full');
    });
    if (this.has('bf16')) await this.checkBf16(inputs);
    if (this.has('lora')) await checkAdapter(this.folder, this.name, this.open, this.report, this.checkpoint, inputs);
  }

  private async checkForward(policy: InspectablePolicy, inputs: Inputs) {
    const expected = this.tensors('forward.safetensors');
    if (expected.has('inv_freq'))
      this.compare(
        'model',
        'inv_freq',
        ropeInverseFrequencies(this.checkpoint.config),
        numbers(expected, 'inv_freq'),
        gates.inverseFrequency,
      );
    await this.checkScores('model', policy, inputs, expected);
    await this.checkHidden(policy, expected);
  }

  /** Checks hidden states, which are recorded for the first sequence only. */
  private async checkHidden(policy: InspectablePolicy, expected: Tensors) {
    const names = [...expected.keys()].filter((name) => name.startsWith('hidden_states.'));
    if (!names.length) return;
    const states = await policy.hiddenStates(this.inputs!.batch);
    for (const name of names) {
      const values = numbers(expected, name);
      const state = states[Number(name.split('.')[1])].subarray(0, values.length);
      this.compare('model', name, state, values, gates.logits * Math.max(1, largestMagnitude(values)));
    }
  }

  /** Checks that a saved checkpoint, read back and loaded, gives bit-identical logits. */
  private async checkRoundTrip(policy: InspectablePolicy) {
    const { batch } = this.inputs!;
    const { config } = this.checkpoint;
    const before = await policy.logits(batch);
    const state = await policy.save();
    const weights: TensorMap = new Map([...state.tensors].filter(([name]) => this.checkpoint.tensors.has(name)));
    const files = saveCheckpoint(config, weights, null);
    const again = loadCheckpoint({ config: files['config.json'], model: files['model.safetensors'] });
    for (const [name, { data }] of this.checkpoint.tensors) {
      const error = maxError(again.tensors.get(name)!.data, data);
      if (error > 0) this.report.check('checkpoint', this.name, `saved ${name}`, false, error, 0);
    }
    const sameConfig = JSON.stringify(again.config) === JSON.stringify(config);
    this.report.check('checkpoint', this.name, 'saved config.json is the same model', sameConfig, sameConfig ? 0 : 1);
    await this.withPolicy(
      {},
      async (other) => {
        this.same('checkpoint', 'logits after save and load', await other.logits(batch), before);
      },
      again.tensors,
    );
  }

  private async checkBf16(inputs: Inputs) {
    const copy = this.load('bf16/config.json', 'bf16/model.safetensors');
    const differing = [...this.checkpoint.tensors].filter(
      ([name, { data }]) => maxError(copy.tensors.get(name)!.data, data) > 0,
    );
    this.report.check('checkpoint', this.name, 'bf16 weights are the same values', !differing.length, differing.length);
    await this.withPolicy(
      {},
      async (policy) => {
        const expected = numbers(this.tensors('forward.safetensors'), 'logits');
        this.compare('model', 'logits of the bf16 copy', await policy.logits(inputs.batch), expected, gates.logits);
      },
      copy.tensors,
    );
  }

  /**
   * Checks a recorded greedy continuation of the start token, and the log-probability of each token both as sampled and
   * as scored.
   */
  private async checkContinuation(expected: {
    greedy_ids: number[];
    logp: number[];
    pieces?: string[];
    text?: string;
  }) {
    const ids = Int32Array.from(expected.greedy_ids);
    const continuation = ids.subarray(1);
    const capacity = {
      completionTokens: continuation.length,
      batchTokens: ids.length,
      batchScored: continuation.length,
    };
    await this.withPolicy(capacity, async (policy) => {
      await begin(policy, [{ prompt: ids.subarray(0, 1), slots: [0], rowKeys: [0] }]);
      const [turn] = await wholeTurns(policy, [{ slot: 0, append: new Int32Array(0), constraint: null }], {
        temperature: 0,
        seed: 1,
        stream: 0,
        maxTokens: continuation.length,
        stopTokens: [],
      });
      this.same('generation', `${continuation.length} greedy tokens`, turn.tokens, continuation);
      this.compare('generation', 'logp of greedy tokens', turn.logprobs, expected.logp, gates.logp);
      const scores = await policy.score(packSequences(ids, [0, ids.length]), { temperature: 1, weights: 'policy' });
      this.compare('model', 'logp of the continuation', scores.logprob, expected.logp, gates.logp);
    });
  }
}

/** Checks every folder that contains a model. `only`: names to keep; empty keeps all. */
export async function checkModels(
  goldenDir: string,
  open: OpenPolicy,
  report: GoldenReport,
  only: readonly string[] = [],
): Promise<void> {
  for (const { name } of readdirSync(goldenDir, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    if (only.length && !only.includes(name)) continue;
    const folder = join(goldenDir, name);
    if (!existsSync(join(folder, 'config.json')) || !existsSync(join(folder, 'model.safetensors'))) {
      report.skip('unknown-folder', name, 'it has no config.json or no model.safetensors');
      continue;
    }
    try {
      await new ModelCase(folder, name, open, report).run();
    } catch (error) {
      report.fail('model', name, (error as Error).stack ?? String(error));
    }
  }
}
