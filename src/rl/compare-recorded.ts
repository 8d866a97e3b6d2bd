/**
 * Several algorithms on a recorded step of another tool. There are no weights, so the policy is a table whose parameters
 * are the log-probabilities of the recorded tokens: its gradient is the tokens' weights.
 */
import { evaluateObjective, joinRows } from '../policy/objective-rows.ts';
import type { Capacity, ObjectiveResult, PackedBatch, UpdateRequest } from '../policy/policy.ts';
import { tokenRows } from './assign-credit.ts';
import {
  type ComparedChoice,
  type ComparedObjective,
  type ComparedPolicy,
  type Comparing,
  compareObjectives,
} from './compare-objectives.ts';
import { chosenPositions } from './episode/micro-batch.ts';
import { TokenSource, type Trajectory } from './episode/trajectory.ts';
import type { RecordedStep } from './unipo.ts';

/** Numbers of the recorded tokens by their row; row 0 stands for the prompts. */
interface Table {
  logprob: number[];
  old: number[];
  reference: number[];
  values: number[];
}

class RecordedStepError extends Error {
  override name = 'RecordedStepError';
}

/** Trajectories of a step, whose token ids are rows of the table. A token without a log-probability is not trained. */
export function recordedTrajectories({ prompts }: Pick<RecordedStep, 'prompts'>): {
  trajectories: Trajectory[];
  table: Table;
} {
  const table: Table = { logprob: [0], old: [0], reference: [0], values: [0] };
  const trajectories = prompts.flatMap(({ prompt, responses }, group) =>
    responses.map(({ reward, response_text, advantage, tokens }, member): Trajectory => {
      const { ids, log_probs, old_log_probs, ref_log_probs, values, turns } = tokens;
      const now = log_probs ?? old_log_probs;
      if (!now) throw new RecordedStepError('The tokens of this step have no log-probabilities: log_probs is missing.');
      const first = table.logprob.length;
      ids.forEach((_, k) => {
        table.logprob.push(now[k] ?? 0);
        table.old.push(old_log_probs?.[k] ?? now[k] ?? 0);
        table.reference.push(ref_log_probs?.[k] ?? Number.NaN);
        table.values.push(values?.[k] ?? Number.NaN);
      });
      const length = ids.length + 1;
      const isTrained = (k: number) => k > 0 && now[k - 1] !== null;
      const turnOf = Int16Array.from({ length }, (_, k) => (k === 0 ? -1 : (turns?.[k - 1] ?? 0)));
      const count = Math.max(0, ...turnOf) + 1;
      const blank = { action: '', observation: '', valid: true, actionStart: 0, actionEnd: 0 };
      return {
        task: { world: '', id: group, options: {}, strata: {} },
        group,
        member,
        prompt,
        promptLength: 1,
        tokens: Int32Array.from({ length }, (_, k) => (k === 0 ? 0 : first + k - 1)),
        source: Uint8Array.from({ length }, (_, k) => (isTrained(k) ? TokenSource.policy : TokenSource.world)),
        turnOf,
        logprob: Float32Array.from({ length }, (_, k) => (k === 0 ? 0 : table.old[first + k - 1])),
        choices: null,
        turns: Array.from({ length: count }, (_, turn) => ({
          ...blank,
          ...(turn === 0 && { action: response_text }),
          reward: turn === count - 1 ? reward : 0,
          observationStart: 0,
          observationEnd: 0,
        })),
        score: reward,
        success: reward > 0,
        ending: 'done',
        horizon: count,
        oracleTurns: null,
        advantage: advantage ?? 0,
        advantages: new Float32Array(),
      };
    }),
  );
  return { trajectories, table };
}

const capacity: Capacity = {
  rows: 1,
  groups: 1,
  promptTokens: 1,
  completionTokens: Number.MAX_SAFE_INTEGER,
  batchTokens: Number.MAX_SAFE_INTEGER,
  batchScored: Number.MAX_SAFE_INTEGER,
};

/** The table as a policy. The entropy of its tokens is not recorded: 0. */
function tablePolicy(table: Table, now: readonly number[]): ComparedPolicy {
  const rowsOf = ({ tokens, scored }: PackedBatch) => Array.from(scored, (at) => tokens[at]);
  const at = (column: readonly number[], batch: PackedBatch) => Float32Array.from(rowsOf(batch), (row) => column[row]);
  const gradient = async ({
    batches,
    objective,
    scalars,
  }: Pick<UpdateRequest, 'batches' | 'objective' | 'scalars'>) => {
    const rows = joinRows(
      batches.map(({ batch, columns, ids }) => {
        const logprob = at(now, batch);
        return { logprob, entropy: new Float32Array(logprob.length), columns, ids };
      }),
    );
    const { weight } = await evaluateObjective<ObjectiveResult | Promise<ObjectiveResult>>(
      objective,
      rows,
      scalars ?? [],
    );
    const out = new Float32Array(now.length);
    batches
      .flatMap(({ batch }) => rowsOf(batch))
      .forEach((row, i) => {
        out[row] += weight[i];
      });
    return out;
  };
  return {
    capacity,
    notes: new Map(),
    score: async (batch, { weights, values }) => {
      const logprob = at(weights === 'reference' ? table.reference : now, batch);
      const entropy = new Float32Array(logprob.length);
      return { logprob, entropy, ...(values && { value: at(table.values, batch) }) };
    },
    gradient,
    update: async () => {
      throw new RecordedStepError('A recorded step has no weights, so it is not trained on.');
    },
  };
}

/** Algorithms by their names on a recorded step, under the recorded log-probabilities or under those of sampling. */
export async function compareRecorded(
  step: RecordedStep,
  stage: Comparing['stage'],
  choices: readonly ComparedChoice[],
  weights: 'before' | 'after',
): Promise<ComparedObjective[]> {
  const { trajectories, table } = recordedTrajectories(step);
  const now = weights === 'before' ? table.old : table.logprob;
  const groupSize = Math.max(2, ...step.prompts.map(({ responses }) => responses.length));
  const algorithm = { ...stage.algorithm, groups: step.prompts.length, groupSize };
  const pick = (column: readonly number[]) => (all: readonly Trajectory[]) =>
    Float64Array.from(
      all.flatMap((each) => [...chosenPositions(each)].map((position) => column[each.tokens[position]])),
    );
  const isWhole = (column: readonly number[]) => !pick(column)(trajectories).some(Number.isNaN);
  return compareObjectives(choices, trajectories, {
    policy: tablePolicy(table, now),
    stage: { ...stage, algorithm },
    creditInput: async (all, needs) => ({
      rows: tokenRows(all),
      rollout: pick(table.old)(all),
      old: pick(now)(all),
      ...(needs.referenceInCredit && { reference: pick(table.reference)(all) }),
      ...(needs.values && { values: pick(table.values)(all) }),
      memory: {},
    }),
    hasReference: isWhole(table.reference),
    hasValues: isWhole(table.values),
    lacks: ['teacher', 'completions'],
  });
}
