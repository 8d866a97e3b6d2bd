/**
 * The world Web: the World interface over the simulated internet, with one browser per slot. Pages are parsed by the
 * DOM of a frame, or by a library on Node and in workers; observations are identical byte for byte.
 */
import {
  type Advice,
  type Feedback,
  type Split,
  type Task,
  type World,
  type WorldDescription,
  WorldError,
  type WorldOptions,
} from '../../envs/env.ts';
import { withPageCache } from './browser/page-memory.ts';
import type { ParsePage } from './browser/session.ts';
import { webDescription } from './description.ts';
import { Episode } from './episode.ts';
import { parseWebOptions, type WebOptions } from './options.ts';
import { heldOutFrom, idOf, instanceById, instancesEach, templates } from './tasks/index.ts';
import type { Template } from './tasks/template.ts';
import type { WebView } from './view-data.ts';

const maxSlots = 4096;

export class Web implements World {
  private readonly episodes = new Map<number, Episode>();

  private readonly parse: ParsePage;

  private constructor(parse: ParsePage) {
    this.parse = withPageCache(parse);
  }

  /** `parse`: parser of pages. Default: a library. */
  static async open(parse?: ParsePage): Promise<Web> {
    return new Web(parse ?? (await import('./browser/node-page.ts')).parseWithLibrary);
  }

  describe(): WorldDescription {
    return webDescription;
  }

  async tasks(options: WorldOptions, split: Split): Promise<Task[]> {
    const filled = parseWebOptions(options);
    return [...templates.entries()]
      .filter(([, template]) => isWanted(template, filled) && isInSplit(template, split, filled))
      .flatMap(([index, template]) =>
        numbersOf(split, filled).map((number) => taskOf(index, template, number, filled)),
      );
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    checkLengths('reset', slots, tasks);
    for (const slot of slots)
      if (!Number.isInteger(slot) || slot < 0 || slot >= maxSlots)
        throw new WorldError(`A slot must be a whole number from 0 to ${maxSlots - 1} (it is ${slot}).`);
    return slots.map((slot, k) => this.begin(slot, tasks[k]));
  }

  private begin(slot: number, { id, options }: Task): Feedback {
    const instance = instanceById(id);
    if (!instance)
      throw new WorldError(
        `The web's item ids must be whole numbers from 0 to ${templates.length * instancesEach - 1} (it is ${id}).`,
      );
    const episode = new Episode(instance, parseWebOptions(options), this.parse);
    this.episodes.set(slot, episode);
    return {
      observation: episode.observation(),
      reward: 0,
      done: false,
      valid: true,
      validActions: episode.validActions(),
    };
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    checkLengths('step', slots, actions);
    const episodes = slots.map((slot) => this.episode(slot));
    const answers: Feedback[] = [];
    for (const [k, episode] of episodes.entries()) answers.push(await act(episode, actions[k]));
    return answers;
  }

  async oracle(slots: readonly number[]): Promise<(string[] | null)[]> {
    return Promise.all(slots.map((slot) => this.episode(slot).plan()));
  }

  /** The thoughts are the lines of the page that the action depends on. */
  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    return Promise.all(slots.map((slot) => this.episode(slot).advice()));
  }

  async oracleIsListed(slots: readonly number[]): Promise<(boolean | null)[]> {
    return Promise.all(slots.map((slot) => this.episode(slot).planIsListed()));
  }

  async view(slot: number): Promise<WebView> {
    return viewOf(this.episode(slot));
  }

  async close(): Promise<void> {
    this.episodes.clear();
  }

  private episode(slot: number): Episode {
    const episode = this.episodes.get(slot);
    if (!episode) throw new WorldError(`World ${slot} has not begun: reset it with a task first.`);
    return episode;
  }
}

async function act(episode: Episode, action: string): Promise<Feedback> {
  if (episode.done)
    return { observation: 'The episode is over.', reward: episode.score ?? 0, done: true, valid: false };
  const { observation, reward, done, valid } = await episode.step(action);
  return { observation, reward, done, valid, validActions: episode.validActions() };
}

function isWanted({ name, sites, turns }: Template, options: WebOptions): boolean {
  const { templates: named, sites: allowed, turns: lengths } = options;
  if (named.length) {
    const unknown = named.find((one) => !templates.some((template) => template.name === one));
    if (unknown !== undefined)
      throw new WorldError(
        `The web has no template "${unknown}": options.templates names those of docs/worlds/web.md.`,
      );
    return named.includes(name);
  }
  return lengths.includes(turns) && sites.every((site) => (allowed as readonly string[]).includes(site));
}

/** True if the split uses the template. Held-out templates are used only for tests. */
const isInSplit = ({ heldOut }: Template, split: Split, { heldOutTemplates }: WebOptions) =>
  !heldOut || (split === 'test' && heldOutTemplates);

const numbersOf = (split: Split, { instances, testInstances }: WebOptions): number[] =>
  split === 'train'
    ? Array.from({ length: instances }, (_, k) => k)
    : Array.from({ length: testInstances }, (_, k) => heldOutFrom + k);

const taskOf = (index: number, template: Template, number: number, options: WebOptions): Task => ({
  world: 'web',
  id: idOf(index, number),
  options: options as WorldOptions,
  strata: {
    template: template.name,
    site: template.sites.length > 1 ? 'several' : template.sites[0],
    turns: template.turns,
    kind: template.heldOut ? 'held-out template' : template.feasible ? 'known template' : 'cannot be done',
  },
});

function viewOf(episode: Episode): WebView {
  const { browser, instance, previous, score, actions } = episode;
  const { entry, state } = browser;
  const seen = browser.observe();
  const tree = browser.pageTree();
  const all = new Map([...browser.page().body.querySelectorAll('*')].map((element, k) => [element, k]));
  const elementOf = (id: string) => all.get(tree.elements.get(id)!) ?? -1;
  const lines = seen.text
    .slice(seen.text.indexOf('\n\n') + 2)
    .split('\n')
    .map((text) => {
      const id = /^\t*\[(\d+)\]/.exec(text)?.[1] ?? '';
      return { text, id, element: elementOf(id) };
    });
  return {
    kind: 'web',
    text: `${instance.intent}\n\n${seen.text}`,
    objective: instance.intent,
    url: browser.url,
    tabs: state.tabs.map(({ history, at }, k) => ({ title: history[at].title, current: k === state.current })),
    html: entry.html,
    title: entry.title,
    controls: entry.controls,
    lines,
    acted: episode.acted ? elementOf(episode.acted) : -1,
    lastAction: previous,
    score,
    steps: actions.length,
  };
}

function checkLengths(call: string, slots: readonly number[], others: readonly unknown[]): void {
  if (slots.length !== others.length)
    throw new WorldError(`${call} needs one entry a slot: ${slots.length} slots, ${others.length} entries.`);
}
