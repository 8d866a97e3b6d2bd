/**
 * Cards and their formulas as data. A symbol of a formula names the source of its number (`Source`), so a page can
 * insert the numbers of one token, episode, group or step.
 */

/** Part of a step that a card explains, in the order of the page. */
export const cardParts = ['goal', 'observe', 'act', 'reward', 'group', 'advantage', 'objective', 'update'] as const;
export type CardPart = (typeof cardParts)[number];

/**
 * Source of a number: the selected token, its episode, its group, the step's metrics, the weights, the
 * algorithm's settings, or the whole experiment.
 */
export type Source = `${'token' | 'episode' | 'group' | 'metric' | 'weights' | 'setting' | 'experiment'}.${string}`;

export interface FormulaSymbol {
  symbol: string;
  sub?: string;
  sup?: string;
  of?: Source;
  /** Keeps the symbol when numbers are inserted: the number describes the symbol and does not replace it. */
  keeps?: boolean;
  /** Meaning of the symbol, if `symbolWords` has none for its source. */
  words?: string;
}

/**
 * A row of parts, a symbol, parts that form one number, a fraction, or an operator such as a sum with its range. A
 * string is an operator or a number.
 */
export type Formula =
  | string
  | readonly Formula[]
  | FormulaSymbol
  /** Formulas below each other. */
  | { lines: readonly Formula[] }
  | { whole: Formula; as: FormulaSymbol }
  | { over: Formula; under: Formula }
  | { big: string; below: Formula }
  | { root: Formula }
  | { power: Formula; to: Formula };

export interface Card {
  /** Unique among cards with different texts: translations are keyed by it. */
  id: string;
  part: CardPart;
  title: string;
  sentence: string;
  formula: Formula;
}

/** Meaning of symbols. Settings and metrics have their own labels. */
export const symbolWords: { readonly [source in Source]?: string } = {
  'token.context': 'tokens that the policy has read before this one',
  'token.probability': 'probability of the token when it was sampled',
  'token.allowed': 'tokens to choose among',
  'token.logprob': 'log-probability of the token when it was sampled',
  'token.advantage': 'advantage of the token',
  'token.before': 'log-probability before the update',
  'token.after': 'log-probability after the update',
  'token.now': 'probability of the token after the update',
  'token.was': 'probability of the token before the update',
  'token.ratio': 'ratio: probability after the update over that before',
  'token.weight': 'weight of the token in the gradient',
  'episode.return': 'return of the episode',
  'episode.lastReward': 'reward of the last turn',
  'episode.tokens': 'trained tokens of the episode',
  'episode.advantage': 'advantage of the episode',
  'group.mean': 'mean return of the group',
  'group.std': 'spread (standard deviation) of the returns of the group',
  'group.others': 'mean return of the others of the group',
  'group.size': 'episodes of the group',
  'weights.change': 'distance that the weights moved in this step',
  'weights.norm': 'norm of the weights before it',
};

export const symbol = (text: string, of?: Source, more: Omit<FormulaSymbol, 'symbol' | 'of'> = {}): FormulaSymbol => ({
  symbol: text,
  ...(of && { of }),
  ...more,
});

const isSymbol = (formula: object): formula is FormulaSymbol => 'symbol' in formula;

/** Symbols of a formula that have a number, each once, in order. */
export function symbolsOf(formula: Formula): FormulaSymbol[] {
  const found = new Map<string, FormulaSymbol>();
  const walk = (part: Formula): void => {
    if (typeof part === 'string') return;
    if (Array.isArray(part)) {
      for (const each of part) walk(each);
      return;
    }
    const own = part as Exclude<Formula, string | readonly Formula[]>;
    if (isSymbol(own)) {
      if (own.of && !found.has(own.of)) found.set(own.of, own);
      return;
    }
    for (const each of Object.values(own as { [key: string]: Formula })) walk(each);
  };
  walk(formula);
  return [...found.values()];
}
