/**
 * Client of the worlds of tools: the World interface over the instances of one family. Handles tasks, slots and options;
 * the rules are in `episode.ts`, the data and tools in the family's folder.
 */
import {
  type Feedback,
  type Json,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { chooseNamed } from '../../envs/named.ts';
import type { OptionsReader } from '../../envs/options.ts';
import { mixSeeds, Random } from '../../envs/random.ts';
import type { ToolFamily } from './family.ts';
import { NativeEpisode } from './native-episode.ts';
import { firstHeldOut, type ToolsOptions } from './options.ts';
import { OriginalEpisode } from './original-episode.ts';
import { functionOf } from './tool.ts';
import type { ToolsView } from './view-data.ts';

/** Room for templates in a task's id: another template changes no other task. */
const templateRoom = 64;

/** Maximum number of instances of a template, training and held-out. */
const mostNumbers = 2 * firstHeldOut;

type Episode = NativeEpisode | OriginalEpisode;

export class ToolWorld implements World {
  private readonly episodes = new Map<number, Episode>();

  constructor(
    private readonly description: WorldDescription,
    private readonly parse: OptionsReader<ToolsOptions>,
    private readonly family: ToolFamily,
  ) {}

  describe(): WorldDescription {
    return this.description;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = this.parse(given);
    const wanted = this.wanted(options, split);
    const [first, count] = split === 'train' ? [0, options.instances] : [firstHeldOut, options.testInstances];
    return Array.from({ length: count }, (_, k) => first + k).flatMap((number) =>
      wanted.map((index) => ({
        world: this.description.name,
        id: number * templateRoom + index,
        options: options as unknown as WorldOptions,
        strata: { kind: this.family.templates[index].kind },
      })),
    );
  }

  /** Indices of the templates in a split. */
  private wanted({ templates: names, heldOutTemplates }: ToolsOptions, split: Split): number[] {
    const withHeldOut = split === 'test' && heldOutTemplates;
    const { templates } = this.family;
    const { title: world } = this.description;
    return chooseNamed(templates, { names, withHeldOut, world, what: 'template' }).map((each) =>
      templates.indexOf(each),
    );
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    return slots.map((slot, k) => {
      const episode = this.open(tasks[k]);
      this.episodes.set(slot, episode);
      return episode.begin();
    });
  }

  private open({ id, options: given, strata }: Task): Episode {
    const options = this.parse(given);
    const { templates, tools, original } = this.family;
    const [index, number] = [id % templateRoom, Math.floor(id / templateRoom)];
    if (!Number.isSafeInteger(id) || id < 0 || index >= templates.length || number >= mostNumbers)
      throw new WorldError(
        `A task of ${this.description.title} is ${templateRoom} × number + template, with a template from 0 to ${templates.length - 1} and a number below ${mostNumbers} (it is ${id}).`,
      );
    const random = new Random(mixSeeds(options.seed, index, number));
    const draw = { random, heldOut: number >= firstHeldOut, options };
    const instance = templates[index].make(draw);
    if (strata.again) instance.restartedWithoutItem?.();
    return options.upstream
      ? new OriginalEpisode(instance, tools, options, original)
      : new NativeEpisode(instance, tools, options);
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, k) => this.episode(slot).step(actions[k]));
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => this.episode(slot).plan());
  }

  async view(slot: number): Promise<ToolsView> {
    return this.episode(slot).view();
  }

  /** For `tools`: the tools as OpenAI's `tools` list them. */
  async inspect(_slot: number, what: string): Promise<Json> {
    if (what !== 'tools') throw new WorldError(`${this.description.title} cannot inspect "${what}": only "tools".`);
    return this.family.tools.map(functionOf) as unknown as Json;
  }

  async close(): Promise<void> {
    this.episodes.clear();
  }

  private episode(slot: number): Episode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`Slot ${slot} of ${this.description.title} has no episode: reset it first.`);
    return episode;
  }
}
