/**
 * LEARN: the method's cards, whose formulas show the numbers of the selected place, and the lessons. Loaded on demand.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import { algorithmOf, cardsOf } from '../../rl/algorithms/registry.ts';
import { goalCard } from '../../rl/goals/card.ts';
import { isActive } from '../control/events.ts';
import { Panel } from '../control/panel.ts';
import { highlight } from '../state/highlight.ts';
import '../lessons/lessons.ts';
import '../lessons/lesson-part.ts';
import '../stage/alternatives.ts';
import './update-motion.ts';
import { controls } from '../kit/styles/shared.ts';
import { tabStyles } from '../kit/styles/tabs.ts';
import { tabList } from '../kit/tabs.ts';
import { tokenText } from '../stage/tokens.ts';
import { type Place, placeOf } from '../state/place.ts';
import type { LearnTab } from '../state/state.ts';
import { renderCard } from './card.ts';
import { partAt, slowMotion } from './slow-motion.ts';
import { learnStyles } from './styles.ts';
import { renderWeights, renderWhy } from './why.ts';

const order: readonly LearnTab[] = ['lessons', 'cards', 'compare', 'assignment'];

@customElement('tabgym-learn')
export class TabgymLearn extends Panel {
  static override styles = [controls, tabStyles, learnStyles];

  /** True from an update in slow motion until the next token is selected. */
  @state() private justUpdated = false;

  @state() private loaded: ReadonlySet<LearnTab> = new Set();

  constructor() {
    super(['learn', 'selection', 'detail', 'records', 'run', 'draft', 'inspection', 'tokenTexts', 'status', 'busy']);
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.app.navigation.load();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    highlight(null);
  }

  override render() {
    const learn = this.state.learn ?? 'lessons';
    const labels: { [tab in LearnTab]: string } = {
      cards: msg('Cards'),
      lessons: msg('Lessons'),
      compare: msg('Compare'),
      assignment: msg('Assignment'),
    };
    return html`<div class="bar">
        ${tabList(this, { label: msg('Learn'), order, labels, chosen: learn, choose: (tab) => this.choose(tab) })}
        <button class="quiet" aria-label=${msg('Close Learn')} @click=${() => this.app.layout.openLearn(null)}>✕</button>
      </div>
      <div role="tabpanel" id="panel" aria-labelledby=${`tab-${learn}`}>${this.renderTab(learn)}</div>`;
  }

  private renderTab(learn: LearnTab) {
    if (learn === 'lessons') return html`<tabgym-lessons .app=${this.app}></tabgym-lessons>`;
    if (learn === 'cards') return html`<tabgym-lesson-part .app=${this.app}></tabgym-lesson-part>${this.renderCards()}`;
    // Few visitors open these, so their code is loaded when they do.
    if (learn === 'compare') {
      if (this.loaded.has(learn)) return html`<tabgym-compare .app=${this.app}></tabgym-compare>`;
      void import('./compare.ts').then(() => this.add(learn));
    } else {
      if (this.loaded.has(learn)) return html`<tabgym-assignment .app=${this.app}></tabgym-assignment>`;
      void import('../classroom/assignment.ts').then(() => this.add(learn));
    }
    return nothing;
  }

  private add(tab: LearnTab) {
    this.loaded = new Set([...this.loaded, tab]);
  }

  private choose(tab: LearnTab) {
    this.app.layout.openLearn(tab);
    void this.app.navigation.load();
  }

  private renderCards() {
    const place = placeOf(this.state);
    if (!place.settings) return html`<p class="intro">${msg('Choose a preset first.')}</p>`;
    const part = partAt(place, this.justUpdated);
    const goals = place.experiment?.goals;
    const cards = [...(goals ? [goalCard(goals)] : []), ...cardsOf(place.settings)];
    const more: { readonly [part: string]: unknown } = {
      act: html`<tabgym-alternatives .app=${this.app}></tabgym-alternatives>`,
      objective: renderWhy(this.app, place),
      update: renderWeights(place.inspection, place),
    };
    return html`<div class="cards">
      <p class="intro">${msg(str`How ${algorithmOf(place.settings).label} learns, with the numbers of your selection.`)}</p>
      <p class="place number" role="status">${this.placeText(place)}</p>
      ${slowMotion(this.app, place, () => void this.oneUpdate())}
      <tabgym-update-motion .members=${place.members} .inspection=${place.inspection}></tabgym-update-motion>
      ${cards.map((card) => renderCard(card, place, { active: card.part === part, more: more[card.part] }))}
    </div>`;
  }

  private placeText({ step, trajectory, token }: Place) {
    if (step === null) return msg('No step yet. Train one to see its numbers in the formulas.');
    if (!trajectory) return msg(str`Step ${step}`);
    const episode = msg(str`Step ${step}, group ${trajectory.group + 1}, episode ${trajectory.member + 1}`);
    if (token === null) return episode;
    const text = tokenText(this.state.tokenTexts, trajectory.tokens[token]).trim() || '↵';
    return html`${episode}, <span class="mono">“${text}”</span>`;
  }

  /** Trains one step, then compares the weights before and after it. */
  private async oneUpdate() {
    const before = this.state.records.at(-1)?.step ?? 0;
    this.app.navigation.select({ step: null, tab: 'group' });
    await this.app.train({ steps: 1 });
    await this.untilQuiet();
    if ((this.state.records.at(-1)?.step ?? 0) <= before) return;
    this.justUpdated = true;
    await this.app.navigation.load();
    await this.app.navigation.inspectUpdate();
  }

  /** Resolves when the run is no longer active: the step was committed or refused. */
  private untilQuiet(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.app.store.listen(() => {
        if (isActive(this.state.status)) return;
        stop();
        resolve();
      });
      if (!isActive(this.state.status)) {
        stop();
        resolve();
      }
    });
  }

  private seenPart: string | null = null;

  /** Scrolls to the card of the selected place. */
  protected override updated() {
    const active = this.renderRoot.querySelector<HTMLElement>('.card.active');
    const part = active?.dataset.part ?? null;
    if (part !== this.seenPart) active?.scrollIntoView({ block: 'nearest' });
    this.seenPart = part;
  }

  protected override willUpdate() {
    if (this.state.selection.token !== null) this.justUpdated = false;
  }
}
