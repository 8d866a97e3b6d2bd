/**
 * The oracle: a short list of actions from a world's present state to its goal, using the commands shown.
 *
 * A plan chooses one recipe for each item that must be crafted and one item for each tag. Given the choice, demands add
 * up from the goal down, carried items are used first, and the length follows. The first choice is the one of least
 * unit cost, which cannot be circular. It is then improved by single changes while the plan gets shorter.
 *
 * There are two forms. In a listed plan every action is a valid action of the text: a `get` takes the largest amount
 * that a line names, as often as needed, and recipes with a tag cannot be used, because their line names no item that
 * can be carried. In a free plan a `get` takes the exact amount, and a concrete item stands for a tag.
 */
import {
  inputCount, inputIsTag, inputName, inputStart, isItem, isTag, itemRecipes, nameCount, nameLength, putRecipe,
  recipeOutput, recipeYield, recipesOf, tagOf, taggedItems, wordsPointer,
} from './recipebook';
import { commands, makeCommands } from './commands';
import { carried, worldAt } from './worlds';
import { putBytes, putInteger, putText } from '../shared/text';

const NONE: i32 = -1;
const IMPOSSIBLE: f64 = 1e15;

let listedOnly: bool = false;
let currentSlot: i32 = 0;

/** Recipes shown, by their output. */
const shownRecipes = new StaticArray<Array<i32>>(nameCount);
for (let i = 0; i < nameCount; i++) shownRecipes[i] = new Array<i32>();
/** Largest amount of an item in a shown line; 0 if there is none. */
const largestListed = new StaticArray<i32>(nameCount);
const unitCost = new StaticArray<f64>(nameCount);
/** The choice of the plan: a recipe for an item, an item for a tag. */
const chosen = new StaticArray<i32>(nameCount);

function fetchable(name: i32): bool {
  return isItem[name] && !isTag[name] && recipesOf(name) === null && (!listedOnly || largestListed[name] > 0);
}

function readCommands(): void {
  for (let name = 0; name < nameCount; name++) {
    shownRecipes[name].length = 0;
    largestListed[name] = 0;
    chosen[name] = NONE;
  }
  for (let c = 0; c < commands.length; c++) {
    const recipe = commands[c];
    shownRecipes[recipeOutput[recipe]].push(recipe);
    for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++)
      largestListed[inputName[i]] = max(largestListed[inputName[i]], inputCount[i]);
  }
  for (let name = 0; name < nameCount; name++)
    unitCost[name] = !fetchable(name) ? IMPOSSIBLE : listedOnly ? 1.0 / <f64>largestListed[name] : 0.2;
}

/** Lowers the cost of a tag to that of its cheapest item. */
function relaxTag(tag: i32): void {
  for (let k = 0; k < taggedItems.length; k++) {
    const item = taggedItems[k];
    if (tagOf[item] != tag || unitCost[item] >= unitCost[tag]) continue;
    unitCost[tag] = unitCost[item];
    chosen[tag] = item;
  }
}

function relaxRecipe(recipe: i32): bool {
  let cost: f64 = 1;
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) {
    if (inputIsTag[i]) {
      if (listedOnly) return false;
      relaxTag(inputName[i]);
    }
    cost += <f64>inputCount[i] * unitCost[inputName[i]];
  }
  cost /= <f64>recipeYield[recipe];
  const output = recipeOutput[recipe];
  if (cost >= unitCost[output] || cost >= 1e9) return false;
  unitCost[output] = cost;
  chosen[output] = recipe;
  return true;
}

function relaxAll(): void {
  let changed = true;
  while (changed) {
    changed = false;
    for (let c = 0; c < commands.length; c++) if (relaxRecipe(commands[c])) changed = true;
  }
}

// --- the length of a plan --------------------------------------------------------------------------------------------

/** Items of the plan, ingredients before their products. */
const order = new Array<i32>();
/** State of the depth-first walk: 0 not reached, 1 on the path, 2 done. */
const visit = new StaticArray<u8>(nameCount);
const demand = new StaticArray<i64>(nameCount);
/** Number of crafts of an item, or the amount to fetch. */
const amount = new StaticArray<i64>(nameCount);

/** The item chosen for input i, or -1. */
function itemFor(i: i32): i32 {
  return inputIsTag[i] ? chosen[inputName[i]] : inputName[i];
}

/** Appends an item to `order`, after its ingredients. Returns false if the choice is circular. */
function arrange(name: i32): bool {
  if (visit[name] == 1) return false;
  if (visit[name] == 2) return true;
  visit[name] = 1;
  const recipe = itemRecipes[name] === null ? NONE : chosen[name];
  if (recipe != NONE)
    for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) {
      const item = itemFor(i);
      if (item != NONE && !arrange(item)) return false;
    }
  visit[name] = 2;
  order.push(name);
  return true;
}

function getsFor(name: i32, count: i64): i64 {
  if (!listedOnly) return 1;
  const most = <i64>largestListed[name];
  return (count + most - 1) / most;
}

/** Adds the demand for the ingredients of `times` crafts. Returns false if an ingredient has no item. */
function demandInputs(recipe: i32, times: i64): bool {
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) {
    const item = itemFor(i);
    if (item == NONE) return false;
    demand[item] += times * <i64>inputCount[i];
  }
  return true;
}

/** Number of actions with the present choice, or IMPOSSIBLE. Fills `order` and `amount`. */
function planLength(goal: i32): f64 {
  order.length = 0;
  for (let name = 0; name < nameCount; name++) {
    visit[name] = 0;
    demand[name] = 0;
    amount[name] = 0;
  }
  if (!arrange(goal)) return IMPOSSIBLE;
  let length: f64 = 0;
  for (let k = order.length - 1; k >= 0; k--) {
    const name = order[k];
    // The goal must be crafted even if it is carried: the reward is for the craft.
    const missing: i64 = name == goal ? 1 : demand[name] - carried(worldAt(currentSlot), name);
    if (missing <= 0) continue;
    const recipe = itemRecipes[name] === null ? NONE : chosen[name];
    if (recipe == NONE) {
      if (!fetchable(name)) return IMPOSSIBLE;
      amount[name] = missing;
      length += <f64>getsFor(name, missing);
      continue;
    }
    const yields = <i64>recipeYield[recipe];
    amount[name] = (missing + yields - 1) / yields;
    length += <f64>amount[name];
    if (!demandInputs(recipe, amount[name])) return IMPOSSIBLE;
  }
  return length;
}

function usable(recipe: i32): bool {
  if (!listedOnly) return true;
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) if (inputIsTag[i]) return false;
  return true;
}

let best: f64 = 0;

/** Tries one choice and keeps it if the plan gets shorter. */
function tryChoice(goal: i32, name: i32, choice: i32): bool {
  const previous = chosen[name];
  if (previous == choice) return false;
  chosen[name] = choice;
  const length = planLength(goal);
  if (length < best) { best = length; return true; }
  chosen[name] = previous;
  return false;
}

const planItems = new Array<i32>();

function improveTag(goal: i32, tag: i32): bool {
  let better = false;
  for (let k = 0; k < taggedItems.length; k++) {
    const item = taggedItems[k];
    if (tagOf[item] != tag || (!fetchable(item) && chosen[item] == NONE && carried(worldAt(currentSlot), item) == 0)) continue;
    if (tryChoice(goal, tag, item)) better = true;
  }
  return better;
}

/** Tries other recipes for an item of the plan, and other items for the tags of its recipe. */
function improveItem(goal: i32, name: i32): bool {
  let better = false;
  const recipes = shownRecipes[name];
  for (let r = 0; r < recipes.length; r++) if (usable(recipes[r]) && tryChoice(goal, name, recipes[r])) better = true;
  const recipe = chosen[name];
  if (recipe == NONE || itemRecipes[name] === null || listedOnly) return better;
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++)
    if (inputIsTag[i] && improveTag(goal, inputName[i])) better = true;
  return better;
}

function improve(goal: i32): void {
  let better = true;
  while (better) {
    better = false;
    planItems.length = 0;
    planLength(goal);
    for (let k = 0; k < order.length; k++) planItems.push(order[k]);
    for (let k = 0; k < planItems.length; k++) if (improveItem(goal, planItems[k])) better = true;
  }
}

/** Finds a plan of this form that no single change makes shorter. Returns false if there is none. */
function plan(slot: i32, listed: bool): bool {
  const world = worldAt(slot);
  currentSlot = slot;
  listedOnly = listed;
  makeCommands(world.goal, world.distractors, world.seed);
  readCommands();
  relaxAll();
  best = planLength(world.goal);
  improve(world.goal);
  best = planLength(world.goal);
  return best < IMPOSSIBLE;
}

// --- texts -----------------------------------------------------------------------------------------------------------

function putGet(name: i32, count: i64): void {
  putText('get ');
  putInteger(count);
  putText(' ');
  putBytes(wordsPointer[name], nameLength[name]);
  putText('\n');
}

function putSteps(name: i32): void {
  const recipe = itemRecipes[name] === null ? NONE : chosen[name];
  if (recipe == NONE) {
    if (!listedOnly) putGet(name, amount[name]);
    else for (let k = getsFor(name, amount[name]); k > 0; k--) putGet(name, largestListed[name]);
    return;
  }
  for (let k = amount[name]; k > 0; k--) {
    putRecipe(recipe, listedOnly ? null : chosen);
    putText('\n');
  }
}

export const NO_PLAN: i32 = 0;
export const LISTED_PLAN: i32 = 1;
export const FREE_PLAN: i32 = 2;

/** Finds a listed plan, or else a free one. */
function planEither(slot: i32): i32 {
  return plan(slot, true) ? LISTED_PLAN : plan(slot, false) ? FREE_PLAN : NO_PLAN;
}

/** Writes the remaining actions of a world, one per line. Returns the form of the plan. */
export function putPlan(slot: i32): i32 {
  const form = planEither(slot);
  if (form == NO_PLAN) return form;
  for (let k = 0; k < order.length; k++) if (amount[order[k]] > 0) putSteps(order[k]);
  return form;
}

/** Writes one node of the tree as a line: level, needed, carried, 1 if crafted, name. */
function putNode(name: i32, need: i64, level: i32): void {
  const recipe = itemRecipes[name] === null ? NONE : chosen[name];
  putInteger(level);
  putText('\t');
  putInteger(need);
  putText('\t');
  putInteger(carried(worldAt(currentSlot), name));
  putText(recipe == NONE ? '\t0\t' : '\t1\t');
  putBytes(wordsPointer[name], nameLength[name]);
  putText('\n');
  if (recipe == NONE) return;
  const yields = <i64>recipeYield[recipe];
  const times = (need + yields - 1) / yields;
  for (let i = inputStart[recipe]; i < inputStart[recipe + 1]; i++) putNode(itemFor(i), times * inputCount[i], level + 1);
}

/** Writes the crafting tree of the plan, from the goal down. */
export function putTree(slot: i32): void {
  if (planEither(slot) != NO_PLAN) putNode(worldAt(slot).goal, 1, 0);
}
