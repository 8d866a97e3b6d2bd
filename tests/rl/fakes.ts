/**
 * A policy of plain numbers and a door world, both complete implementations of their interfaces, to test rl/ without a
 * GPU.
 */
import type { Feedback, Split, Task, World, WorldDescription, WorldOptions, WorldView } from '../../src/envs/env.ts';
import { Critic, loadNotes, saveNotes } from '../../src/policy/engine/critic.ts';
import { CachePages } from '../../src/policy/engine/generation/cache-pages.ts';
import { HostEvaluation } from '../../src/policy/engine/host-evaluation.ts';
import { loadTexts, saveTexts } from '../../src/policy/engine/kept-texts.ts';
import type {
  AdmittedGroup,
  Capacity,
  Counters,
  GeneratedTurn,
  GenerateRow,
  Learner,
  PackedBatch,
  PageBudget,
  PolicyState,
  Sampling,
  Scores,
  TokenDistributions,
  UpdateRequest,
  UpdateResult,
} from '../../src/policy/policy.ts';
import { hash, uniform } from '../../src/rl/common/random.ts';

const zeroCounters = (): Counters => ({
  tokensPrefilled: 0,
  tokensGenerated: 0,
  tokensTrained: 0,
  dispatches: 0,
  submissions: 0,
  readbacks: 0,
  flops: 0,
  buffersCreated: 0,
});

interface Row {
  history: number[];
  prompt: number;
  key: number;
  started: boolean;
  /** True if the last token was sampled but not processed yet: it is processed with the next tokens, or alone. */
  pending: boolean;
}

/** Logits depend on the context: the last `memory` tokens, hashed into buckets. Trained by Adam. */
export class FakePolicy implements Learner {
  readonly numParameters: number;
  readonly notes = new Map<string, number>();
  readonly texts = new Map<string, string>();
  private readonly critic = new Critic(hiddenSize);
  readonly seen: { rows: readonly GenerateRow[]; sampling: Sampling }[] = [];
  readonly updates: UpdateRequest[] = [];
  private weights: Float32Array;
  private reference: Float32Array;
  private first: Float32Array;
  private second: Float32Array;
  private optimizerStep = 0;
  private readonly rows = new Map<number, Row>();
  private readonly count = zeroCounters();

  constructor(
    readonly vocabSize: number,
    readonly capacity: Capacity,
    private readonly buckets = 256,
    private readonly memory = 64,
    seed = 1,
  ) {
    this.numParameters = buckets * vocabSize;
    this.weights = Float32Array.from({ length: this.numParameters }, (_, i) => 0.1 * (uniform(seed, i) - 0.5));
    this.reference = this.weights.slice();
    this.first = new Float32Array(this.numParameters);
    this.second = new Float32Array(this.numParameters);
  }

  counters(): Counters {
    return { ...this.count };
  }

  async admit(groups: readonly AdmittedGroup[]): Promise<void> {
    for (const group of groups) {
      const known = [...this.held.values()].includes(group.key);
      for (const slot of group.slots) {
        if (this.held.has(slot) || slot < 0 || slot >= (this.capacity.slots ?? this.capacity.rows))
          throw new Error('a slot in use, or outside the plan');
        this.held.set(slot, group.key);
      }
      if (new Set(this.held.values()).size > this.capacity.groups) throw new Error('more groups than planned');
      this.place(group, !known);
    }
  }

  release(slots: readonly number[]): void {
    for (const slot of slots) if (!this.held.delete(slot)) throw new Error('a slot given back twice');
  }

  /** Slots in use, each with the key of its group. */
  protected readonly held = new Map<number, number>();

  get slotsHeld(): number {
    return this.held.size;
  }

  private place({ prompt, slots, rowKeys }: AdmittedGroup, isNew: boolean): void {
    if (isNew) this.count.tokensPrefilled += prompt.length;
    if (prompt.length > this.capacity.promptTokens) throw new Error('a prompt longer than planned');
    slots.forEach((slot, i) => {
      this.rows.set(slot, {
        history: [...prompt],
        prompt: prompt.length,
        key: rowKeys[i],
        started: false,
        pending: false,
      });
    });
  }

  restart(slot: number, rowKey: number): void {
    const { history, prompt } = this.rows.get(slot)!;
    const fresh = { started: false, pending: false };
    this.rows.set(slot, { history: history.slice(0, prompt), prompt, key: rowKey, ...fresh });
  }

  room(slot: number): number {
    const row = this.rows.get(slot)!;
    return this.capacity.completionTokens - (row.history.length - row.prompt);
  }

  /** One round generates a whole turn. */
  async generate(
    rows: readonly GenerateRow[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<(GeneratedTurn | null)[]> {
    signal?.throwIfAborted();
    if (rows.length > this.capacity.rows) throw new Error('more rows than planned');
    this.seen.push({ rows, sampling });
    return rows.map((row) => this.wholeTurn(row, sampling));
  }

  protected wholeTurn({ slot, append, constraint }: GenerateRow, sampling: Sampling): GeneratedTurn {
    const maxTokens = constraint?.depth ?? sampling.maxTokens;
    const row = this.rows.get(slot)!;
    if (append.length === 0 && row.started && !row.pending)
      throw new Error('nothing to append, though not right after it was admitted');
    row.started = true;
    row.pending = false;
    row.history.push(...append);
    this.count.tokensPrefilled += append.length;
    const tokens: number[] = [];
    const logprobs: number[] = [];
    let node = 0;
    for (;;) {
      if (constraint && constraint.leaf[node] >= 0) return turn(tokens, logprobs, constraint.leaf[node], 'leaf');
      if (tokens.length >= maxTokens) return turn(tokens, logprobs, -1, 'length');
      if (this.room(slot) < 1) return turn(tokens, logprobs, -1, 'context');
      const allowed = constraint
        ? constraint.edgeToken.subarray(constraint.edgeStart[node], constraint.edgeStart[node + 1])
        : null;
      const distribution = this.distribution(this.weights, row.history, allowed, sampling.temperature);
      const pick = choose(distribution.p, uniform(sampling.seed, sampling.stream, row.key, row.history.length));
      const token = distribution.tokens[pick];
      tokens.push(token);
      logprobs.push(Math.log(distribution.p[pick]));
      row.history.push(token);
      row.pending = true;
      this.count.tokensGenerated += 1;
      if (constraint) node = constraint.edgeNode[constraint.edgeStart[node] + pick];
      else if (sampling.stopTokens.includes(token)) return turn(tokens, logprobs, -1, 'stop');
    }
  }

  private bucket(history: ArrayLike<number>, end: number): number {
    const keys: number[] = [];
    for (let i = Math.max(0, end - this.memory); i < end; i++) keys.push(history[i]);
    return hash(...keys) % this.buckets;
  }

  private distribution(
    weights: Float32Array,
    history: ArrayLike<number>,
    allowed: Int32Array | null,
    temperature: number,
    end = history.length,
  ) {
    const bucket = this.bucket(history, end);
    const tokens = allowed ?? Int32Array.from({ length: this.vocabSize }, (_, i) => i);
    const logits = Array.from(tokens, (token) => weights[bucket * this.vocabSize + token] / temperature);
    const most = Math.max(...logits);
    const e = logits.map((logit) => Math.exp(logit - most));
    const z = e.reduce((sum, value) => sum + value, 0);
    return { bucket, tokens, p: e.map((value) => value / z) };
  }

  /** Distribution of each scored token; its context is its segment and that segment's parent. */
  private scored(batch: PackedBatch, weights: Float32Array, temperature: number) {
    if (batch.tokens.length > this.capacity.batchTokens) throw new Error('more tokens than planned');
    if (batch.scored.length > this.capacity.batchScored) throw new Error('more scored tokens than planned');
    return Array.from(batch.scored, (at, row) => {
      const segment = batch.segments.find(({ start, end }) => at >= start && at < end)!;
      const parent = segment.parent >= 0 ? batch.segments[segment.parent] : null;
      const before = parent ? Array.from(batch.tokens.subarray(parent.start, parent.end)) : [];
      const history = [...before, ...batch.tokens.subarray(segment.start, at)];
      const { allowed } = batch;
      const list = allowed ? allowed.tokens.subarray(allowed.offsets[row], allowed.offsets[row + 1]) : null;
      const mask = list && list.length > 0 ? list : null;
      const found = this.distribution(weights, history, mask, temperature);
      const index = found.tokens.indexOf(batch.tokens[at]);
      if (index < 0) throw new Error('a scored token that its row does not allow');
      const entropy = -found.p.reduce((sum, p) => sum + p * Math.log(p), 0);
      return { ...found, index, logprob: Math.log(found.p[index]), entropy };
    });
  }

  async score(batch: PackedBatch, { temperature, weights, values }: Parameters<Learner['score']>[1]): Promise<Scores> {
    const rows = this.scored(batch, weights === 'policy' ? this.weights : this.reference, temperature);
    return { ...scoresOf(rows), ...(values ? { value: this.critic.values(hiddenOf(rows)) } : {}) };
  }

  async distributions(batch: PackedBatch, temperature: number): Promise<TokenDistributions> {
    const rows = this.scored(batch, this.weights, temperature);
    const offsets = Int32Array.from({ length: rows.length + 1 }, (_, n) =>
      rows.slice(0, n).reduce((sum, { p }) => sum + p.length, 0),
    );
    return { offsets, logprobs: Float32Array.from(rows.flatMap(({ p }) => p.map(Math.log))) };
  }

  async update(request: UpdateRequest, { temperature }: { temperature: number }): Promise<UpdateResult> {
    this.updates.push(request);
    const gradient = new Float64Array(this.numParameters);
    const evaluation = new HostEvaluation(request);
    const scored = request.batches.map(({ batch }) => this.scored(batch, this.weights, temperature));
    const hidden = scored.map(hiddenOf);
    const scores = scored.map((rows, i) => ({
      ...scoresOf(rows),
      ...(request.critic ? { value: this.critic.values(hidden[i]) } : {}),
    }));
    if (evaluation.needsAll) for (const each of scores) evaluation.addScores(each);
    const outputs: UpdateResult['outputs'] = [];
    for (const [index, rows] of scored.entries()) {
      this.count.tokensTrained += request.batches[index].batch.tokens.length;
      const { seeds, valueWeight, output } = await evaluation.part(index, scores[index]);
      const slopes = rows.map((row, i) => divergenceSlopes(row.p, request, index, i));
      if (request.critic) this.critic.accumulate(hidden[index], valueWeight);
      rows.forEach((row, i) => {
        row.tokens.forEach((token, v) => {
          const p = row.p[v];
          const dlogprob = ((v === row.index ? 1 : 0) - p) / temperature;
          const dentropy = (-p * (Math.log(p) + row.entropy)) / temperature;
          gradient[row.bucket * this.vocabSize + token] += seeds[2 * i] * dlogprob + seeds[2 * i + 1] * dentropy;
          gradient[row.bucket * this.vocabSize + token] += slopes[i].slopes[v] / temperature;
        });
      });
      const divergence = Float32Array.from(slopes, (row) => row.divergence);
      outputs.push(request.divergence === undefined ? output : { ...output, divergence });
    }
    const gradNorm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
    this.adam(gradient, request.optimizer);
    if (request.critic) this.critic.apply(request.critic.learningRate);
    return { outputs, gradNorm, metrics: evaluation.metrics };
  }

  private adam(gradient: Float64Array, { learningRate, beta1, beta2, epsilon }: UpdateRequest['optimizer']): void {
    this.optimizerStep += 1;
    const [c1, c2] = [1 - beta1 ** this.optimizerStep, 1 - beta2 ** this.optimizerStep];
    gradient.forEach((g, i) => {
      this.first[i] = beta1 * this.first[i] + (1 - beta1) * g;
      this.second[i] = beta2 * this.second[i] + (1 - beta2) * g * g;
      this.weights[i] -= (learningRate * (this.first[i] / c1)) / (Math.sqrt(this.second[i] / c2) + epsilon);
    });
  }

  async freezeReference(): Promise<void> {
    this.reference = this.weights.slice();
  }

  async save(options?: { reference?: boolean }): Promise<PolicyState> {
    const tensor = (data: Float32Array) => ({ shape: [data.length], data: data.slice() });
    if (options?.reference) return { tensors: new Map([['w', tensor(this.reference)]]), optimizerStep: 0 };
    const tensors = new Map([
      ['w', tensor(this.weights)],
      ['exp_avg.w', tensor(this.first)],
      ['exp_avg_sq.w', tensor(this.second)],
    ]);
    this.critic.save(tensors);
    saveNotes(this.notes, tensors);
    saveTexts(this.texts, tensors);
    return { tensors, optimizerStep: this.optimizerStep };
  }

  async load({ tensors, optimizerStep }: PolicyState, options?: { reference?: boolean }): Promise<void> {
    const data = (name: string) => tensors.get(name)!.data.slice();
    if (options?.reference) {
      this.reference = data('w');
      return;
    }
    this.weights = data('w');
    this.first = data('exp_avg.w');
    this.second = data('exp_avg_sq.w');
    this.critic.load(tensors);
    loadNotes(this.notes, tensors);
    loadTexts(this.texts, tensors);
    this.optimizerStep = optimizerStep;
  }

  destroy(): void {}
}

/** A row's reverse KL from its teacher, and the slopes of its weighted value by the scaled logits. */
function divergenceSlopes(p: readonly number[], { divergence, batches }: UpdateRequest, index: number, row: number) {
  const { teacher } = batches[index];
  const none = { divergence: 0, slopes: p.map(() => 0) };
  if (divergence === undefined || !teacher) return none;
  if (divergence !== 1) throw new Error('the stand-in has the reverse KL alone');
  const logq = teacher.logprobs.subarray(teacher.offsets[row], teacher.offsets[row + 1]);
  if (logq.length === 0) return none;
  const kl = p.reduce((sum, each, i) => sum + each * (Math.log(each) - logq[i]), 0);
  return { divergence: kl, slopes: p.map((each, i) => teacher.weights[row] * each * (Math.log(each) - logq[i] - kl)) };
}

/** Longest turn, in tokens, that the tests request. */
const longestTurn = 16;

/** A stand-in policy with rounds of two tokens and the engine's page accounting. */
export class RoundPolicy extends FakePolicy {
  readonly cache = new CachePages(this.capacity);
  /** Number of times that a row had to wait for pages. */
  waits = 0;
  /** Places in the cache of the prompts in use, by group key. */
  private readonly places = new Map<number, number>();
  /** Slots of each round. */
  readonly roundsSeen: number[][] = [];
  private readonly open = new Map<number, { turn: GeneratedTurn; generated: number }>();
  readonly pages: PageBudget = {
    admits: (groups) => {
      const lengths = groups.map(({ key, prompt }) => (this.places.has(key) ? 0 : prompt.length));
      const count = this.cache.promptsThatFit(lengths);
      this.waits += groups.length - count;
      return count;
    },
    grow: (row) => {
      const { completionTokens } = this.capacity;
      const rows = completionTokens - this.room(row.slot) + row.append.length + longestTurn;
      const grown = this.cache.growSlot(row.slot, Math.min(completionTokens, rows));
      if (!grown) this.waits++;
      return grown;
    },
  };

  override async admit(groups: readonly AdmittedGroup[]): Promise<void> {
    for (const group of groups) this.placePrompt(group);
    await super.admit(groups);
  }

  override release(slots: readonly number[]): void {
    for (const slot of slots) {
      const key = this.held.get(slot)!;
      super.release([slot]);
      this.open.delete(slot);
      this.cache.releaseSlot(slot);
      if ([...this.held.values()].includes(key)) continue;
      this.cache.releasePrompt(this.places.get(key)!);
      this.places.delete(key);
    }
  }

  override async generate(
    rows: readonly GenerateRow[],
    sampling: Sampling,
    signal?: AbortSignal,
  ): Promise<(GeneratedTurn | null)[]> {
    signal?.throwIfAborted();
    if (rows.length > this.capacity.rows) throw new Error('more rows than planned');
    this.roundsSeen.push(rows.map(({ slot }) => slot));
    return rows.map((row) => this.twoTokens(row, sampling));
  }

  private placePrompt({ key, prompt }: { key: number; prompt: Int32Array }): void {
    if (this.places.has(key)) return;
    const used = new Set(this.places.values());
    let place = 0;
    while (used.has(place)) place++;
    this.cache.takePrompt(place, prompt.length);
    this.places.set(key, place);
  }

  private twoTokens(row: GenerateRow, sampling: Sampling): GeneratedTurn | null {
    const open = this.open.get(row.slot) ?? { turn: this.wholeTurn(row, sampling), generated: 0 };
    const used = this.capacity.completionTokens - this.room(row.slot);
    if (this.cache.pagesFrom(this.cache.slotBase(row.slot)).length * 16 < used) throw new Error('rows without pages');
    open.generated += 2;
    if (open.generated < open.turn.tokens.length) this.open.set(row.slot, open);
    else this.open.delete(row.slot);
    return this.open.has(row.slot) ? null : open.turn;
  }
}

const turn = (tokens: number[], logprobs: number[], leaf: number, ending: GeneratedTurn['ending']): GeneratedTurn => ({
  tokens: Int32Array.from(tokens),
  logprobs: Float32Array.from(logprobs),
  leaf,
  ending,
});

function choose(p: readonly number[], u: number): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) {
    sum += p[i];
    if (u < sum) return i;
  }
  return p.length - 1;
}

/** Size of a hidden state: eight numbers derived from the context, as input of a value head. */
const hiddenSize = 8;
const hiddenOf = (rows: readonly { bucket: number }[]): Float32Array =>
  Float32Array.from(
    { length: rows.length * hiddenSize },
    (_, i) => uniform(77, rows[Math.floor(i / hiddenSize)].bucket, i % hiddenSize) - 0.5,
  );

const scoresOf = (rows: readonly { logprob: number; entropy: number }[]): Scores => ({
  logprob: Float32Array.from(rows, (row) => row.logprob),
  entropy: Float32Array.from(rows, (row) => row.entropy),
});

const colours = ['red', 'blue', 'green', 'grey'];

interface DoorRoom {
  task: Task;
  hasKey: boolean;
  steps: number;
}

const holds = ({ id, options }: Task, option: 'fails' | 'absent' | 'silent') => {
  const value = options[option];
  return Array.isArray(value) ? value.includes(id) : value === true;
};

/**
 * Doors: get the key of the named colour, then open that door. Options:
 * `fails`: the world fails on its second action;
 * `absent`: it fails on reset;
 * `silent`: its oracle has no plan;
 * `only`: only one action is valid;
 * `trap`: `open the wrong door` ends the episode without a reward.
 * Each may list the ids of the tasks that it holds for.
 */
export class DoorWorld implements World {
  private readonly rooms = new Map<number, DoorRoom>();
  steps = 0;

  describe(): WorldDescription {
    return {
      name: 'doors',
      title: 'Doors',
      summary: 'Open the door of the right colour.',
      instruction: '',
      credit: '',
      hasOracle: true,
      hasValidActions: true,
      successReward: 1,
      freeRunning: false,
      replayable: true,
    };
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const ids = split === 'train' ? [0, 1, 2, 3, 4, 5] : [6, 7];
    return ids.map((id) => ({ world: 'doors', id, options, strata: { depth: 1 + (id % 2) } }));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    return slots.map((slot, i) => {
      this.rooms.set(slot, { task: tasks[i], hasKey: false, steps: 0 });
      if (holds(tasks[i], 'absent'))
        return { observation: '', reward: 0, done: false, valid: true, failure: 'no such room' };
      const observation = `Room ${tasks[i].id}. Goal: open the ${colour(tasks[i])} door.`;
      return { observation, reward: 0, done: false, valid: true, validActions: actionsOf(tasks[i]) };
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, i) => this.act(this.rooms.get(slot)!, actions[i]));
  }

  private act(room: DoorRoom, action: string): Feedback {
    this.steps += 1;
    room.steps += 1;
    const say = (observation: string, more: Partial<Feedback> = {}): Feedback => ({
      observation,
      reward: 0,
      done: false,
      valid: true,
      validActions: null,
      ...more,
    });
    if (holds(room.task, 'fails') && room.steps === 2) return say('', { failure: 'trap' });
    if (action === 'wait') return say('Time passes.');
    if (action === `get ${colour(room.task)} key`) {
      room.hasKey = true;
      return say('Got it.');
    }
    if (action === `open ${colour(room.task)} door` && room.hasKey) return say('Opened.', { reward: 1, done: true });
    if (action === 'open trap') return say('You fall.', { done: true });
    return say('No.', { valid: false });
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => {
      const { task, hasKey } = this.rooms.get(slot)!;
      if (holds(task, 'absent')) throw new Error('the oracle was called for a room that failed');
      if (holds(task, 'silent')) return null;
      const open = `open ${colour(task)} door`;
      return hasKey ? [open] : [`get ${colour(task)} key`, open];
    });
  }

  async view(): Promise<WorldView> {
    return { kind: 'text', text: 'doors' };
  }

  async close(): Promise<void> {}
}

export const colour = (task: Task): string => colours[task.id % colours.length];

function actionsOf(task: Task): string[] | undefined {
  if (task.options.free) return undefined;
  if (task.options.only) return ['wait'];
  const doors = colours.slice(0, 2 + (task.id % 3)).concat(colour(task));
  const list = [...new Set(doors)].flatMap((name) => [`get ${name} key`, `open ${name} door`]);
  return task.options.trap ? [...list, 'open trap'] : list;
}

/** Every text that the world may produce, for its tokenizer. */
export const doorTexts = [
  ...colours.map((name) => `get ${name} key open ${name} door`),
  'Room. Goal: open the door. Time passes. Got it. Opened. You fall. No. wait trap',
];

export const capacity = (change: Partial<Capacity> = {}): Capacity => ({
  rows: 16,
  groups: 8,
  promptTokens: 64,
  completionTokens: 128,
  batchTokens: 256,
  batchScored: 64,
  ...change,
});
