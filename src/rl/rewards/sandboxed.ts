/** Parts that run in the sandbox: the episodes go in as JSON in bounded pieces, one number an episode comes back. */
import { NoSandboxError } from '../common/code-runner.ts';
import type { PartServices } from './part.ts';

/** The code returned a value that is not a reward. */
export class RewardValueError extends Error {
  override name = 'RewardValueError';
}

/** Largest absolute value: the engine continues in single precision, where sums of larger values lose the small ones. */
const largestReward = 1e6;

/** Characters of a call: its JSON stays far below the sandbox's memory. */
const charactersPerCall = 2_000_000;

interface PieceCall {
  prelude: string;
  code: string;
  /** Name of the code in messages. */
  file: string;
  values?: { [name: string]: unknown };
}

/** Items in pieces of a bounded length; an item of its own may be longer. */
function inPieces(items: readonly string[]): string[][] {
  const pieces: string[][] = [];
  let room = 0;
  for (const item of items) {
    if (room < item.length) {
      pieces.push([]);
      room = charactersPerCall;
    }
    pieces.at(-1)!.push(item);
    room -= item.length;
  }
  return pieces;
}

/** One number per item. Rejects with a SandboxError, a RewardValueError or a NoSandboxError. */
export async function inSandbox(
  items: readonly unknown[],
  { prelude, code, file, values }: PieceCall,
  { runner, signal }: PartServices,
): Promise<number[]> {
  if (!runner) throw new NoSandboxError('a reward that runs in the sandbox');
  const out: number[] = [];
  for (const piece of inPieces(items.map((item) => JSON.stringify(item)))) {
    signal?.throwIfAborted();
    const call = { prelude, code, file, arrays: {}, values: { ...values, items: piece } };
    const { arrays, values: returned } = await runner.call(call);
    const { problem, at = 0 } = Object(returned) as { problem?: string; at?: number };
    if (problem) throw new RewardValueError(`${file}: ${at < 0 ? '' : `episode ${out.length + at + 1}: `}${problem}.`);
    out.push(...checked(arrays.value, piece.length, out.length, file));
  }
  return out;
}

function checked(value: Float64Array | undefined, count: number, before: number, file: string): Float64Array {
  if (value?.length !== count)
    throw new RewardValueError(`${file}: it returned ${value?.length ?? 0} values for ${count} episodes.`);
  const wrong = value.findIndex((each) => !(Math.abs(each) <= largestReward));
  if (wrong >= 0)
    throw new RewardValueError(
      `${file}: episode ${before + wrong + 1}: the reward is ${value[wrong]}, and its bounds are -${largestReward} and ${largestReward}.`,
    );
  return value;
}
