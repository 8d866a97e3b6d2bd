/**
 * TextCraft under other names: the words of all items are permuted, one permutation for each naming. Recipes keep their
 * structure and observations their form, but an item's name no longer hints at its ingredients: the recipe of a goal
 * must be looked up in the recipes shown and cannot be memorised. (Domain randomisation, Tobin et al.
 * https://arxiv.org/abs/1703.06907; the same idea with labels is symbol tuning, Wei et al.
 * https://arxiv.org/abs/2305.08298.)
 *
 * Independent of the WASM instance and of policies.
 */
import { Exchange, permutedWords } from '../../envs/exchange.ts';
import { isKind, kindOf, kindWords } from './oracle.ts';
import type { Recipe, RecipeList } from './recipe-list.ts';
import type { Counted, CraftNode, TextCraftView } from './view-data.ts';

/** Words of the world's own sentences and actions. No naming changes them. */
const sentenceWords = new Set(
  (
    'craft crafting commands goal using get got inventory you are not carrying anything could find enough items to ' +
    'a valid recipe for item format wrong crafted execute none is it the in on of with count tag itemtagwithcount itemtag'
  ).split(' '),
);

/** Words of item names, in order of appearance. `texts`: actions in the world's format. */
export function itemWords(texts: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const [word] of text.matchAll(/[a-z]+/g)) if (!sentenceWords.has(word)) words.add(word);
  return [...words];
}

/**
 * Renames the items of a list by permuting whole names. Kinds keep their names, and things of a kind are permuted among
 * each other.
 */
export function renamed({ recipes, goal }: RecipeList, names: readonly string[], seed: number): RecipeList {
  const kinds = [null, ...kindWords].map((kind) => names.filter((name) => !isKind(name) && kindOf(name) === kind));
  const others = permutedWords(kinds, seed);
  const other = (name: string) => others.get(name) ?? name;
  const inputs = (recipe: Recipe) => recipe.inputs.map(({ count, name }) => ({ count, name: other(name) }));
  return {
    recipes: recipes.map((recipe) => ({ makes: recipe.makes, name: other(recipe.name), inputs: inputs(recipe) })),
    goal: other(goal),
  };
}

/** Two-way exchange of words: into the other names, and back. */
export class NameExchange extends Exchange {
  /** Makes exchange number `seed`. */
  constructor(words: readonly string[], seed: number) {
    super(permutedWords([words], seed), replaceWords);
  }

  view(view: TextCraftView): TextCraftView {
    const counted = (items: readonly Counted[]) =>
      items.map(({ name, count }) => ({ name: this.toShown(name), count }));
    return {
      ...view,
      renamed: true,
      text: this.toShown(view.text),
      goal: this.toShown(view.goal),
      inventory: counted(view.inventory),
      commands: view.commands.map((command) => ({
        ...command,
        text: this.toShown(command.text),
        output: this.toShown(command.output),
        inputs: counted(command.inputs),
      })),
      tree: this.node(view.tree),
    };
  }

  private node(node: CraftNode): CraftNode {
    return { ...node, name: this.toShown(node.name), children: node.children.map((child) => this.node(child)) };
  }
}

/** Replaces whole words only; keys are in the case of the item names. */
function replaceWords(text: string, by: ReadonlyMap<string, string>): string {
  return text.replace(/[A-Za-z]+/g, (word) => by.get(word) ?? word);
}
