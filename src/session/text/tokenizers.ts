/**
 * Tokenizers of runs: a run's own if it has one; otherwise one built from its worlds' texts, once per set of worlds.
 */
import type { World, WorldOptions } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { buildTokenizer, Tokenizer } from '../../policy/text/tokenizer.ts';
import { worldModule } from '../../worlds/registry.ts';
import type { OpenWorld, Worlds } from '../opened-worlds.ts';
import { jsonFile } from '../stored-json.ts';
import { textsOf } from './vocabulary.ts';

/** Name of the world whose texts form the vocabulary: its own, or that of a world with the same texts. */
const vocabularyWorld = (name: string): string => worldModule(name).vocabulary?.as ?? name;

/** Options of the experiment's entries that use this world's vocabulary. */
const optionsOf = ({ worlds }: Pick<Experiment, 'worlds'>, name: string): WorldOptions[] =>
  worlds.flatMap((entry) => (vocabularyWorld(entry.name) === name ? [entry.options] : []));

/** Options of the experiment that the texts of this world depend on. */
const givenOptions = ({ worlds }: Experiment, name: string): WorldOptions[] =>
  worldModule(name).vocabulary?.play?.options === 'given' ? optionsOf({ worlds }, name) : [];

const thinks = ({ sampling }: Experiment) => sampling.thoughts > 0;
const readsNames = ({ policy }: Experiment) => 'wholeNames' in policy && policy.wholeNames;

export class Tokenizers {
  private readonly made = new Map<string, Promise<Tokenizer>>();

  constructor(private readonly openWorld: OpenWorld) {}

  /** `worlds`: the worlds that are already open. */
  of(
    experiment: Experiment,
    assets: { [name: string]: Uint8Array } | null,
    worlds: Worlds | null = null,
  ): Promise<Tokenizer> {
    const stored = assets?.['tokenizer.json'];
    if (stored) {
      const config = assets['tokenizer_config.json'];
      return Promise.resolve(
        new Tokenizer(jsonFile(stored, 'tokenizer.json'), config ? jsonFile(config, 'tokenizer_config.json') : {}),
      );
    }
    const names = [...new Set(experiment.worlds.map(({ name }) => vocabularyWorld(name)))].sort();
    const key = [
      ...names.map((name) => `${name} ${JSON.stringify(givenOptions(experiment, name))}`),
      `${thinks(experiment)}`,
      ...(readsNames(experiment) ? names.map((name) => JSON.stringify(optionsOf(experiment, name))) : []),
    ].join();
    const known = this.made.get(key) ?? this.make(experiment, worlds);
    this.made.set(key, known);
    known.catch(() => this.made.delete(key));
    return known;
  }

  private async make(experiment: Experiment, open: Worlds | null): Promise<Tokenizer> {
    const texts: string[] = [];
    const names: string[] = [];
    for (const name of new Set(experiment.worlds.map(({ name }) => vocabularyWorld(name)))) {
      const found = await this.textsOf(name, open?.get(name), givenOptions(experiment, name));
      texts.push(...found);
      if (readsNames(experiment))
        names.push(...((await worldModule(name).vocabulary?.names?.(found, optionsOf(experiment, name))) ?? []));
    }
    return buildTokenizer([...texts, ...names], { thinks: thinks(experiment), names });
  }

  private async textsOf(name: string, open: World | undefined, given: WorldOptions[]): Promise<Set<string>> {
    const world = open ?? (await this.openWorld(name));
    try {
      return await textsOf(world, worldModule(name), given);
    } finally {
      if (!open) await world.close();
    }
  }
}
