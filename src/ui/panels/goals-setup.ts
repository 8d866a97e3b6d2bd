/** Choice of training goals in the setup: shuffled epochs, or a rule with its fields. */
import { msg } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Knob } from '../../experiment/knob.ts';
import { knobs } from '../../experiment/knobs.ts';
import { readPath } from '../../experiment/paths.ts';
import { type GoalsSettings, newGoals } from '../../rl/goals/registry.ts';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import type { KnobChangeEvent } from './knob-field.ts';

const [ruleKnob, ...goalKnobs] = knobs.filter(({ section }) => section === 'goals');
/** Fields of every rule; they follow the rule's own. */
const sharedKnobs = goalKnobs.filter(({ rules }) => !rules);

@customElement('tabgym-goals-setup')
export class TabgymGoalsSetup extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: 6px;
      }
      button.link {
        justify-self: start;
      }
    `,
  ];

  constructor() {
    super(['draft', 'preset', 'presets', 'problems', 'run']);
  }

  override render() {
    const { draft } = this.state;
    if (!draft) return nothing;
    const { goals } = draft;
    if (!goals)
      return html`<p class="soft small">${msg('Training tasks come in shuffled epochs.')}</p>
        <button class="link" @click=${() => this.set(newGoals('frontier'))}>${msg('Choose tasks by a rule')}</button>`;
    const own = goalKnobs.filter(({ rules }) => rules?.includes(goals.rule));
    const shown = [ruleKnob, ...own, ...sharedKnobs];
    return html`<div @knob-change=${this.change}>${shown.map((each) => this.renderKnob(each, draft))}</div>
      <button class="link" @click=${() => this.set(undefined)}>${msg('Back to shuffled epochs')}</button>`;
  }

  private renderKnob(knob: Knob, draft: Experiment) {
    const { presets, preset, problems, run } = this.state;
    const value = readPath(draft, knob.path);
    const base = preset < 0 ? value : readPath(presets[preset], knob.path);
    const error = problems.filter(({ path }) => path === knob.path).map(({ message }) => message);
    return html`<tabgym-knob path=${knob.path} .of=${knob} .value=${value} .changed=${JSON.stringify(base) !== JSON.stringify(value)}
      .error=${error.join(' ')} .cost=${run && run.step > 0 ? msg('Changing it forks the run.') : ''}></tabgym-knob>`;
  }

  /** Another rule begins with the defaults of its own fields; an empty property is the first one. */
  private change(event: KnobChangeEvent) {
    if (event.path === 'goals.rule') this.set(newGoals(String(event.value)));
    else if (event.path === 'goals.by' && event.value === '') this.app.draft.edit(event.path, null);
    else return;
    event.stopPropagation();
  }

  private set(goals: GoalsSettings | undefined) {
    this.app.draft.edit('goals', goals);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tabgym-goals-setup': TabgymGoalsSetup;
  }
}
