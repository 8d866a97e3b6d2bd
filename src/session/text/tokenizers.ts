/** Tokenizers of runs: a run's own where it has one, else one made from its worlds' texts, once for the same worlds. */
import type { World } from '../../envs/env.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { buildTokenizer, Tokenizer } from '../../policy/text/tokenizer.ts';
import { worldModule } from '../../worlds/registry.ts';
import type { OpenWorld, Worlds } from '../opened-worlds.ts';
import { textsOf } from './vocabulary.ts';

/** Whose texts a world's vocabulary is made from: its own, or those of a world that says the same. */
const speakerOf = (name: string): string => worldModule(name).vocabulary?.as ?? name;

const thinks = ({ sampling }: Experiment) => sampling.thoughts > 0;
const readsNames = ({ policy }: Experiment) => 'wholeNames' in policy && policy.wholeNames;

export class Tokenizers {
  private readonly made = new Map<string, Promise<Tokenizer>>();

  constructor(private readonly openWorld: OpenWorld) {}

  /** `worlds`: where they are open already. */
  of(
    experiment: Experiment,
    assets: { [name: string]: Uint8Array } | null,
    worlds: Worlds | null = null,
  ): Promise<Tokenizer> {
    const stored = assets?.['tokenizer.json'];
    if (stored) return Promise.resolve(new Tokenizer(JSON.parse(new TextDecoder().decode(stored))));
    const key = [
      ...[...new Set(experiment.worlds.map(({ name }) => speakerOf(name)))].sort(),
      `${thinks(experiment)}`,
      `${readsNames(experiment)}`,
    ].join();
    const known = this.made.get(key) ?? this.make(experiment, worlds);
    this.made.set(key, known);
    known.catch(() => this.made.delete(key));
    return known;
  }

  private async make(experiment: Experiment, open: Worlds | null): Promise<Tokenizer> {
    const texts: string[] = [];
    const names: string[] = [];
    for (const name of new Set(experiment.worlds.map(({ name }) => speakerOf(name)))) {
      const heard = await this.textsOf(name, open?.get(name));
      texts.push(...heard);
      if (readsNames(experiment)) names.push(...(worldModule(name).vocabulary?.names?.(heard) ?? []));
    }
    return buildTokenizer(texts, { thinks: thinks(experiment), names });
  }

  private async textsOf(name: string, open: World | undefined): Promise<Set<string>> {
    const world = open ?? (await this.openWorld(name));
    try {
      return await textsOf(world);
    } finally {
      if (!open) await world.close();
    }
  }
}
