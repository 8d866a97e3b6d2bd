/**
 * The embedded view (`?embed`): the package's element `<tab-gym>`, with pictures of the worlds and this page's trainer.
 * The address names what is shown, as it does for the whole page: an experiment (`x`, `preset`, `seed`), a stored run
 * (`run`), a run of this site (`shipped`), and a place in it. Nothing trains before a click, and no code of an experiment
 * runs: the page around may have tricked a person into the click (clickjacking).
 */
import { msg, str } from '@lit/localize';
import { html, render } from 'lit';
import type { Experiment } from '../../experiment/experiment.ts';
import { host } from '../../library/element/host.ts';
import type { ShownTurn } from '../../library/element/views.ts';
import type { TabGymElement } from '../../library/element.ts';
import '../../library/element.ts';
import { Trainer } from '../../library/trainer.ts';
import type { TrainerApi } from '../../session/protocol.ts';
import { checkedExperiment, runOf } from '../control/links.ts';
import { firstTask } from '../control/shipped-agents.ts';
import { importShipped } from '../control/shipped-runs.ts';
import { fetchSiteJson } from '../control/site-file.ts';
import { askedDevice } from '../state/device.ts';
import { addressOutside } from '../state/embedded-view.ts';
import { type PageLink, parseLink, unpackExperiment } from '../state/link.ts';
import { firstPresetIn } from '../state/newcomer.ts';
import { formatHash, parseHash, type StageTab, showsEpisodes } from '../state/selection.ts';
import { openClient } from './open-client.ts';
import '../worlds/world-view.ts';

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

const absentText = (shipped: string | null) =>
  shipped === null
    ? msg('The run of this view is not stored in this browser, and the address carries no experiment.')
    : msg(str`This site has no trained agent “${shipped}”, or it could not be loaded.`);

/** Plays by hand in the trainer's worker. */
const handPlay =
  (api: TrainerApi): typeof host.openWorld =>
  async (name, options) => {
    let frame = await api.playReset({ name, options, split: 'test', index: 0 });
    const feedback = () => ({ ...frame, validActions: frame.actions ?? undefined });
    return {
      reset: async () => feedback(),
      async step(action) {
        frame = await api.playStep(action);
        return feedback();
      },
      view: async () => frame.view,
      close: async () => {},
    };
  };

/** The trainer of this page's worker, and its calls. */
async function openTrainer(onRestart: () => void): Promise<{ api: TrainerApi; trainer: Trainer }> {
  const client = await openClient(location.search); // not a kind: the address's query
  const { api } = client;
  const start: TrainerApi['start'] = (listener) =>
    client.start((events) => {
      for (const event of events) listener(event);
    }, onRestart);
  const service = new Proxy(api, { get: (target, name) => (name === 'start' ? start : Reflect.get(target, name)) });
  const opened = { service, lost: new Promise<never>(() => {}), close: async () => {} };
  const { trainer } = await Trainer.over(opened, { device: askedDevice() ?? 'auto' });
  return { api, trainer };
}

/** Experiment that the address names; null: none. */
async function linkedExperiment({ experiment, preset, seed }: PageLink, presets: readonly Experiment[]) {
  if (experiment === null && preset === null && seed === null) return null;
  const named = preset === null ? presets[firstPresetIn(presets)] : presets.find(({ name }) => name === preset);
  if (experiment === null && !named)
    throw new Error(msg(str`This link names the preset “${preset}”, which does not exist here.`));
  const document = experiment === null ? named : await unpackExperiment(experiment);
  const checked = checkedExperiment(document);
  if (checked.sweep)
    throw new Error(msg('This link is a sweep of several runs; this view shows one. Open it in Tabgym.'));
  return seed === null ? checked : checkedExperiment({ ...checked, seed });
}

class EmbeddedPage {
  private readonly element = document.createElement('tab-gym') as TabGymElement;
  private readonly heading = document.createElement('h1');
  /** Incremented whenever the address changes, so that late answers are dropped. */
  private turn = 0;

  constructor() {
    const { element, heading } = this;
    for (const name of ['controls', 'tabs', 'autoplay', 'fill']) element.toggleAttribute(name, true);
    const theme = localStorage.getItem('tabgym.theme');
    if (theme === 'light' || theme === 'dark') element.setAttribute('theme', theme);
    heading.className = 'visually-hidden';
    heading.textContent = 'Tabgym';
    const stage = document.createElement('h2');
    [stage.className, stage.textContent] = ['visually-hidden', msg('Stage')];
    const main = document.createElement('main');
    main.append(heading, stage, element);
    document.body.replaceChildren(main);
    document.documentElement.dataset.embedded = '';
    this.takePlace();
    element.addEventListener('tabgym-ready', (event) => {
      heading.textContent = (event as CustomEvent<{ name: string }>).detail.name;
    });
    new MutationObserver(() => this.writeHash()).observe(element, { attributes: true });
    addEventListener('hashchange', () => void this.show());
  }

  /** Sets the place of the address as attributes of the element. */
  private takePlace(): void {
    const { tab, step, group, member, turn, token } = parseHash(location.hash);
    const place = { view: tab, step, group, member, turn, token };
    for (const [name, value] of Object.entries(place))
      if (value === null) this.element.removeAttribute(name);
      else if (this.element.getAttribute(name) !== String(value)) this.element.setAttribute(name, String(value));
    this.element.setAttribute('page', addressOutside());
  }

  /** Puts the shown place into the address, and into the link to the whole page. */
  private writeHash(): void {
    const whole = (name: string) => Number(this.element.getAttribute(name) ?? 0);
    const before = parseHash(location.hash);
    const tab = this.element.view as StageTab;
    const step = this.element.hasAttribute('step') ? whole('step') : null;
    const token = this.element.hasAttribute('token') ? whole('token') : null;
    const place = showsEpisodes(tab)
      ? { step, group: whole('group'), member: whole('member'), turn: whole('turn'), token }
      : {};
    const query = new URLSearchParams(location.hash.slice(1));
    for (const name of Object.keys(before)) query.delete(name);
    for (const [name, value] of new URLSearchParams(formatHash({ ...before, ...place, tab }).slice(1)))
      query.set(name, value);
    history.replaceState(history.state, '', `#${query}`);
    if (this.element.getAttribute('page') !== addressOutside()) this.element.setAttribute('page', addressOutside());
  }

  /** Shows what the address names. */
  async show(): Promise<void> {
    const mine = ++this.turn;
    this.takePlace();
    try {
      const { api, trainer } = await this.trainer();
      const subject = await this.subject(api, trainer);
      if (mine === this.turn) await subject();
    } catch (error) {
      if (mine === this.turn) this.element.refuse(sentence(error));
    }
  }

  private opened: ReturnType<typeof openTrainer> | null = null;

  private trainer() {
    this.opened ??= openTrainer(() => void this.show());
    const { opened } = this;
    host.trainer = async () => (await opened).trainer;
    host.openWorld = async (...given) => handPlay((await opened).api)!(...given);
    return opened;
  }

  /** What the address names, ready to be shown. */
  private async subject(api: TrainerApi, trainer: Trainer): Promise<() => unknown> {
    const { element } = this;
    const link = parseLink(location.hash);
    const { run } = parseHash(location.hash);
    const [presets, runs] = await Promise.all([api.presets(), api.listRuns()]);
    const stored =
      runOf(runs, run)?.id ?? (link.shipped && (await importShipped(api, link.shipped, runs).catch(() => '')));
    if (stored) {
      const opened = await trainer.openRun(stored);
      // A run without recorded episodes plays a task.
      if (!(await opened.trajectorySteps()).length) element.setAttribute('task', String(await firstTask(link.shipped)));
      return () => element.open({ run: opened });
    }
    const linked = await linkedExperiment(link, presets);
    if (linked) return () => element.open({ document: { ...linked } });
    if (run !== null || link.shipped !== null) return () => element.refuse(absentText(link.shipped));
    return () => this.showSample(presets[firstPresetIn(presets)]);
  }

  /** The first preset, with an episode that was recorded elsewhere. */
  private async showSample(experiment: Experiment): Promise<void> {
    const { element, turn } = this;
    await element.open({ document: { ...experiment } });
    const [{ file }] = (await fetchSiteJson('samples.json')) as { file: string }[];
    const { turns } = (await fetchSiteJson(file)) as { turns: ShownTurn[] };
    if (turn === this.turn) element.playTurns(turns);
  }
}

/** Sentence and link for a tab that needs the panels of the whole page: the frame has neither files nor a conversation. */
const onlyOutside = () => {
  const text = document.createElement('p');
  text.textContent = msg('This view needs the whole page. Open it in Tabgym.');
  const link = document.createElement('a');
  [link.href, link.target, link.rel] = [addressOutside(), '_blank', 'noopener'];
  link.textContent = msg('Open in Tabgym');
  text.append(' ', link);
  return text;
};

host.picture = (view, place) => render(view && html`<tabgym-world-view .view=${view}></tabgym-world-view>`, place);
host.explain = (error) =>
  error.name === 'NotAllowedError'
    ? msg('This experiment contains custom code, which an embedded view does not run. Open it as a full page.')
    : error.message;
host.views = {
  read: { label: msg('Read'), draw: onlyOutside },
  talk: { label: msg('Talk'), draw: onlyOutside },
};

await new EmbeddedPage().show();
