/** Reads worlds that a person typed: JavaScript files, and `.tabworld` files of the page's library. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { WorldOptions } from '../envs/env.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { readWorldFile } from '../experiment/world-file.ts';
import { typedWorld } from '../worlds/registry.ts';
import { CommandError } from './command-error.ts';

/** Options of the typed world of a file. */
export function ownWorldOptions(file: string): WorldOptions {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new CommandError(`${file} cannot be read as a world: ${(error as Error).message}`);
  }
  if (!file.endsWith('.tabworld')) return { code: text };
  try {
    return readWorldFile(text, basename(file)).options;
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

/** Title of the typed world of a file: its name without the ending. */
export const ownWorldTitle = (file: string): string => basename(file).replace(/\.\w+$/, '');

/** Worlds of an experiment in the typed world of a file. */
export const ownWorlds = (file: string): Experiment['worlds'] => [
  { name: typedWorld().name, weight: 1, evaluated: true, options: ownWorldOptions(file) },
];
