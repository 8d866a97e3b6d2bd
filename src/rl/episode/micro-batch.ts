/**
 * Packing of trajectories into micro-batches on one token axis, without padding. A group's shared prompt is stored
 * once, as the parent of its members. A micro-batch never exceeds the policy's plan. The order is the trajectories', so
 * the same trajectories always give the same batches.
 *
 * Only tokens that the policy chose among several are scored: a forced token has probability 1 under any weights and
 * therefore no gradient. Aggregation counts the same tokens, so a token-mean is a mean over choices.
 */
import type { AllowedTokens, Capacity, PackedBatch } from '../../policy/policy.ts';
import { TokenSource, type Trajectory } from './trajectory.ts';

export interface MicroBatch {
  batch: PackedBatch;
  /** (N) trajectory of each row, as an index into the packed list. */
  trajectory: Int32Array;
  /** (N) position in the trajectory's tokens. */
  position: Int32Array;
  /** (N) index among the trajectory's trained tokens. */
  choice: Int32Array;
}

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

interface Item {
  index: number;
  trajectory: Trajectory;
  positions: Int32Array;
  /** Tokens after the prompt, up to the last scored one. */
  length: number;
}

/**
 * Packs trajectories, which must be in order of their groups. Those without a choice have nothing to score and are left
 * out.
 */
export function pack(
  trajectories: readonly Trajectory[],
  capacity: Pick<Capacity, 'batchTokens' | 'batchScored'>,
): MicroBatch[] {
  const batches: MicroBatch[] = [];
  let open = new OpenBatch();
  trajectories.forEach((trajectory, index) => {
    const item = itemOf(trajectory, index);
    if (item.positions.length === 0) return;
    if (!open.fits(item, capacity)) {
      if (!open.isEmpty) batches.push(open.close());
      open = new OpenBatch();
      if (!open.fits(item, capacity)) throw tooLong(item, capacity);
    }
    open.add(item);
  });
  if (!open.isEmpty) batches.push(open.close());
  return batches;
}

function itemOf(trajectory: Trajectory, index: number): Item {
  const positions = chosenPositions(trajectory);
  const last = positions.length ? positions[positions.length - 1] : trajectory.promptLength - 1;
  return { index, trajectory, positions, length: last + 1 - trajectory.promptLength };
}

function tooLong({ trajectory, positions, length }: Item, capacity: Pick<Capacity, 'batchTokens' | 'batchScored'>) {
  return new PackingError(
    `A trajectory of ${trajectory.promptLength} + ${length} tokens, ${positions.length} of them scored, does not fit in a ` +
      `batch of ${capacity.batchTokens} tokens and ${capacity.batchScored} scored: plan larger batches or shorter episodes.`,
  );
}

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

  fits({ trajectory, positions, length }: Item, capacity: Pick<Capacity, 'batchTokens' | 'batchScored'>): boolean {
    const prompt = this.holdsPromptOf(trajectory) ? 0 : trajectory.promptLength;
    return (
      this.tokens.length + prompt + length <= capacity.batchTokens &&
      this.scored.length + positions.length <= capacity.batchScored
    );
  }

  private holdsPromptOf(trajectory: Trajectory): boolean {
    if (this.parent < 0 || this.group !== trajectory.group) return false;
    // A world that is not replayable may begin the same task with another text.
    const { start, end } = this.segments[this.parent];
    const { tokens, promptLength } = trajectory;
    return (
      end - start === promptLength && tokens.subarray(0, promptLength).every((id, i) => id === this.tokens[start + i])
    );
  }

  add({ index, trajectory, positions, length }: Item): void {
    const { promptLength } = trajectory;
    if (!this.holdsPromptOf(trajectory)) {
      this.parent = this.segment(trajectory.tokens.subarray(0, promptLength), -1);
      this.group = trajectory.group;
    }
    const start = this.tokens.length;
    this.segment(trajectory.tokens.subarray(promptLength, promptLength + length), this.parent);
    positions.forEach((position, row) => {
      this.scored.push(start + position - promptLength);
      this.trajectory.push(index);
      this.position.push(position);
      this.choice.push(row);
      this.allow(trajectory.choices, row);
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
