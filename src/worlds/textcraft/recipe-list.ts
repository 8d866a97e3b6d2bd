/**
 * Parser and writer of TextCraft's first observation: the recipes it shows and its goal. Independent of the WASM
 * instance and of policies.
 */

export interface Ingredient {
  count: number;
  name: string;
}

export interface Recipe {
  /** Number of items that one craft makes. */
  makes: number;
  name: string;
  inputs: readonly Ingredient[];
}

export interface RecipeList {
  recipes: readonly Recipe[];
  goal: string;
}

const heading = 'Crafting commands:';
const command = /^craft (\d+) (.+?) using (.+)$/;
const ingredient = /^(\d+) (.+)$/;

function readInputs(text: string): Ingredient[] | null {
  const read = text.split(', ').map((each) => ingredient.exec(each));
  return read.every((each) => each !== null) ? read.map((each) => ({ count: Number(each[1]), name: each[2] })) : null;
}

/** Parses one command; returns null if the line is not a command. */
export function readCommand(line: string): Recipe | null {
  const [, makes, name, rest] = command.exec(line) ?? [];
  const inputs = rest === undefined ? null : readInputs(rest);
  return inputs && { makes: Number(makes), name, inputs };
}

/** Parses a first observation; returns null if the text is not one of TextCraft. */
export function readRecipeList(text: string): RecipeList | null {
  const [first, ...lines] = text.split('\n');
  const goal = /^Goal: craft (.+)\.$/.exec(lines.at(-1) ?? '')?.[1];
  if (first !== heading || goal === undefined) return null;
  return { recipes: lines.flatMap((line) => readCommand(line) ?? []), goal };
}

/** Names of all products and ingredients of the commands among these texts, in order of appearance. */
export function itemNames(texts: Iterable<string>): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    const recipe = readCommand(text);
    for (const { name } of recipe ? [recipe, ...recipe.inputs] : []) names.add(name);
  }
  return [...names];
}

export const writeIngredients = (inputs: readonly Ingredient[]) =>
  inputs.map(({ count, name }) => `${count} ${name}`).join(', ');

export const writeCommand = ({ makes, name, inputs }: Recipe) =>
  `craft ${makes} ${name} using ${writeIngredients(inputs)}`;

/** First observation of an episode, in the world's format. */
export const writeRecipeList = ({ recipes, goal }: RecipeList) =>
  `${heading}\n${recipes.map(writeCommand).join('\n')}\n\nGoal: craft ${goal}.`;

/** Valid actions of a list: every command shown, and fetching each ingredient of every command. */
export function actionsOfList({ recipes }: RecipeList): string[] {
  const actions = new Set<string>();
  for (const recipe of recipes) {
    actions.add(writeCommand(recipe));
    for (const { count, name } of recipe.inputs) actions.add(`get ${count} ${name}`);
  }
  return [...actions];
}
