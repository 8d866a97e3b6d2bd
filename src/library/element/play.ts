/** A task that a person plays in the element, in a world of its own. */
import type { WorldOptions } from '../../envs/env.ts';
import type { ExperimentDocument } from '../experiment.ts';
import { host, type PlayedWorld } from './host.ts';
import type { ShownPlay } from './views.ts';

type World = NonNullable<ExperimentDocument['worlds']>[number];

async function openWorld(name: string, options: WorldOptions): Promise<PlayedWorld> {
  if (host.openWorld) return host.openWorld(name, options);
  const { createWorld } = await import('../worlds.ts');
  return createWorld(name, { options });
}

export class HandPlay {
  private constructor(
    private readonly world: PlayedWorld,
    readonly shown: ShownPlay,
  ) {}

  /** Begins a held-out task. */
  static async open({ name, options = {} }: World): Promise<HandPlay> {
    const world = await openWorld(name, options as WorldOptions);
    const { observation, validActions } = await world.reset({ split: 'test', task: 0 });
    const view = host.picture ? await world.view() : null;
    return new HandPlay(world, { turns: [], observation, view, done: false, choices: validActions ?? [] });
  }

  /** The play after an action. */
  async act(action: string): Promise<HandPlay> {
    const { world, shown } = this;
    const { observation, reward, done, validActions } = await world.step(action);
    const view = host.picture ? await world.view() : null;
    const choices = validActions === null ? shown.choices : (validActions ?? []);
    const turns = [...shown.turns, { action, observation, reward }];
    return new HandPlay(world, { ...shown, turns, view, done, choices });
  }

  close(): Promise<void> {
    return this.world.close();
  }
}
