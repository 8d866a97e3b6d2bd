/**
 * The command list of a task: the recipes on all paths to the goal, and distractors drawn among recipes that use the
 * same ingredients, shuffled. Every draw happens in the original's order. Sets keep insertion order (the goldens'
 * canonical form).
 *
 * A list is a pure function of (goal, number of distractors, list seed). Independent of episodes.
 */
import {
  goals, inputCount, inputName, inputStart, lineLength, lineOf, linePointer, nameCount, nameLength, recipesOf, uses,
  wordsPointer,
} from './recipebook';
import { sampleInto, seedRandom, shuffle } from '../shared/mt19937';
import { putBytes, putInteger, putText } from '../shared/text';

/** Maximum number of distractors drawn for each ingredient of each recipe of the walk. */
const DRAWN_PER_INGREDIENT: i32 = 10;

const onPath = new StaticArray<bool>(nameCount);
const walked = new Array<i32>();
const drawn = new Array<i32>();
const candidates = new Array<i32>();
const pool = new StaticArray<i32>(1024);
/** The mark of the last list that contains a line, or 0. */
const seen = new StaticArray<i32>(1024);
let mark: i32 = 0;

/** The current list: recipes whose lines are shown, in order. */
export const commands = new Array<i32>();
let currentGoal: i32 = -1;
let currentDistractors: i32 = -1;
let currentSeed: u32 = 0;

function walk(name: i32): void {
  if (onPath[name]) return;
  const recipes = recipesOf(name);
  if (recipes === null) return;
  for (let r = 0; r < recipes.length; r++) walked.push(recipes[r]);
  onPath[name] = true;
  for (let r = 0; r < recipes.length; r++)
    for (let i = inputStart[recipes[r]]; i < inputStart[recipes[r] + 1]; i++) walk(inputName[i]);
  onPath[name] = false;
}

function drawDistractors(): void {
  drawn.length = 0;
  for (let w = 0; w < walked.length; w++) {
    for (let i = inputStart[walked[w]]; i < inputStart[walked[w] + 1]; i++) {
      const users = uses[inputName[i]];
      if (users !== null) sampleInto(users, 0, users.length, min(users.length, DRAWN_PER_INGREDIENT), pool, drawn);
    }
  }
}

/** Appends the line of each recipe to `into`, unless the line already has the current mark. */
function appendUnseen(recipes: Array<i32>, into: Array<i32>): void {
  for (let k = 0; k < recipes.length; k++) {
    const line = lineOf[recipes[k]];
    if (seen[line] == mark) continue;
    seen[line] = mark;
    into.push(line);
  }
}

/** Fills `commands` for a task. Does nothing if they are already those of this task. */
export function makeCommands(goal: i32, distractors: i32, seed: u32): void {
  if (goal == currentGoal && distractors == currentDistractors && seed == currentSeed) return;
  seedRandom(seed);
  walked.length = 0;
  commands.length = 0;
  candidates.length = 0;
  mark++;
  walk(goal);
  drawDistractors();
  appendUnseen(walked, commands);
  appendUnseen(drawn, candidates);
  sampleInto(candidates, 0, candidates.length, min(candidates.length, distractors), pool, commands);
  shuffle(commands);
  currentGoal = goal;
  currentDistractors = distractors;
  currentSeed = seed;
}

/** Writes the first observation. */
export function putStart(goal: i32): void {
  putText('Crafting commands:\n');
  for (let c = 0; c < commands.length; c++) {
    if (c > 0) putText('\n');
    putBytes(linePointer[commands[c]], lineLength[commands[c]]);
  }
  putText('\n\nGoal: craft ');
  putBytes(wordsPointer[goal], nameLength[goal]);
  putText('.');
}

const listed = new Array<i32>();

/** True if (name, count) is in `listed`; adds it otherwise. */
function alreadyListed(name: i32, count: i32): bool {
  const key = (name << 8) | count;
  if (listed.includes(key)) return true;
  listed.push(key);
  return false;
}

/**
 * Writes the valid actions, one per line: each command, followed by a `get` for each of its ingredients that is not
 * listed yet.
 */
export function putValidActions(): void {
  listed.length = 0;
  for (let c = 0; c < commands.length; c++) {
    if (c > 0) putText('\n');
    putBytes(linePointer[commands[c]], lineLength[commands[c]]);
    for (let i = inputStart[commands[c]]; i < inputStart[commands[c] + 1]; i++) {
      if (alreadyListed(inputName[i], inputCount[i])) continue;
      putText('\nget ');
      putInteger(inputCount[i]);
      putText(' ');
      putBytes(wordsPointer[inputName[i]], nameLength[inputName[i]]);
    }
  }
}

/** The goal of an item id, as in the original: modulo the number of goals. */
export function goalOf(id: i32): i32 { return goals[id % goals.length]; }
