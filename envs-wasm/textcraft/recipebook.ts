/**
 * The recipe book: the original's loader, applied to the raw table in its order (with cycle removal and clean-up), and
 * everything derived from it: depths, the list of goals, the recipes that use a name, and each recipe as the line that
 * an agent reads.
 *
 * Names are numbers here; items and tags share one numbering, as they share strings in the original. Independent of
 * tasks, episodes and inventories. Everything is computed once, when the module starts, and never changes.
 */
import { nameBytes, rawNames, rawRecipes, recipeTable } from './recipes';
import { clearOutput, outputLength, outputPointer, putBytes, putInteger, putText } from '../shared/text';

const NONE: i32 = -1;
const NO_GROUP: i32 = 0xffff;
const IS_TAG: i32 = 0x8000;

export const nameCount: i32 = rawNames;

// Names as text: with underscores (as in ids) and with spaces (as shown).
export const namePointer = new StaticArray<usize>(nameCount);
export const nameLength = new StaticArray<i32>(nameCount);
export const wordsPointer = new StaticArray<usize>(nameCount);

// The loaded recipes. Inputs of recipe r: [inputStart[r], inputStart[r + 1]).
export const recipeOutput = new Array<i32>();
export const recipeYield = new Array<i32>();
export const inputStart = new Array<i32>();
export const inputName = new Array<i32>();
export const inputCount = new Array<i32>();
export const inputIsTag = new Array<bool>();

/** Recipes of an item, and of a tag, in load order. */
export const itemRecipes = new StaticArray<Array<i32> | null>(nameCount);
export const tagRecipes = new StaticArray<Array<i32> | null>(nameCount);
const itemOrder = new Array<i32>();
const tagOrder = new Array<i32>();

export const isTag = new StaticArray<bool>(nameCount);
export const isItem = new StaticArray<bool>(nameCount);
/** The tag of an item, or -1. `taggedItems` has the items in the order in which they were first tagged. */
export const tagOf = new StaticArray<i32>(nameCount);
export const taggedItems = new Array<i32>();

/** Recipes that use a name. A recipe with a group is in the list twice, as in the original. */
export const uses = new StaticArray<Array<i32> | null>(nameCount);
export const depth = new StaticArray<i32>(nameCount);
/** Goals by ascending depth, in load order within a depth. */
export const goals = new Array<i32>();

// Lines. Two recipes with the same text share a line.
export const lineOf = new Array<i32>();
export const linePointer = new Array<usize>();
export const lineLength = new Array<i32>();

function readNames(): void {
  const bytes = changetype<usize>(nameBytes);
  const words = heap.alloc(nameBytes.length);
  let start = 0;
  for (let id = 0; id < nameCount; id++) {
    let end = start;
    while (nameBytes[end] != 10) {
      store<u8>(words + end, nameBytes[end] == 95 ? 32 : nameBytes[end]);
      end++;
    }
    namePointer[id] = bytes + start;
    wordsPointer[id] = words + start;
    nameLength[id] = end - start;
    start = end + 1;
  }
}

const SLOTS: i32 = 4096;
const slots = new StaticArray<i32>(SLOTS);

function hashOf(pointer: usize, length: i32): u32 {
  let hash: u32 = 2166136261;
  for (let i = 0; i < length; i++) {
    const byte: u32 = load<u8>(pointer + i);
    hash = (hash ^ (byte == 32 ? 95 : byte)) * 16777619;
  }
  return hash;
}

function sameName(id: i32, pointer: usize, length: i32): bool {
  if (nameLength[id] != length) return false;
  const name = namePointer[id];
  for (let i = 0; i < length; i++) {
    const byte: u32 = load<u8>(pointer + i);
    if (<u32>load<u8>(name + i) != (byte == 32 ? 95 : byte)) return false;
  }
  return true;
}

/** Number of the name with this text (spaces count as underscores), or -1. */
export function findName(pointer: usize, length: i32): i32 {
  let slot = hashOf(pointer, length) & (SLOTS - 1);
  while (slots[slot] != 0) {
    const id = slots[slot] - 1;
    if (sameName(id, pointer, length)) return id;
    slot = (slot + 1) & (SLOTS - 1);
  }
  return NONE;
}

function indexNames(): void {
  for (let id = 0; id < nameCount; id++) {
    let slot = hashOf(namePointer[id], nameLength[id]) & (SLOTS - 1);
    while (slots[slot] != 0) slot = (slot + 1) & (SLOTS - 1);
    slots[slot] = id + 1;
    tagOf[id] = NONE;
    depth[id] = NONE;
  }
}

function endsWithBlock(id: i32): bool {
  const suffix = '_block';
  const at = nameLength[id] - suffix.length;
  if (at < 0) return false;
  for (let i = 0; i < suffix.length; i++) if (load<u8>(namePointer[id] + at + i) != suffix.charCodeAt(i)) return false;
  return true;
}

// Transitive dependencies as bit sets; used only while loading.
const WORDS: i32 = (rawNames + 63) / 64;
const dependencies = new StaticArray<u64>(rawNames * WORDS);
const hasDependencies = new StaticArray<bool>(rawNames);

function dependsOn(name: i32, other: i32): bool {
  return ((dependencies[name * WORDS + (other >> 6)] >> (other & 63)) & 1) != 0;
}

function addDependency(name: i32, other: i32): void {
  dependencies[name * WORDS + (other >> 6)] |= (<u64>1) << (other & 63);
  if (!hasDependencies[other]) return;
  for (let w = 0; w < WORDS; w++) dependencies[name * WORDS + w] |= dependencies[other * WORDS + w];
}

function append(lists: StaticArray<Array<i32> | null>, name: i32, value: i32): bool {
  const list = lists[name];
  if (list !== null) { list.push(value); return false; }
  lists[name] = [value];
  return true;
}

function keepRecipe(output: i32, count: i32, tag: i32, at: i32, inputs: i32): void {
  const recipe = recipeOutput.length;
  recipeOutput.push(output);
  recipeYield.push(count);
  for (let i = 0; i < inputs; i++) {
    const packed: i32 = recipeTable[at + 2 * i];
    const name = packed & (IS_TAG - 1);
    inputName.push(name);
    inputCount.push(recipeTable[at + 2 * i + 1]);
    inputIsTag.push((packed & IS_TAG) != 0);
    addDependency(output, name);
  }
  inputStart.push(inputName.length);
  if (append(itemRecipes, output, recipe)) itemOrder.push(output);
  if (tag != NONE && append(tagRecipes, tag, recipe)) tagOrder.push(tag);
}

/** Loads one row of the raw table, as the original loads one recipe file. Returns the start of the next row. */
function loadRecipe(at: i32): i32 {
  const output: i32 = recipeTable[at];
  const count: i32 = recipeTable[at + 1];
  const group: i32 = recipeTable[at + 2];
  const inputs: i32 = recipeTable[at + 3];
  const first = at + 4;
  const next = first + 2 * inputs;
  for (let i = 0; i < inputs; i++) {
    const packed: i32 = recipeTable[first + 2 * i];
    if (packed & IS_TAG) isTag[packed & (IS_TAG - 1)] = true;
    else isItem[packed] = true;
  }
  isItem[output] = true;
  if (inputs == 1 && endsWithBlock(recipeTable[first] & (IS_TAG - 1))) return next;
  const tag = group == NO_GROUP ? NONE : group;
  if (tag != NONE && tag != output) {
    isTag[tag] = true;
    if (tagOf[output] == NONE) taggedItems.push(output);
    tagOf[output] = tag;
  }
  hasDependencies[output] = true;
  for (let i = 0; i < inputs; i++) {
    const name: i32 = recipeTable[first + 2 * i] & (IS_TAG - 1);
    if (hasDependencies[name] && dependsOn(name, output)) return next;
  }
  keepRecipe(output, count, tag, first, inputs);
  return next;
}

function someTaggedItemIsCraftable(tag: i32): bool {
  for (let i = 0; i < taggedItems.length; i++)
    if (tagOf[taggedItems[i]] == tag && itemRecipes[taggedItems[i]] !== null) return true;
  return false;
}

/** A tag input without craftable items becomes an item with the name of the tag. */
function cleanUp(): void {
  const becomesItem = new StaticArray<bool>(nameCount);
  for (let i = 0; i < inputName.length; i++) {
    if (!inputIsTag[i] || someTaggedItemIsCraftable(inputName[i])) continue;
    inputIsTag[i] = false;
    becomesItem[inputName[i]] = true;
  }
  for (let name = 0; name < nameCount; name++) {
    if (!becomesItem[name]) continue;
    isItem[name] = true;
    isTag[name] = false;
  }
}

function addUses(order: Array<i32>, lists: StaticArray<Array<i32> | null>): void {
  for (let k = 0; k < order.length; k++) {
    const list = lists[order[k]]!;
    for (let r = 0; r < list.length; r++)
      for (let i = inputStart[list[r]]; i < inputStart[list[r] + 1]; i++) append(uses, inputName[i], list[r]);
  }
}

/** Recipes of a name as an item, else as a tag, else null. */
export function recipesOf(name: i32): Array<i32> | null {
  const own = itemRecipes[name];
  return own !== null ? own : tagRecipes[name];
}

function depthOf(name: i32): i32 {
  if (depth[name] != NONE) return depth[name];
  const list = recipesOf(name);
  let least = list === null ? 0 : i32.MAX_VALUE;
  if (list !== null)
    for (let r = 0; r < list.length; r++) {
      let most = 0;
      for (let i = inputStart[list[r]]; i < inputStart[list[r] + 1]; i++) most = max(most, depthOf(inputName[i]) + 1);
      least = min(least, most);
    }
  depth[name] = least;
  return least;
}

function listGoals(): void {
  let deepest = 0;
  for (let k = 0; k < itemOrder.length; k++) deepest = max(deepest, depthOf(itemOrder[k]));
  for (let wanted = 1; wanted <= deepest; wanted++)
    for (let k = 0; k < itemOrder.length; k++) if (depth[itemOrder[k]] == wanted) goals.push(itemOrder[k]);
}

/** Writes `craft N OUT using N IN, N IN`. If `concrete` is given, it has the item for each tag. */
export function putRecipe(recipe: i32, concrete: StaticArray<i32> | null): void {
  putText('craft ');
  putInteger(recipeYield[recipe]);
  putText(' ');
  putBytes(wordsPointer[recipeOutput[recipe]], nameLength[recipeOutput[recipe]]);
  putText(' using ');
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) {
    if (i > inputStart[recipe]) putText(', ');
    const item = concrete !== null && inputIsTag[i] ? concrete[inputName[i]] : inputName[i];
    putInteger(inputCount[i]);
    putText(' ');
    putBytes(wordsPointer[item], nameLength[item]);
  }
}

function renderLines(): void {
  for (let recipe = 0; recipe < recipeOutput.length; recipe++) {
    clearOutput();
    putRecipe(recipe, null);
    const length = outputLength();
    let line = recipe;
    for (let other = 0; other < recipe && line == recipe; other++)
      if (lineLength[other] == length && memory.compare(linePointer[other], outputPointer(), length) == 0) line = other;
    const pointer = line == recipe ? heap.alloc(length) : linePointer[line];
    memory.copy(pointer, outputPointer(), length);
    lineOf.push(line);
    linePointer.push(pointer);
    lineLength.push(length);
  }
  clearOutput();
}

function loadBook(): void {
  readNames();
  indexNames();
  inputStart.push(0);
  let at = 0;
  for (let row = 0; row < rawRecipes; row++) at = loadRecipe(at);
  cleanUp();
  addUses(itemOrder, itemRecipes);
  addUses(tagOrder, tagRecipes);
  listGoals();
  renderLines();
}
loadBook();
