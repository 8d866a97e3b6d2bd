/**
 * Client of the phone: the World interface over the instances of its templates. Handles tasks, slots and options; the
 * rules of an episode are in `episode.ts`.
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
import { mixSeeds, Random } from '../../envs/random.ts';
import { type Draw, drawCatalogue, drawState } from './data.ts';
import { phoneDescription } from './description.ts';
import { PhoneEpisode } from './episode.ts';
import { fullText } from './observe.ts';
import { firstHeldOut, type PhoneOptions, parsePhoneOptions } from './options.ts';
import { appNames } from './state.ts';
import { type Numbered, templateRoom, templates } from './tasks/templates.ts';
import type { PhoneView } from './view-data.ts';

/** Maximum number of instances of a template, training and held-out. */
const mostNumbers = 2 * firstHeldOut;

/** The world Phone; create it with `PhoneWorld.open()`. */
export class PhoneWorld implements World {
  private readonly episodes = new Map<number, PhoneEpisode>();

  static async open(): Promise<PhoneWorld> {
    return new PhoneWorld();
  }

  describe(): WorldDescription {
    return phoneDescription;
  }

  async tasks(given: WorldOptions, split: Split): Promise<Task[]> {
    const options = parsePhoneOptions(given);
    const wanted = wantedTemplates(options, split);
    const [first, count] = split === 'train' ? [0, options.instances] : [firstHeldOut, options.testInstances];
    return Array.from({ length: count }, (_, k) => first + k).flatMap((instance) =>
      wanted.map(({ number, template }) => ({
        world: phoneDescription.name,
        id: instance * templateRoom + number,
        options: options as unknown as WorldOptions,
        strata: { kind: template.column },
      })),
    );
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    return slots.map((slot, k) => {
      const episode = openTask(tasks[k]);
      this.episodes.set(slot, episode);
      return episode.begin();
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, k) => this.episode(slot).step(actions[k]));
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return slots.map((slot) => this.episode(slot).plan());
  }

  async view(slot: number): Promise<PhoneView> {
    return this.episode(slot).view();
  }

  /** For `screen`: the screen in full. For `state`: the state of the phone. */
  async inspect(slot: number, what: string): Promise<Json> {
    const { phone } = this.episode(slot);
    if (what === 'screen') return fullText(phone);
    if (what === 'state') return structuredClone(phone.state) as unknown as Json;
    throw new WorldError(`The phone cannot inspect "${what}": only "screen" and "state".`);
  }

  async close(): Promise<void> {
    this.episodes.clear();
  }

  private episode(slot: number): PhoneEpisode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`Slot ${slot} of the phone has no episode: reset it first.`);
    return episode;
  }
}

/** Templates of a split under these options: those named, or else all of some columns. */
function wantedTemplates({ templates: names, columns, heldOutTemplates }: PhoneOptions, split: Split): Numbered[] {
  const withHeldOut = split === 'test' && heldOutTemplates;
  const named = chooseNamed(
    templates.map(({ template }) => template),
    { names, withHeldOut, world: 'The phone', what: 'template' },
  );
  return templates.filter(
    ({ template }) => named.includes(template) && (names.length || columns.includes(template.column)),
  );
}

function openTask(task: Task): PhoneEpisode {
  const { id, options: given } = task;
  const options = parsePhoneOptions(given);
  const [number, instance] = [id % templateRoom, Math.floor(id / templateRoom)];
  const found = templates.find((each) => each.number === number);
  if (!Number.isSafeInteger(id) || id < 0 || !found || instance >= mostNumbers)
    throw new WorldError(
      `A task of the phone is ${templateRoom} × instance + template, with the number of a template and an instance below ${mostNumbers} (it is ${id}).`,
    );
  const random = new Random(mixSeeds(options.seed, number, instance));
  const draw: Draw = { random, heldOut: instance >= firstHeldOut, options };
  const data = drawCatalogue(draw);
  const state = drawState(data, draw);
  const offered = random.chance(options.popups) ? random.pick(appNames) : undefined;
  const made = found.template.make({ ...draw, data, state });
  const again = () => openTask({ ...task, options: { ...given, stepReward: true } });
  return new PhoneEpisode(data, state, { ...made, offer: made.offer ?? offered }, options, again);
}
