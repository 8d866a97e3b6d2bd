/**
 * TextCraft: the functions that the host may call. One call carries a batch.
 *
 * The host writes slots and lengths to the columns below, and the texts, one after the other, to the input buffer;
 * answers come back the same way. All text is UTF-8. Addresses may change when a buffer grows: read them again after
 * each call.
 */
import { commands, goalOf, makeCommands, putStart, putValidActions } from './commands';
import {
  depth, goals, inputCount, inputName, inputStart, linePointer, lineLength, nameLength, recipeOutput, recipeYield,
  wordsPointer,
} from './recipebook';
import { ensureWorlds, hasWorld, resetWorld, stackAt, stepWorld, worldAt } from './worlds';
import { putPlan, putTree } from './oracle';
import { putDecimal } from '../shared/decimal';
import {
  clearOutput, inputBuffer, outputLength, outputPointer, putByte, putBytes, putInteger, putText,
} from '../shared/text';

export { ensureWorlds, hasWorld, inputBuffer, outputPointer, outputLength };

let capacity: i32 = 0;
let slotColumn: usize = 0;
let idColumn: usize = 0;
let distractorColumn: usize = 0;
let seedColumn: usize = 0;
let inputLengths: usize = 0;
let outputLengths: usize = 0;
let flagColumn: usize = 0;

/** Makes room for `count` rows in the columns (four bytes per row and column). */
export function ensureBatch(count: i32): void {
  if (count <= capacity) return;
  capacity = max(capacity, 64);
  while (capacity < count) capacity *= 2;
  const bytes = <usize>capacity * 4;
  const block = heap.alloc(bytes * 7);
  slotColumn = block;
  idColumn = block + bytes;
  distractorColumn = block + 2 * bytes;
  seedColumn = block + 3 * bytes;
  inputLengths = block + 4 * bytes;
  outputLengths = block + 5 * bytes;
  flagColumn = block + 6 * bytes;
}

/** Address of the columns, in the order above. Each begins `capacity` * 4 bytes after the previous one. */
export function columns(): usize { return slotColumn; }
export function batchCapacity(): i32 { return capacity; }

function row(column: usize, index: i32): usize { return column + (<usize>index << 2); }

export function goalCount(): i32 { return goals.length; }
export function goalDepth(id: i32): i32 { return depth[goalOf(id)]; }

/** Starts an episode in each of `count` slots, which must exist (`ensureWorlds`). Writes no text. */
export function reset(count: i32): void {
  for (let b = 0; b < count; b++)
    resetWorld(worldAt(load<i32>(row(slotColumn, b))), goalOf(load<i32>(row(idColumn, b))), load<i32>(row(distractorColumn, b)), load<u32>(row(seedColumn, b)));
}

/** Writes the first observation of a task, a zero byte, and the valid actions, one per line. */
export function writeTask(id: i32, distractors: i32, seed: u32): void {
  clearOutput();
  makeCommands(goalOf(id), distractors, seed);
  putStart(goalOf(id));
  putByte(0);
  putValidActions();
}

/**
 * Performs one action in each of `count` slots. Answers are in the output buffer, their lengths and flags in the
 * columns.
 */
export function step(count: i32): void {
  clearOutput();
  let text = inputBuffer(0);
  for (let b = 0; b < count; b++) {
    const length = load<i32>(row(inputLengths, b));
    const before = outputLength();
    store<i32>(row(flagColumn, b), stepWorld(worldAt(load<i32>(row(slotColumn, b))), text, length));
    store<i32>(row(outputLengths, b), outputLength() - before);
    text += length;
  }
}

/**
 * Writes the oracle's remaining actions for `count` slots, one per line. Flags: 0 no plan, 1 all are valid actions of
 * the text, 2 not all.
 */
export function oracle(count: i32): void {
  clearOutput();
  for (let b = 0; b < count; b++) {
    const before = outputLength();
    store<i32>(row(flagColumn, b), putPlan(load<i32>(row(slotColumn, b))));
    store<i32>(row(outputLengths, b), outputLength() - before);
  }
}

function putNamed(count: i64, name: i32): void {
  putText('\t');
  putInteger(count);
  putText('\t');
  putBytes(wordsPointer[name], nameLength[name]);
}

/**
 * Writes the contents of a view as tab-separated lines: `goal`, the `item`s carried, the `command`s, then the nodes of
 * the tree after `tree`.
 */
export function writeView(slot: i32): void {
  clearOutput();
  const world = worldAt(slot);
  putText('goal\t');
  putBytes(wordsPointer[world.goal], nameLength[world.goal]);
  for (let i = 0; i < world.size; i++) {
    const stack = stackAt(world, i);
    putText('\nitem\t');
    putDecimal(stack);
    putText('\t');
    putBytes(wordsPointer[stack.name], nameLength[stack.name]);
  }
  makeCommands(world.goal, world.distractors, world.seed);
  for (let c = 0; c < commands.length; c++) {
    putText('\ncommand\t');
    putBytes(linePointer[commands[c]], lineLength[commands[c]]);
    putNamed(recipeYield[commands[c]], recipeOutput[commands[c]]);
    for (let i = inputStart[commands[c]]; i < inputStart[commands[c] + 1]; i++) putNamed(inputCount[i], inputName[i]);
  }
  putText('\ntree\n');
  putTree(slot);
}
