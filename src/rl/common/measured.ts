/** Numbers by name that some episodes have: the measures of a finished game. */
export type Measures = { readonly [metric: string]: number };

/** Values of each measure, by its name, of the games that have them. */
export function measured(games: readonly (Measures | undefined)[]): { [metric: string]: number[] } {
  const known = games.filter((game) => game !== undefined);
  const names = new Set(known.flatMap((game) => Object.keys(game)));
  return Object.fromEntries([...names].map((name) => [name, known.flatMap((game) => game[name] ?? [])]));
}
