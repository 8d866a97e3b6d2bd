/**
 * TextCraft under other names: the words of all items exchanged among each other, one permutation a naming. Recipes keep their
 * structure and texts their form, but what an item is called says nothing any more of what it is made from: a goal has to
 * be looked up in the recipes shown, it cannot be remembered. (Domain randomisation, Tobin et al. https://arxiv.org/abs/1703.06907; the same
 * idea with labels is symbol tuning, Wei et al. https://arxiv.org/abs/2305.08298.)
 *
 * Knows words and the world's texts; no WASM, no policy.
 */
import { Exchange, exchanged } from '../../envs/exchange.ts';
import type { Recipe, RecipeList } from './recipe-list.ts';
import { isKind, kindOf, kindWords } from './teacher.ts';
import type { Counted, CraftNode, TextCraftView } from './view-data.ts';

/** Words of the world's own sentences and of its actions. They keep their meaning, whatever items are called. */
const sentenceWords = new Set(
  (
    'craft crafting commands goal using get got inventory you are not carrying anything could find enough items to ' +
    'a valid recipe for item format wrong crafted execute none is it the in on of with count tag itemtagwithcount itemtag'
  ).split(' '),
);

/** The words that items are called by, in order of appearance. `texts`: actions, as the world writes them. */
export function itemWords(texts: Iterable<string>): string[] {
  const words = new Set<string>();
  for (const text of texts)
    for (const [word] of text.matchAll(/[a-z]+/g)) if (!sentenceWords.has(word)) words.add(word);
  return [...words];
}

/** A list whose items go by other names, whole names exchanged among each other: kinds keep theirs, and things of a kind exchange with each other. */
export function renamed({ recipes, goal }: RecipeList, names: readonly string[], seed: number): RecipeList {
  const kinds = [null, ...kindWords].map((kind) => names.filter((name) => !isKind(name) && kindOf(name) === kind));
  const others = exchanged(kinds, seed);
  const other = (name: string) => others.get(name) ?? name;
  const inputs = (recipe: Recipe) => recipe.inputs.map(({ count, name }) => ({ count, name: other(name) }));
  return {
    recipes: recipes.map((recipe) => ({ makes: recipe.makes, name: other(recipe.name), inputs: inputs(recipe) })),
    goal: other(goal),
  };
}

/** Exchanges words both ways. */
export class Naming extends Exchange {
  /** The exchange number `seed`. */
  constructor(words: readonly string[], seed: number) {
    super(exchanged([words], seed), replaceWords);
  }

  view(view: TextCraftView): TextCraftView {
    const counted = (items: readonly Counted[]) => items.map(({ name, count }) => ({ name: this.show(name), count }));
    return {
      ...view,
      text: this.show(view.text),
      goal: this.show(view.goal),
      inventory: counted(view.inventory),
      commands: view.commands.map((command) => ({
        ...command,
        text: this.show(command.text),
        output: this.show(command.output),
        inputs: counted(command.inputs),
      })),
      tree: this.node(view.tree),
    };
  }

  private node(node: CraftNode): CraftNode {
    return { ...node, name: this.show(node.name), children: node.children.map((child) => this.node(child)) };
  }
}

/** Whole words only, in the case that items are written in. */
function replaceWords(text: string, by: ReadonlyMap<string, string>): string {
  return text.replace(/[A-Za-z]+/g, (word) => by.get(word) ?? word);
}
