/** Words in play under some options, for policies that read and write a word as one token. */
import type { WorldOptions } from '../../envs/env.ts';
import { parseWordleOptions, wordLists } from './options.ts';
import { WordleWasm } from './wasm.ts';

export async function wordsIn(options: readonly WorldOptions[]): Promise<string[]> {
  const wasm = await WordleWasm.open();
  return options.map(parseWordleOptions).flatMap(({ list, words }) => wasm.words(wordLists.indexOf(list), words));
}
