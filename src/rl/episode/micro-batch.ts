/**
 * Packing of trajectories into micro-batches on one token axis, without padding. A group's shared prompt is stored
 * once, as the parent of its members; so is an equal head of several windows (window.ts). A micro-batch never exceeds the policy's plan. The order is the trajectories', so
 * the same trajectories always give the same batches.
 *
 * Only tokens that the policy chose among several are scored: a forced token has probability 1 under any weights and
 * therefore no gradient. Aggregation counts the same tokens, so a token-mean is a mean over choices.
 */
import { type AllowedTokens, allowedPerScored, type Capacity, type PackedBatch } from '../../policy/policy.ts';
import { TokenSource, type Trajectory } from './trajectory.ts';
import { type Sample, samplesOf } from './window.ts';

export interface MicroBatch {
  batch: PackedBatch;
  /** (N) trajectory of each row, as an index into the packed list. */
  trajectory: Int32Array;
  /** (N) position in the trajectory's tokens. */
  position: Int32Array;
  /** (N) index among the trajectory's trained tokens. */
  choice: Int32Array;
}

/** Bounds of a micro-batch. */
type Bounds = Pick<Capacity, 'batchTokens' | 'batchScored' | 'freeTokens'>;

class PackingError extends Error {
  override name = 'PackingError';
}

/** Positions of the trained tokens: those chosen among several, or every policy token if decoding was free. */
export function chosenPositions(trajectory: Trajectory): Int32Array {
  if (trajectory.choices) return trajectory.choices.position;
  const positions: number[] = [];
  trajectory.source.forEach((source, i) => {
    if (source === TokenSource.policy) positions.push(i);
  });
  return Int32Array.from(positions);
}

/** A window of a trajectory, with its scored tokens. */
interface Item {
  index: number;
  trajectory: Trajectory;
  head: Int32Array;
  /** Position of the first token after the head. */
  from: number;
  positions: Int32Array;
  /** Index of the first of these among the trajectory's trained tokens. */
  firstChoice: number;
  /** Tokens after the head, up to the last scored one. */
  length: number;
}

/**
 * Packs trajectories, which must be in order of their groups. Those without a choice have nothing to score and are left
 * out.
 */
export function pack(trajectories: readonly Trajectory[], capacity: Bounds): MicroBatch[] {
  const batches: MicroBatch[] = [];
  let open = new OpenBatch();
  for (const item of contextsOf(trajectories)) {
    if (!open.fits(item, capacity)) {
      if (!open.isEmpty) batches.push(open.close());
      open = new OpenBatch();
      if (!open.fits(item, capacity)) throw tooLong(item, capacity);
    }
    open.add(item);
  }
  if (!open.isEmpty) batches.push(open.close());
  return batches;
}

/** Contexts in which the policy chose tokens, in order: the windows of each trajectory. */
export const contextsOf = (trajectories: readonly Trajectory[]): Item[] => trajectories.flatMap(itemsOf);

/** Windows of a trajectory that have a scored token. */
function itemsOf(trajectory: Trajectory, index: number): Item[] {
  const all = chosenPositions(trajectory);
  let firstChoice = 0;
  return samplesOf(trajectory).flatMap((sample) => {
    const end = endOfChoices(trajectory, all, firstChoice, sample);
    const positions = all.subarray(firstChoice, end);
    const { head, from } = sample;
    const item = { index, trajectory, head, from, positions, firstChoice, length: (positions.at(-1) ?? 0) + 1 - from };
    firstChoice = end;
    return positions.length > 0 ? [item] : [];
  });
}

/** End of a window's range among the trained positions. */
function endOfChoices({ turnOf }: Trajectory, positions: Int32Array, first: number, { until }: Sample): number {
  if (until === Number.POSITIVE_INFINITY) return positions.length;
  let end = first;
  while (end < positions.length && turnOf[positions[end]] < until) end++;
  return end;
}

function tooLong(item: Item, capacity: Bounds) {
  const { head, positions, length } = item;
  const [allowed, most] = [allowedIn(item), mostAllowed(capacity)];
  const lists = (tokens: number) => (allowed > most ? ` with ${tokens} allowed tokens` : '');
  return new PackingError(
    `A trajectory of ${head.length} + ${length} tokens, ${positions.length} of them scored${lists(allowed)}, does not fit in a ` +
      `batch of ${capacity.batchTokens} tokens and ${capacity.batchScored} scored${lists(most)}: plan larger batches or shorter episodes.`,
  );
}

/** Allowed tokens of an item's rows. A row without a list has none: it allows the whole vocabulary. */
function allowedIn({ trajectory: { choices }, positions, firstChoice }: Item): number {
  return choices ? choices.offsets[firstChoice + positions.length] - choices.offsets[firstChoice] : 0;
}

/** Number of allowed tokens that a batch has room for. With free tokens each row has room for the whole vocabulary. */
const mostAllowed = ({ batchScored, freeTokens }: Bounds): number =>
  freeTokens ? Number.POSITIVE_INFINITY : batchScored * allowedPerScored;

/** Spreading a list into `push` takes several times as long. */
function addAll(list: number[], more: Int32Array): void {
  for (let i = 0; i < more.length; i++) list.push(more[i]);
}

class OpenBatch {
  private readonly tokens: number[] = [];
  private readonly segments: PackedBatch['segments'] = [];
  private readonly scored: number[] = [];
  private readonly offsets = [0];
  private readonly allowed: number[] = [];
  private readonly trajectory: number[] = [];
  private readonly position: number[] = [];
  private readonly choice: number[] = [];
  private constrained = false;
  private group = -1;
  private parent = -1;

  get isEmpty(): boolean {
    return this.segments.length === 0;
  }

  fits(item: Item, capacity: Bounds): boolean {
    const { head, positions, length } = item;
    return (
      this.tokens.length + (this.holdsHeadOf(item) ? 0 : head.length) + length <= capacity.batchTokens &&
      this.scored.length + positions.length <= capacity.batchScored &&
      this.allowed.length + allowedIn(item) <= mostAllowed(capacity)
    );
  }

  private holdsHeadOf({ trajectory, head }: Item): boolean {
    if (this.parent < 0 || this.group !== trajectory.group) return false;
    // A world that is not replayable may begin the same task with another text.
    const { start, end } = this.segments[this.parent];
    return end - start === head.length && head.every((id, i) => id === this.tokens[start + i]);
  }

  add(item: Item): void {
    const { index, trajectory, head, from, positions, firstChoice, length } = item;
    if (!this.holdsHeadOf(item)) {
      this.parent = this.segment(head, -1);
      this.group = trajectory.group;
    }
    const start = this.tokens.length;
    this.segment(trajectory.tokens.subarray(from, from + length), this.parent);
    positions.forEach((position, row) => {
      this.scored.push(start + position - from);
      this.trajectory.push(index);
      this.position.push(position);
      this.choice.push(firstChoice + row);
      this.allow(trajectory.choices, firstChoice + row);
    });
  }

  private segment(tokens: Int32Array, parent: number): number {
    const start = this.tokens.length;
    addAll(this.tokens, tokens);
    return this.segments.push({ start, end: this.tokens.length, parent }) - 1;
  }

  /** An empty row means the whole vocabulary. */
  private allow(choices: Trajectory['choices'], row: number): void {
    if (choices) {
      const [first, end] = [choices.offsets[row], choices.offsets[row + 1]];
      this.constrained ||= end > first;
      addAll(this.allowed, choices.tokens.subarray(first, end));
    }
    this.offsets.push(this.allowed.length);
  }

  close(): MicroBatch {
    const allowed: AllowedTokens | null = this.constrained
      ? { offsets: Int32Array.from(this.offsets), tokens: Int32Array.from(this.allowed) }
      : null;
    return {
      batch: {
        tokens: Int32Array.from(this.tokens),
        segments: this.segments,
        scored: Int32Array.from(this.scored),
        allowed,
      },
      trajectory: Int32Array.from(this.trajectory),
      position: Int32Array.from(this.position),
      choice: Int32Array.from(this.choice),
    };
  }
}
