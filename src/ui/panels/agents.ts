/**
 * AGENTS: trained agents that the site ships, by world. Each can be watched, its training read, improved, or repeated
 * from random weights.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { AgentBase, ListedAgent, ShippedAgent, SuiteTable } from '../../session/shipped-agent.ts';
import { Agents } from '../control/agents.ts';
import { sentence } from '../control/notifier.ts';
import { Panel } from '../control/panel.ts';
import { curvesOf, fetchAgent, fetchGallery } from '../control/shipped-agents.ts';
import { episodeCount, parameterCount, stepCount } from '../kit/counts.ts';
import { bracketed, bytes, fixed, gap } from '../kit/format.ts';
import { currentLocale } from '../kit/locale.ts';
import { errorState, loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import {
  agentReward,
  agentSummary,
  agentTitle,
  evaluatedLabel,
  labelOfSuite,
  limitLabel,
  suiteDiffers,
  suiteLabel,
  suiteSentence,
  suiteStandIn,
  worldTitle,
} from '../state/labels.ts';
import { modelAtHand } from '../state/model-at-hand.ts';
import { type Fetched, none } from '../state/state.ts';
import { nextTask } from '../state/watch-view.ts';

const percent = (fraction: number) => (100 * fraction).toFixed(1);
const share = (fraction: number) => `${100 * fraction}%`;
const points = (fraction: number) => `${fraction < 0 ? '' : '+'}${percent(fraction)}`;
type Rate = NonNullable<ListedAgent['gain']>['before'];

/** Heading under which an agent is listed. */
const headingOf = ({ world, worlds }: ListedAgent) => (worlds ? msg('Several worlds') : worldTitle(world));

@customElement('tabgym-agents')
export class TabgymAgents extends Panel {
  static override styles = [
    controls,
    css`
      :host,
      .card {
        display: grid;
        gap: 12px;
      }
      :host,
      .card,
      .card section,
      ul.agents,
      .agent {
        grid-template-columns: minmax(0, 1fr);
      }
      p,
      li {
        overflow-wrap: anywhere;
      }
      ul.agents {
        list-style: none;
        display: grid;
        gap: 8px;
        padding: 0;
        margin: 0;
      }
      .agent {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        padding: 10px 12px;
        display: grid;
        gap: 6px;
      }
      h2,
      h3,
      h4 {
        margin: 0;
        font-size: inherit;
      }
      h2 {
        color: inherit;
        letter-spacing: normal;
        text-transform: none;
      }
      .title {
        display: flex;
        gap: 4px 10px;
        align-items: baseline;
        justify-content: space-between;
      }
      .figures {
        display: flex;
        flex-wrap: wrap;
        gap: 0 12px;
      }
      .figures + p {
        margin-block-start: -4px;
      }
      .table {
        overflow-x: auto;
        /* A table scrolls, so its numbers need not break. */
        overflow-wrap: normal;
      }
      img {
        max-width: 100%;
        height: auto;
        border-radius: var(--radius);
        background: #fff;
      }
      .gain {
        display: grid;
        grid-template-columns: max-content minmax(40px, 1fr) max-content;
        gap: 2px 8px;
        align-items: center;
      }
      .gain p {
        grid-column: 1 / -1;
      }
      .gain .track {
        position: relative;
        height: 10px;
        background: var(--line);
        border-radius: 2px;
      }
      .gain .bar {
        position: absolute;
        inset: 0 auto 0 0;
        background: var(--line-strong);
        border-radius: 2px;
      }
      .gain .bar.after {
        background: var(--accent);
      }
      .gain .interval {
        position: absolute;
        inset-block: 4px;
        background: var(--text);
      }
      h5 {
        margin: 0;
        font-size: inherit;
        font-weight: 600;
      }
      .card ul {
        margin: 0;
        padding-inline-start: 18px;
      }
    `,
  ];

  @state() private gallery: Fetched<readonly ListedAgent[]> = none;
  @state() private chosen: string | null = null;
  @state() private card: Fetched<ShippedAgent> = none;
  /** Task that each agent played last; every time it plays another one. */
  private readonly watched = new Map<string, number>();

  constructor() {
    super(['busy', 'phase', 'gpu', 'keptModels', 'model']);
  }

  override connectedCallback() {
    super.connectedCallback();
    if (this.gallery.state === 'none') void this.load();
    if (this.state.phase === 'ready') void this.app.models.refresh();
  }

  private async load() {
    this.gallery = { state: 'loading' };
    this.gallery = await fetchGallery().then(
      (value) => ({ state: 'ready', value }),
      (error) => ({ state: 'error', message: sentence(error) }),
    );
  }

  private async read(name: string) {
    this.chosen = name;
    this.card = { state: 'loading' };
    const card: Fetched<ShippedAgent> = await fetchAgent(name).then(
      (value) => ({ state: 'ready', value }),
      (error) => ({ state: 'error', message: sentence(error) }),
    );
    if (this.chosen === name) this.card = card;
  }

  private close() {
    this.chosen = null;
    this.card = none;
  }

  override render() {
    const { gallery } = this;
    if (gallery.state === 'error')
      return errorState(gallery.message, html`<button @click=${() => this.load()}>${msg('Try again')}</button>`);
    if (gallery.state !== 'ready') return loadingState(msg('Looking for agents'));
    if (!gallery.value.length)
      return html`<p class="soft">${msg('No agent is shipped with this page yet. Train one: press Train.')}</p>`;
    const titles = [...new Set(gallery.value.map(headingOf))];
    return html`<p>${msg('Trained by the code of this page: tiny policies from random weights, and adapters of a language model. Each is downloaded when you choose it, and plays held-out tasks: first one that it solves, if it solves any.')}</p>
      ${titles.map((title) => this.renderHeading(title, gallery.value))}`;
  }

  private renderHeading(title: string, agents: readonly ListedAgent[]) {
    return html`<h2>${title}</h2>
      <ul class="agents" aria-label=${msg(str`Agents of ${title}`)}>
        ${agents.filter((agent) => headingOf(agent) === title).map((agent) => this.renderAgent(agent))}
      </ul>`;
  }

  private renderAgent(agent: ListedAgent) {
    const { name, headline, base } = agent;
    const title = agentTitle(agent);
    const open = this.chosen === name;
    return html`<li><div class="agent" role="group" aria-label=${title}>
      <div class="title"><h3>${title}</h3>
        <button class="link small" aria-expanded=${open ? 'true' : 'false'} @click=${() => (open ? this.close() : void this.read(name))}>${msg('Model card')}</button></div>
      <p>${agentSummary(agent)}</p>
      ${headline ? this.renderHeadline(headline) : nothing}
      ${this.renderGain(agent)}
      ${base ? this.renderBase(base) : nothing}
      <div class="row">${this.renderActions(agent)}</div>
      ${open ? this.renderCard() : nothing}
    </div></li>`;
  }

  private renderHeadline({ label, success, score, chance, oracle }: NonNullable<ListedAgent['headline']>) {
    const rest = [msg(str`score ${fixed(score.mean)}`), msg(str`chance ${percent(chance)}%`)];
    if (oracle !== null) rest.push(msg(str`oracle ${percent(oracle)}%`));
    // An agent that completes no task is judged by its score.
    if (success.mean === 0)
      return html`<p class="small number figures"><span><strong>${msg(str`score ${fixed(score.mean)}`)}</strong> [${fixed(score.low)}, ${fixed(score.high)}]</span>
        <span>${msg('parts of a task; no whole task is completed in so few turns')}</span></p>
        <p class="small soft">${labelOfSuite(label)}</p>`;
    return html`<p class="small number figures"><span><strong>${msg(str`success ${percent(success.mean)}%`)}</strong> [${percent(success.low)}, ${percent(success.high)}]</span>
      ${rest.map((each) => html`<span>${each}</span>`)}</p>
      <p class="small soft">${labelOfSuite(label)}</p>`;
  }

  /** Two bars with their intervals: held-out success after imitation, and after the reward that followed. */
  private renderGain(agent: ListedAgent) {
    const { gain } = agent;
    const reward = agentReward(agent);
    if (!gain && !reward) return nothing;
    const bar = (words: string, which: string, { rate, low, high }: Rate) => html`<span>${words}</span>
      <div class="track" aria-hidden="true"><div class="bar ${which}" .style=${`width:${share(rate)}`}></div>
        <div class="interval" .style=${`left:${share(low)};width:${share(high - low)}`}></div></div>
      <span class="number">${percent(rate)}% <span class="soft">[${percent(low)}, ${percent(high)}]</span></span>`;
    return html`<div class="gain small">
      ${
        gain
          ? html`${bar(msg('after imitation'), 'before', gain.before)} ${bar(msg('after reward'), 'after', gain.after)}
        <p class="number">${this.gainWords(gain)}</p>`
          : nothing
      }
      ${reward ? html`<p class="soft">${reward}</p>` : nothing}
    </div>`;
  }

  private gainWords({ difference, test }: NonNullable<ListedAgent['gain']>) {
    const [by, low, high] = [difference.mean, difference.low, difference.high].map(points);
    return test
      ? msg(str`By reward ${by} points [${low}, ${high}], paired over ${difference.items} held-out tasks.`)
      : msg(str`By reward ${by} points [${low}, ${high}], as of independent episodes.`);
  }

  private renderBase(base: AgentBase) {
    const model = base.repository.split('/')[1];
    const { keptModels, model: found } = this.state;
    const here = modelAtHand(base, { keptModels, card: found.card }) !== null;
    return html`<p class="small soft">${
      here
        ? msg(str`An adapter of ${model}, which is stored here.`)
        : msg(
            str`An adapter of ${model}. The model (${bytes(base.bytes)}) is downloaded from the hub at first use. With a file of it on this computer, look that up under Language model first.`,
          )
    }</p>`;
  }

  private renderActions({ name, bytes: size, base, firstTask = 0 }: ListedAgent) {
    const agents = new Agents(this.app);
    const off = this.state.busy !== null || this.state.phase !== 'ready';
    const trains = !off && this.state.gpu?.supported;
    return html`<button class="primary" ?disabled=${off} title=${msg(str`Downloads ${bytes(size)} the first time`)} @click=${() => this.watch(agents, name, firstTask)}>${msg('Watch it')}</button>
      <button ?disabled=${!trains} title=${msg('A fork of its run that continues from its weights with another setting')} @click=${() => agents.improve(name)}>${msg('Improve it')}</button>
      <button ?disabled=${!trains} title=${base ? msg('The same experiment with a new adapter') : msg('The same experiment from random weights')} @click=${() => agents.fromNothing(name)}>${msg('From nothing')}</button>`;
  }

  private watch(agents: Agents, name: string, firstTask: number) {
    const before = this.watched.get(name);
    const { shuffled } = this.state.watchView;
    const task = before === undefined && !shuffled ? firstTask : nextTask(before ?? 0, shuffled);
    this.watched.set(name, task);
    void agents.watch(name, task);
  }

  private renderCard() {
    const { card } = this;
    if (card.state === 'error')
      return errorState(
        card.message,
        html`<button @click=${() => this.chosen && this.read(this.chosen)}>${msg('Try again')}</button>`,
      );
    if (card.state !== 'ready') return loadingState(msg('Loading its card'));
    const { name, parts, policy, cost, suites, data, limits, differs, improve, base } = card.value;
    const list = (heading: string, lines: readonly string[]) =>
      html`<section><h4>${heading}</h4><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`;
    // The headings are those of card.md (src/cli/agents/card.ts).
    return html`<div class="card small">
      ${currentLocale() === 'en' ? nothing : html`<p class="soft">${msg('The card is in English.')}</p>`}
      <section><h4>${msg('Model')}</h4><p class="number">${
        base
          ? msg(
              str`An adapter: ${parameterCount(policy.parameters)}, ${policy.weights}. Its model, frozen: ${base.repository} (${base.licence}).`,
            )
          : msg(str`${parameterCount(policy.parameters)}, a vocabulary of ${policy.words} words, ${policy.weights}.`)
      }</p></section>
      ${list(msg('Training'), parts)}
      <p class="number">${msg(str`${stepCount(cost.steps)} and ${episodeCount(cost.episodes)}: ${cost.flops.toExponential(1)} operations, ${fixed(cost.hours)} hours on ${cost.device}, a machine that other work shared.`)}</p>
      <img src=${curvesOf(name)} alt=${msg(str`Curves of the training of ${agentTitle(card.value)}`)} loading="lazy" />
      ${list(msg('Training data'), data)}
      <section><h4>${msg('Evaluation')}</h4>${suites.map((table) => this.renderSuite(table))}</section>
      ${list(msg('Differences from published agents'), differs)} ${list(msg('Limitations'), limits)}
      <section><h4>${msg('Further training')}</h4><p>${improve.words}</p></section>
    </div>`;
  }

  private renderSuite(table: SuiteTable) {
    const { name, limit, greedy, temperature, rows, published } = table;
    const label = suiteLabel(table);
    const standIn = suiteStandIn({ name, standIn: table.standIn ?? undefined });
    const guesses = rows.some(({ guess }) => guess);
    const how = greedy ? msg('greedy') : msg(str`sampled at temperature ${temperature}`);
    return html`<section><h5>${label}, ${how}</h5>
      <p>${suiteSentence(table)}${gap()}${msg(str`At most ${limitLabel(limit)}.`)}${gap()}${standIn}</p>
      <div class="table" tabindex="0" role="group" aria-label=${`${label}, ${how}`}><table>
        <thead><tr><th scope="col">${msg('Of')}</th><th scope="col">${msg('Items')}</th><th scope="col">${msg('Success, %')}</th><th scope="col">${msg('Score')}</th><th scope="col">${msg('Chance, %')}</th><th scope="col">${msg('Oracle, %')}</th>${guesses ? html`<th scope="col">${msg('Guessing oracle, %')}</th>` : nothing}</tr></thead>
        <tbody>${rows.map(
          ({ label: of, items, success, score, chance, oracle, guess }) =>
            html`<tr><th scope="row">${evaluatedLabel(of)}</th><td class="number">${items}</td>
              <td class="number">${percent(success.mean)} <span class="soft">[${percent(success.low)}, ${percent(success.high)}]</span></td>
              <td class="number">${fixed(score.mean, 3)}</td><td class="number">${percent(chance.mean)}</td>
              <td class="number">${oracle ? percent(oracle.mean) : '–'}</td>
              ${guess ? html`<td class="number">${percent(guess.mean)}</td>` : nothing}</tr>`,
        )}
        ${published?.rows.map(
          ([model, ...numbers]) =>
            html`<tr class="soft"><th scope="row">${model}${bracketed(msg('published'))}</th><td></td><td class="number">${fixed(numbers.at(-1) as number, 1)}</td><td></td><td></td><td></td>${guesses ? html`<td></td>` : nothing}</tr>`,
        )}</tbody></table></div>
      ${published ? html`<p class="soft">${published.source}. ${suiteDiffers(name, published)}</p>` : nothing}
    </section>`;
  }
}
