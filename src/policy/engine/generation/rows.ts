/** Rows of one round: starting, continuing and finishing a turn. Runs on the CPU only. */
import type { GeneratedTurn, GenerateRow, Sampling, TokenTrie } from '../../policy.ts';
import type { Slot, Slots } from './slots.ts';

/** Row that takes part in a round. */
export interface ActiveRow {
  index: number;
  slot: Slot;
  slotIndex: number;
  append: number[];
  constraint: TokenTrie | null;
  /** Current node of the trie. */
  node: number;
  tokens: number[];
  logprobs: number[];
  leaf: number;
  ending: GeneratedTurn['ending'];
  done: boolean;
}

/** Row of this round, which continues its open turn or starts a new one. */
export const rowOf = (row: GenerateRow, index: number, slots: Slots): ActiveRow =>
  resume(row, index, slots.get(row.slot)) ?? activate(row, index, slots);

function resume({ slot: slotIndex }: GenerateRow, index: number, slot: Slot): ActiveRow | null {
  if (!slot.turn) return null;
  const { constraint, node } = slot.turn;
  const nothing = { tokens: [], logprobs: [], leaf: -1, ending: 'length' as const, done: false };
  return { index, slot, slotIndex, append: slot.pending, constraint, node, ...nothing };
}

/** Starts a turn. A row without room, or with only one allowed sequence, is done immediately. */
function activate(row: GenerateRow, index: number, slots: Slots): ActiveRow {
  const slot = slots.get(row.slot);
  const append = [...slot.pending, ...row.append];
  const state: ActiveRow = {
    index,
    slot,
    slotIndex: row.slot,
    append,
    constraint: row.constraint,
    node: 0,
    tokens: [],
    logprobs: [],
    leaf: -1,
    ending: 'length',
    done: false,
  };
  if (slots.isFull(slot, append.length)) {
    state.ending = 'context';
    state.done = true;
  } else if (row.constraint && row.constraint.leaf[0] >= 0) {
    // Nothing to choose: the appended tokens wait, with the forced action, for the next turn.
    slot.pending = append;
    state.leaf = row.constraint.leaf[0];
    state.ending = 'leaf';
    state.done = true;
  }
  return state;
}

/** Returns the whole turn if it has ended. Otherwise keeps it for the next round and returns null. */
export function closeRound(row: ActiveRow): GeneratedTurn | null {
  const { slot, constraint, node } = row;
  const turn = slot.turn ?? { constraint, node, tokens: [], logprobs: [] };
  turn.tokens.push(...row.tokens);
  turn.logprobs.push(...row.logprobs);
  turn.node = node;
  slot.turn = row.done ? null : turn;
  return row.done ? turnOf(row, turn) : null;
}

/** Updates the cached length. The cache holds all sampled tokens except the last, which runs with the next turn. */
export function keepPending(row: ActiveRow): void {
  const count = row.tokens.length;
  if (count === 0) return;
  row.slot.length += count - 1;
  row.slot.pending = [row.tokens[count - 1]];
}

/** Number of tokens that a row may still sample in its turn. */
export function roomOf({ constraint, slot, tokens }: ActiveRow, { maxTokens }: Sampling): number {
  return (constraint?.depth ?? maxTokens) - (slot.turn?.tokens.length ?? 0) - tokens.length;
}

const turnOf = ({ leaf, ending }: ActiveRow, sampled: { tokens: number[]; logprobs: number[] }): GeneratedTurn => ({
  tokens: Int32Array.from(sampled.tokens),
  logprobs: Float32Array.from(sampled.logprobs),
  leaf,
  ending,
});
