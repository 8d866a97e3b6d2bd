/** Tokenizers of runs: a run's own where it has one, else one made from its worlds' texts, once for the same worlds. */
import type { World } from '../envs/env.ts';
import { worldModule } from '../envs/registry.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { buildTokenizer, Tokenizer } from '../policy/text/tokenizer.ts';
import { closeWorlds, type OpenWorld, openWorlds, type Worlds } from './opened-worlds.ts';
import { textsOf } from './vocabulary.ts';

/** Whose texts a world's vocabulary is made from: its own, or those of a world that says the same. */
const speakerOf = (name: string): string => worldModule(name).vocabulary?.as ?? name;

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
    const key = [...new Set(experiment.worlds.map(({ name }) => speakerOf(name)))].sort().join();
    const known = this.made.get(key) ?? this.make(experiment, worlds);
    this.made.set(key, known);
    known.catch(() => this.made.delete(key));
    return known;
  }

  private async make(experiment: Experiment, open: Worlds | null): Promise<Tokenizer> {
    const worlds = open ?? (await openWorlds(experiment, this.openWorld));
    try {
      const texts: string[] = [];
      for (const [name, world] of worlds) texts.push(...(await this.textsOf(name, world)));
      return buildTokenizer(texts);
    } finally {
      if (!open) await closeWorlds(worlds);
    }
  }

  private async textsOf(name: string, world: World): Promise<Set<string>> {
    const speaker = speakerOf(name);
    if (speaker === name) return textsOf(world);
    const other = await this.openWorld(speaker);
    try {
      return await textsOf(other);
    } finally {
      await other.close();
    }
  }
}
