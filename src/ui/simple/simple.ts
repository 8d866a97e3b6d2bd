/**
 * The simple arrangement: the world on the left, the story of the training on the right. Until the code of the story is
 * loaded, it has only its beginning, so that the first picture needs little code.
 */
import { msg } from '@lit/localize';
import { html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ChartZoomEvent, StepSelectEvent } from '../charts/plot-keys.ts';
import { Panel } from '../control/panel.ts';
import type { Shell } from '../control/shell.ts';
import { loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import './simple-stage.ts';
import type { StageTab } from '../state/selection.ts';
import { simpleStyles } from './styles.ts';
import { renderTerms } from './terms.ts';

/** Parts of this arrangement that need experiments and worlds (`story.ts`). */
export interface StoryParts {
  /** Stage of another tab than the world's, or the world before and after the training; null: the simple stage. */
  renderStage(): TemplateResult | null;
  render(): TemplateResult;
  renderSettings(): TemplateResult;
  choose(event: StepSelectEvent): void;
}

@customElement('tabgym-simple')
export class TabgymSimple extends Panel<Pick<Shell, 'store' | 'layout'>> {
  static override styles = [controls, simpleStyles];

  /** Makes the story, which requests an update of its host when it has changed; null until its code is loaded. */
  @property({ attribute: false }) makeStory: ((host: ReactiveControllerHost) => StoryParts) | null = null;
  private story: StoryParts | null = null;
  /** Tab of the stage at the last update. */
  private shownTab: StageTab = 'watch';

  constructor() {
    super([
      ...(['phase', 'gpu', 'run', 'draft', 'preset', 'status', 'statusDetail', 'progress', 'records'] as const),
      ...(['owner', 'busy', 'selection', 'settings', 'theme', 'systemDark', 'chartView', 'chartZoom'] as const),
      ...(['watching', 'live', 'kept', 'band'] as const),
    ]);
  }

  protected override willUpdate() {
    this.story ??= this.makeStory?.(this) ?? null;
  }

  override render() {
    const { settings, phase } = this.state;
    const choose = (event: StepSelectEvent) => {
      this.story?.choose(event);
      this.showStage();
    };
    return html`${settings && phase === 'ready' ? this.story?.renderSettings() : nothing}
      <div class="left">${this.renderLeft()}</div>
      <section class="story" aria-label=${msg('Training')} @step-select=${choose} @chart-zoom=${(event: ChartZoomEvent) => this.app.layout.zoomCharts(event.range)}>${this.story?.render() ?? this.renderBeginning()}</section>`;
  }

  protected override updated() {
    this.toggleAttribute('data-settings', this.state.settings);
    const { tab } = this.state.selection;
    if (tab !== this.shownTab && tab !== 'watch') this.showStage();
    this.shownTab = tab;
  }

  /** Scrolls to the stage, which a narrow page has above the story. */
  private showStage() {
    this.renderRoot.querySelector('.left')?.scrollIntoView({ block: 'start' });
  }

  private renderLeft() {
    const stage = html`<tabgym-simple-stage .app=${this.app} role="region" aria-label=${msg('Stage')}></tabgym-simple-stage>`;
    return this.story?.renderStage() ?? stage;
  }

  private renderBeginning() {
    return html`<h2 class="lead">${msg('An agent that knows nothing learns by trying.')}</h2>
      <div class="go">${loadingState(msg('Getting the agent ready'))}</div>
      ${renderTerms({ experiment: null, trained: false }, () => {})}`;
  }
}
