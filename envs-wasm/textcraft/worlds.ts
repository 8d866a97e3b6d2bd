/**
 * The worlds: their goals and inventories, the rules of a step, and its answers.
 *
 * Memory: the module uses AssemblyScript's bump allocator and frees nothing, but its growth is bounded: the table of
 * worlds doubles, and inventories are in blocks that are recycled through free lists (shared/blocks.ts), so a million
 * episodes need no more than the peak. A step allocates nothing. There is no garbage collector that could pause a
 * batch.
 */
import {
  findName, inputCount, inputIsTag, inputName, inputStart, isItem, isTag, itemRecipes, nameLength, namePointer,
  recipeOutput, recipeYield, recipesOf, tagOf, wordsPointer,
} from './recipebook';
import { blockBytes, giveBlock, takeBlock } from '../shared/blocks';
import {
  addDigits, addPlain, clearDecimal, Decimal, isAtLeast, LARGE, MOST_DIGITS, plainValue, putDecimal, putDigits,
  subtractPlain,
} from '../shared/decimal';
import {
  digitsAt, indexOfByte, leadingSpace, putByte, putBytes, putInteger, putRepr, putText, putUnderscored, startsWith,
  withoutTrailingSpace,
} from '../shared/text';

const NONE: i32 = -1;

// --- the table of worlds ---------------------------------------------------------------------------------------------

@unmanaged
class WorldState {
  goal: i32;
  distractors: i32;
  seed: u32;
  /** Number of stacks in the inventory; stacks are in the order in which they were added. */
  size: i32;
  /** Size class of the block, or -1 if there is none yet. */
  block: i32;
  items: usize;
}

/** A number of one item: the fields of Decimal, then the item. */
@unmanaged
class Stack extends Decimal {
  name: i32;
}

let table: usize = 0;
let tableSize: i32 = 0;

export function worldAt(slot: i32): WorldState {
  return changetype<WorldState>(table + <usize>slot * offsetof<WorldState>());
}

/** Makes room for worlds 0..count-1. Existing worlds keep their state. */
export function ensureWorlds(count: i32): void {
  if (count <= tableSize) return;
  let size = max(tableSize, 64);
  while (size < count) size *= 2;
  const bytes = <usize>size * offsetof<WorldState>();
  const bigger = heap.alloc(bytes);
  memory.copy(bigger, table, <usize>tableSize * offsetof<WorldState>());
  table = bigger;
  for (let slot = tableSize; slot < size; slot++) clearWorld(worldAt(slot));
  tableSize = size;
}

function clearWorld(world: WorldState): void {
  world.goal = NONE;
  world.size = 0;
  world.block = NONE;
  world.items = 0;
}

export function hasWorld(slot: i32): bool {
  return slot >= 0 && slot < tableSize && worldAt(slot).goal != NONE;
}

// --- inventories -----------------------------------------------------------------------------------------------------

function capacityOf(world: WorldState): i32 {
  return world.block == NONE ? 0 : blockBytes(world.block) / <i32>offsetof<Stack>();
}

export function stackAt(world: WorldState, index: i32): Stack {
  return changetype<Stack>(world.items + <usize>index * offsetof<Stack>());
}

function findStack(world: WorldState, name: i32): i32 {
  for (let i = 0; i < world.size; i++) if (stackAt(world, i).name == name) return i;
  return NONE;
}

/** Number of an item that a world carries; LARGE if it does not fit an i64. */
export function carried(world: WorldState, name: i32): i64 {
  const at = findStack(world, name);
  if (at == NONE) return 0;
  return stackAt(world, at).digits == 0 ? stackAt(world, at).value : LARGE;
}

function growInventory(world: WorldState): void {
  const sizeClass = world.block == NONE ? 2 : world.block + 1;
  const block = takeBlock(sizeClass);
  if (world.block != NONE) {
    memory.copy(block, world.items, <usize>world.size * offsetof<Stack>());
    giveBlock(world.items, world.block);
  }
  world.items = block;
  world.block = sizeClass;
}

/** The stack of an item. A new stack is empty and comes last. */
function stackOf(world: WorldState, name: i32): Stack {
  const at = findStack(world, name);
  if (at != NONE) return stackAt(world, at);
  if (world.size == capacityOf(world)) growInventory(world);
  const stack = stackAt(world, world.size++);
  stack.name = name;
  stack.digits = 0;
  stack.value = 0;
  return stack;
}

/** Removes carried items. An empty stack is removed as well. */
function removeItem(world: WorldState, name: i32, count: i64): void {
  const at = findStack(world, name);
  const stack = stackAt(world, at);
  subtractPlain(stack, count);
  if (stack.digits != 0 || stack.value != 0) return;
  const behind = <usize>(world.size - at - 1) * offsetof<Stack>();
  memory.copy(changetype<usize>(stack), changetype<usize>(stack) + offsetof<Stack>(), behind);
  world.size--;
}

export function resetWorld(world: WorldState, goal: i32, distractors: i32, seed: u32): void {
  for (let i = 0; i < world.size; i++) clearDecimal(stackAt(world, i));
  if (world.block != NONE) giveBlock(world.items, world.block);
  world.block = NONE;
  world.goal = goal;
  world.distractors = distractors;
  world.seed = seed;
  world.size = 0;
}

// --- the rules -------------------------------------------------------------------------------------------------------

/** Flags of a step's answer. */
export const REFUSED: i32 = 0;
export const ACCEPTED: i32 = 1;
export const WON: i32 = 3;

// A number and the text after it, as the pattern `([0-9]+) (.*)` matches them.
let readCount: i64 = 0;
let readDigits: usize = 0;
let readDigitsLength: i32 = 0;
let readRest: usize = 0;
let readRestLength: i32 = 0;

function readCounted(pointer: usize, length: i32): bool {
  const digits = digitsAt(pointer, length);
  if (digits == 0 || digits == length || load<u8>(pointer + digits) != 32) return false;
  readDigits = pointer;
  readDigitsLength = digits;
  readRest = pointer + digits + 1;
  readRestLength = length - digits - 1;
  readCount = plainValue(pointer, digits);
  return true;
}

/** Python refuses to convert so many digits to an int, and the original's server answers with Python's message. */
function refuseDigits(): i32 {
  putText('Exceeds the limit (4300 digits) for integer string conversion: value has ');
  putInteger(readDigitsLength);
  putText(' digits; use sys.set_int_max_str_digits() to increase the limit');
  return REFUSED;
}

function refuseGet(pointer: usize, length: i32): i32 {
  putText('Could not find ');
  putBytes(pointer, length);
  return REFUSED;
}

function get(world: WorldState): i32 {
  if (readDigitsLength > MOST_DIGITS) return refuseDigits();
  const name = findName(readRest, readRestLength);
  if (name == NONE || recipesOf(name) !== null || isTag[name] || !isItem[name]) return refuseGet(readRest, readRestLength);
  addDigits(stackOf(world, name), readDigits, readDigitsLength);
  putText('Got ');
  putDigits(readDigits, readDigitsLength);
  putByte(32);
  putBytes(readRest, readRestLength);
  return name == world.goal ? WON : ACCEPTED;
}

function showInventory(world: WorldState): i32 {
  putText('Inventory: ');
  if (world.size == 0) putText('You are not carrying anything.');
  for (let i = 0; i < world.size; i++) {
    const stack = stackAt(world, i);
    putByte(91);
    putBytes(wordsPointer[stack.name], nameLength[stack.name]);
    putText('] (');
    putDecimal(stack);
    putText(') ');
  }
  return ACCEPTED;
}

// Ingredients of the current craft. No recipe has more than GIVEN_KEPT, so only that many are kept and the rest are
// counted.
const GIVEN_KEPT: i32 = 16;
const givenName = new StaticArray<i32>(GIVEN_KEPT);
const givenCount = new StaticArray<i64>(GIVEN_KEPT);
const givenUsed = new StaticArray<bool>(GIVEN_KEPT);
let given: i32 = 0;
let givenAllCarried: bool = false;

/** Reads one ingredient. If its form is wrong, writes the refusal and returns false. */
function readIngredient(world: WorldState, pointer: usize, length: i32): bool {
  const skipped = leadingSpace(pointer, length);
  const start = pointer + skipped;
  const size = withoutTrailingSpace(start, length - skipped);
  if (!readCounted(start, size)) {
    putText('Wrong item format: ');
    putBytes(start, size);
    return false;
  }
  if (readDigitsLength > MOST_DIGITS) { refuseDigits(); return false; }
  const name = findName(readRest, readRestLength);
  const at = name == NONE || isTag[name] ? NONE : findStack(world, name);
  if (at == NONE || !isAtLeast(stackAt(world, at), readDigits, readDigitsLength)) givenAllCarried = false;
  if (given < GIVEN_KEPT) {
    givenName[given] = name;
    givenCount[given] = readCount;
  }
  given++;
  return true;
}

function readIngredients(world: WorldState, pointer: usize, length: i32): bool {
  given = 0;
  givenAllCarried = true;
  for (let start = 0; start <= length; ) {
    const size = indexOfByte(pointer + start, length - start, 44);
    if (!readIngredient(world, pointer + start, size)) return false;
    start += size + 1;
  }
  return true;
}

/** First unused ingredient that fits input i of a recipe, or -1. */
function findGiven(i: i32): i32 {
  for (let g = 0; g < given; g++) {
    if (givenUsed[g]) continue;
    if (inputIsTag[i] ? tagOf[givenName[g]] == inputName[i] : givenName[g] == inputName[i]) return g;
  }
  return NONE;
}

function recipeFits(recipe: i32): bool {
  if (given != inputStart[recipe + 1] - inputStart[recipe]) return false;
  for (let g = 0; g < given; g++) givenUsed[g] = false;
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) {
    const g = findGiven(i);
    if (g == NONE || givenCount[g] != inputCount[i]) return false;
    givenUsed[g] = true;
  }
  return true;
}

function findRecipe(output: i32): i32 {
  if (output == NONE || isTag[output] || given > GIVEN_KEPT) return NONE;
  const recipes = itemRecipes[output];
  if (recipes === null) return NONE;
  for (let r = 0; r < recipes.length; r++) if (recipeFits(recipes[r])) return recipes[r];
  return NONE;
}

// The requested output.
let wantedText: usize = 0;
let wantedLength: i32 = 0;
let wantedName: i32 = NONE;
// Digits of the requested amount; if there are none, the amount is one.
let wantedDigits: usize = 0;
let wantedDigitsLength: i32 = 0;

function readOutput(pointer: usize, length: i32): void {
  wantedText = pointer;
  wantedLength = length;
  wantedDigitsLength = 0;
  if (readCounted(pointer, length)) {
    wantedText = readRest;
    wantedLength = readRestLength;
    wantedDigits = readDigits;
    wantedDigitsLength = readDigitsLength;
  }
  wantedName = findName(wantedText, wantedLength);
}

function refuseNotEnough(): i32 {
  putText('Could not find enough items to craft ');
  if (wantedName != NONE && isTag[wantedName]) { putText('None'); return REFUSED; }
  putText('minecraft:');
  putUnderscored(wantedText, wantedLength);
  return REFUSED;
}

/** The refusal contains Python's repr of the original's record of the requested item. */
function refuseNoRecipe(): i32 {
  const tag = wantedName != NONE && isTag[wantedName];
  putText('Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag=');
  if (tag) putRepr('minecraft:', wantedText, wantedLength);
  else putText('None');
  putText(', item_id=');
  if (tag) putText('None');
  else putRepr('minecraft:', wantedText, wantedLength);
  putText('), count=');
  if (wantedDigitsLength == 0) putText('1');
  else putDigits(wantedDigits, wantedDigitsLength);
  putText(')');
  return REFUSED;
}

function craft(world: WorldState, output: usize, outputSize: i32, inputs: usize, inputsSize: i32): i32 {
  readOutput(output, outputSize);
  if (wantedDigitsLength > MOST_DIGITS) return refuseDigits();
  if (!readIngredients(world, inputs, inputsSize)) return REFUSED;
  if (!givenAllCarried) return refuseNotEnough();
  const recipe = findRecipe(wantedName);
  if (recipe == NONE) return refuseNoRecipe();
  for (let g = 0; g < given; g++) removeItem(world, givenName[g], givenCount[g]);
  addPlain(stackOf(world, recipeOutput[recipe]), recipeYield[recipe]);
  putText('Crafted ');
  putInteger(recipeYield[recipe]);
  putText(' minecraft:');
  putBytes(namePointer[recipeOutput[recipe]], nameLength[recipeOutput[recipe]]);
  return recipeOutput[recipe] == world.goal ? WON : ACCEPTED;
}

/** Start of the last ` using ` at or after `from`, or -1, like a greedy `(.*) using `. */
function lastUsing(pointer: usize, length: i32, from: i32): i32 {
  for (let i = length - 7; i >= from; i--)
    if (load<u8>(pointer + i) == 32 && startsWith(pointer + i, length - i, ' using ')) return i;
  return NONE;
}

/** Performs one action and writes the answer. Patterns match only up to the first newline, as `.` does. */
export function stepWorld(world: WorldState, pointer: usize, length: i32): i32 {
  const line = indexOfByte(pointer, length, 10);
  if (startsWith(pointer, line, 'craft ')) {
    const using = lastUsing(pointer, line, 6);
    if (using != NONE) return craft(world, pointer + 6, using - 6, pointer + using + 7, line - using - 7);
  } else if (startsWith(pointer, line, 'get ')) {
    if (readCounted(pointer + 4, line - 4)) return get(world);
  } else if (startsWith(pointer, line, 'inventory')) return showInventory(world);
  putText('Could not execute ');
  putBytes(pointer, length);
  return REFUSED;
}
