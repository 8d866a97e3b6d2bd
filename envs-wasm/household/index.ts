/**
 * The household: the functions that the host may call. One call carries a batch (shared/batch.ts); all text is UTF-8. A
 * task's input is a house as bytes (house.ts), followed by the text of the task. The numbers of a task: (0) bytes of the
 * house.
 */
import { batchCapacity, columns, endAnswer, ensureBatch, inputLengthOf, slotOf, taskNumber } from '../shared/batch';
import { blockClass, giveBlock, takeBlock } from '../shared/blocks';
import { Slots } from '../shared/slots';
import {
  clearOutput, inputBuffer, leadingSpace, outputLength, outputPointer, putByte, putInteger, withoutTrailingSpace,
} from '../shared/text';
import { apply, chooseNamed, EXAMINE_OBJECT, first, isApplicable, putCommands, second, verb } from './actions';
import { judge, putSubgoals, subgoals } from './goal';
import {
  agentPlace, blockBytesOf, held, isInside, isWon, mostReached, objects, open, prepare, receptacleIs, receptacles,
  OPENED, setSeen, isHere, stateOf, wasSeen,
} from './house';
import { putPlan } from './oracle';
import { putAnswer, putOpening, putRefusal } from './texts';

export { batchCapacity, columns, ensureBatch, inputBuffer, outputLength, outputPointer };

@unmanaged
class Episode {
  /** The house in play, or 0. */
  block: usize;
  blockClass: i32;
  bytes: i32;
}

const slots = new Slots(<i32>offsetof<Episode>());
/** A copy of a house, in which a plan is played. */
let copy: usize = 0;
let copyClass: i32 = -1;

function episodeAt(slot: i32): Episode { return changetype<Episode>(slots.at(slot)); }
export function ensureWorlds(count: i32): void { slots.ensure(count); }
export function hasWorld(slot: i32): bool { return slots.has(slot) && episodeAt(slot).block != 0; }

/** Flags of an answer: accepted, won, the list of actions follows; reached subgoals from bit 8, all from bit 16. */
const ACCEPTED: i32 = 1;
const WON: i32 = 2;
const LISTED: i32 = 4;

function flagsOf(more: i32): i32 {
  return more | (isWon() ? WON : 0) | (mostReached() << 8) | (subgoals() << 16);
}

function begin(episode: Episode, input: usize, length: i32): void {
  if (episode.block != 0) giveBlock(episode.block, episode.blockClass);
  episode.bytes = blockBytesOf(input, length);
  episode.blockClass = blockClass(episode.bytes);
  episode.block = takeBlock(episode.blockClass);
  memory.copy(episode.block, input, length);
  prepare(episode.block, length);
  for (let r = 0; r < receptacles; r++) if (isHere(r)) setSeen(r);
  judge();
}

/** Begins an episode in each of `count` slots; answers with its first observation, a zero byte and the commands. */
export function reset(count: i32): void {
  clearOutput();
  let input = inputBuffer(0);
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    const bytes = taskNumber(b, 0);
    begin(episodeAt(slotOf(b)), input, bytes);
    putOpening(input + bytes, inputLengthOf(b) - bytes);
    putByte(0);
    putCommands();
    endAnswer(b, before, flagsOf(ACCEPTED | LISTED));
    input += inputLengthOf(b);
  }
}

/** Performs a command in the open house. Returns the flags of the answer. */
function act(pointer: usize, length: i32): i32 {
  const space = leadingSpace(pointer, length);
  const size = withoutTrailingSpace(pointer + space, length - space);
  if (isWon() || !chooseNamed(pointer + space, size) || !isApplicable(verb, first, second)) {
    putRefusal();
    return 0;
  }
  const changed = apply();
  if (changed) judge();
  putAnswer();
  if (verb <= EXAMINE_OBJECT || !changed) return ACCEPTED;
  putByte(0);
  putCommands();
  return ACCEPTED | LISTED;
}

/** Performs one command in each of `count` slots. */
export function step(count: i32): void {
  clearOutput();
  let text = inputBuffer(0);
  for (let b = 0; b < count; b++) {
    const length = inputLengthOf(b);
    const before = outputLength();
    open(episodeAt(slotOf(b)).block);
    const flags = act(text, length);
    endAnswer(b, before, flagsOf(flags));
    text += length;
  }
}

/** Writes the oracle's remaining actions, one per line. Flag 0 if there is no plan. */
export function oracle(count: i32): void {
  clearOutput();
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    const episode = episodeAt(slotOf(b));
    if (copyClass < episode.blockClass) {
      if (copyClass >= 0) giveBlock(copy, copyClass);
      copyClass = episode.blockClass;
      copy = takeBlock(copyClass);
    }
    memory.copy(copy, episode.block, episode.bytes);
    open(copy);
    endAnswer(b, before, putPlan() ? 1 : 0);
  }
}

function putNumber(value: i32): void {
  putInteger(value);
  putByte(10);
}

/**
 * Writes location, held object, won, reached and all subgoals, one per line; then a line for each receptacle (opened,
 * seen, and the objects in it) and for each object (its state); then the subgoals.
 */
export function writeView(slot: i32): void {
  clearOutput();
  open(episodeAt(slot).block);
  putNumber(agentPlace());
  putNumber(held());
  putNumber(isWon() ? 1 : 0);
  putNumber(mostReached());
  putNumber(subgoals());
  for (let r = 0; r < receptacles; r++) {
    putByte(receptacleIs(r, OPENED) ? 49 : 48);
    putByte(wasSeen(r) ? 49 : 48);
    for (let o = 0; o < objects; o++)
      if (isInside(o, r)) { putByte(32); putInteger(o); }
    putByte(10);
  }
  for (let o = 0; o < objects; o++) putNumber(stateOf(o));
  putSubgoals();
}
