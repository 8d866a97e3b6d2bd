/** Returns the text of envs-wasm/textcraft/recipes.ts for a raw recipe table. */
export function renderRecipes(raw: unknown[]): string;
