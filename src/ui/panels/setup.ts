/**
 * SETUP: presets, all knobs of the registry, differences from the preset, the consequence of a change, and the memory
 * plan.
 * Long because it draws each section of the experiment.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, state } from 'lit/decorators.js';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Knob, KnobSection } from '../../experiment/knob.ts';
import { findKnob, knobs } from '../../experiment/knobs.ts';
import { differences, readPath } from '../../experiment/paths.ts';
import { isActive } from '../control/events.ts';
import { isReached } from '../control/world-servers.ts';
import { colon } from '../kit/format.ts';
import { type Pending, pendingChanges } from '../state/changes.ts';
import './knob-field.ts';
import { memoryPlan, planStyles } from './memory-plan.ts';
import { namesOf, restartText } from './pending-text.ts';
import './reward-setup.ts';
import './sweep-setup.ts';
import './objective-field.ts';
import './world-field.ts';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import { isLocked } from '../state/assignment.ts';
import { knobLabel, knobSentence, presetDescription, presetTitle } from '../state/labels.ts';
import type { State } from '../state/state.ts';
import type { KnobChangeEvent } from './knob-field.ts';

const order: readonly KnobSection[] = [
  'run',
  'world',
  'horizon',
  'stages',
  'reward',
  'goals',
  'algorithm',
  'sampling',
  'optimizer',
  'policy',
  'evaluation',
  'sweep',
];

const sectionNames = (): { [section in KnobSection]: string } => ({
  run: msg('Run'),
  world: msg('World'),
  horizon: msg('Horizon'),
  stages: msg('Earlier stages'),
  reward: msg('Reward'),
  goals: msg('Goals'),
  algorithm: msg('Algorithm'),
  sampling: msg('Sampling'),
  optimizer: msg('Optimiser'),
  policy: msg('Policy'),
  evaluation: msg('Evaluation'),
  sweep: msg('Sweep'),
});

/** Maximum number of characters shown of a changed text, for example of code. */
const longest = 80;

const show = (value: unknown): string => {
  if (value === undefined) return '–';
  if (value !== null && typeof value === 'object' && 'oraclePlus' in value)
    return msg(str`oracle + ${(value as { oraclePlus: number }).oraclePlus}`);
  if (typeof value !== 'string') return JSON.stringify(value);
  return value.length > longest ? `${value.slice(0, longest)}…` : value;
};

/** True if the draft's world, policy and algorithm have the knob. */
const belongs = ({ worlds, policies, algorithms, rules }: Knob, path: string, draft: Experiment) =>
  (!worlds || worlds.includes(readPath(draft, path.replace(/\.options\..*$/, '.name')) as string)) &&
  (!policies || policies.includes(draft.policy.kind)) &&
  (!algorithms || algorithms.includes(draft.algorithm.name)) &&
  (!rules || rules.includes(draft.goals?.rule ?? ''));

/** Knobs for the files that an algorithm learns from. A stage shows these and no other knobs of its algorithm. */
const filesOf = (name: string) => knobs.filter(({ file, algorithms }) => file && algorithms?.includes(name));

/** True if the world uses a server. Also loads the fields for it, which most worlds do not need. */
const reachedOverLine = ({ name, options }: Experiment['worlds'][number]) => {
  const asks = isReached(name, options);
  if (asks) void import('./connection.ts');
  return asks;
};

@customElement('tabgym-setup')
export class TabgymSetup extends Panel {
  static override styles = [
    controls,
    planStyles,
    css`
      .inner {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 10px;
        padding: 12px;
      }
      section {
        border-block-start: 1px solid var(--line);
        padding-block-start: 8px;
      }
      section > h2 {
        margin-block-end: 4px;
      }
      details > summary {
        cursor: pointer;
        color: var(--text-2);
        font-size: var(--size-s);
        min-height: 24px;
        line-height: 24px;
      }
      .pending {
        position: sticky;
        top: 4px;
        z-index: 1;
        box-shadow: var(--shadow-high);
      }
      .preset {
        display: grid;
        gap: 4px;
      }
      .preset select {
        width: 100%;
        font-weight: 600;
      }
      .stage {
        display: grid;
        grid-template-columns: 1fr auto;
        align-items: start;
      }
      .entry + .entry {
        border-block-start: 1px dashed var(--line);
        margin-block-start: 6px;
        padding-block-start: 4px;
      }
      .filter {
        width: 100%;
      }
      button.link {
        white-space: normal;
        text-align: start;
      }
      .badge.changed {
        background: var(--accent-soft);
        color: var(--accent);
      }
      .list {
        list-style: none;
        display: grid;
        gap: 2px;
        font-size: var(--size-s);
        overflow-wrap: anywhere;
      }
      .list td,
      .list th {
        padding: 2px 4px;
      }
    `,
  ];

  @state() private goalsLoaded = false;
  @state() private advanced = false;
  @state() private models = false;
  @state() private wanted = '';
  private shown: State['offered'] = null;
  private shownFor = 0;

  constructor() {
    super([
      'draft',
      'preset',
      'presets',
      'problems',
      'plan',
      'run',
      'status',
      'gpu',
      'busy',
      'offered',
      'modelsWanted',
      'link',
      'assignment',
    ]);
  }

  override render() {
    const { draft } = this.state;
    if (!draft) return html`<div class="state">${msg('No preset could be loaded.')}</div>`;
    const pending = pendingChanges(this.state.run, draft);
    return html`<div class="inner" @knob-change=${(event: KnobChangeEvent) => this.app.draft.edit(event.path, event.value)}>
      ${this.renderPreset(draft)} ${this.renderPending(pending)} ${this.renderProblems()}
      <input type="search" class="filter" aria-label=${msg('Search the settings')} placeholder=${msg('Search the settings')} .value=${this.wanted} @input=${this.find} />
      ${order.map((section) => this.renderSection(section, draft))} ${this.renderNothingFound(draft)}
      ${this.renderModels()}
      <label class="row" ?hidden=${this.hides('advanced')}><input type="checkbox" .checked=${this.advanced} @change=${this.toggleAdvanced} />${msg('Show advanced settings')}</label>
      ${memoryPlan(this.state)}
    </div>`;
  }

  private find(event: Event) {
    this.wanted = (event.target as HTMLInputElement).value;
  }

  /**
   * Without a search, basic knobs only, unless advanced ones are shown; with a search, any knob whose label,
   * explanation or path matches.
   */
  private isShown(knob: Knob): boolean {
    if (this.hides(knob.path) || this.state.assignment?.document.hidden.includes(knob.path)) return false;
    const wanted = this.wanted.trim().toLowerCase();
    if (!wanted) return this.advanced || knob.level === 'basic';
    return [knobLabel(knob), knobSentence(knob), knob.path].some((text) => text.toLowerCase().includes(wanted));
  }

  private renderNothingFound(draft: Experiment) {
    const found = knobs.some((each) => this.isShown(each) && belongs(each, each.path.replace('*', '0'), draft));
    return found ? nothing : html`<p class="soft" role="status">${msg(str`No setting matches “${this.wanted}”.`)}</p>`;
  }

  private toggleAdvanced(event: Event) {
    this.advanced = (event.target as HTMLInputElement).checked;
  }

  private renderPreset(draft: Experiment) {
    const { presets, preset } = this.state;
    const choose = (event: Event) => this.app.draft.usePreset(Number((event.target as HTMLSelectElement).value));
    return html`<div class="preset">
      <h2><label for="preset">${msg('Preset')}</label></h2>
      <select id="preset" @change=${choose}>
        ${preset < 0 ? html`<option value="-1" selected disabled>${msg('(from a run or a file)')}</option>` : nothing}
        ${presets.map((each, index) => html`<option value=${index} ?selected=${index === preset}>${presetTitle(each)}</option>`)}
      </select>
      ${draft.description ? html`<p class="soft small">${presets[preset]?.description === draft.description ? presetDescription(draft) : draft.description}</p>` : nothing}
      ${this.renderDifferences(draft)}
    </div>`;
  }

  private renderDifferences(draft: Experiment) {
    const { presets, preset } = this.state;
    // The sweep has its own section.
    const all = preset < 0 ? [] : differences(presets[preset], draft);
    const list = all.filter(({ path }) => !/^sweep\b/.test(path));
    if (!list.length) return nothing;
    return html`<details>
      <summary>${msg(str`Differs from the preset in ${list.length}`)}</summary>
      <ul class="list">${list.map((each) => html`<li>${this.labelOf(each.path)}${colon()}<span class="soft">${show(each.from)}</span> → <strong>${show(each.to)}</strong></li>`)}</ul>
      <button class="link" @click=${() => this.app.draft.usePreset(preset)}>${msg('Back to the preset')}</button>
    </details>`;
  }

  private labelOf(path: string) {
    const knob = findKnob(path, this.state.draft ?? undefined);
    return knob ? knobLabel(knob) : path;
  }

  private namesIn = (list: Pending['list']) => list.map(({ path }) => this.labelOf(path));

  private renderPending({ kind, list }: Pending) {
    const { run, busy } = this.state;
    if (kind === 'none' || kind === 'free' || !run) return nothing;
    const fork = kind === 'fork';
    return html`<div class="message warning pending">
      <p>${
        fork
          ? msg(
              str`Changing ${namesOf(this.namesIn(list))} forks the run at step ${run.step}. The current run stays in the list.`,
            )
          : restartText(this.state, this.namesIn(list))
      }</p>
      <div class="row">
        ${
          fork
            ? html`<button ?disabled=${busy !== null} @click=${() => this.app.fork()}>${msg(str`Fork at step ${run.step}`)}</button>`
            : html`<button ?disabled=${busy !== null} @click=${() => this.app.create()}>${msg('Start a new run')}</button>`
        }
        <button class="quiet" @click=${() => this.app.discardChanges()}>${msg('Discard changes')}</button>
      </div>
    </div>`;
  }

  /** Lists all problems, since the field of a problem may not be shown (advanced, or of the whole document). */
  private renderProblems() {
    const { problems } = this.state;
    if (!problems.length) return nothing;
    return html`<div class="message error" role="alert">
      ${problems.map((each) => html`<p><span class="mono">${each.path}</span>: ${each.message}</p>`)}
    </div>`;
  }

  private renderSection(section: KnobSection, draft: Experiment) {
    const mine = knobs.filter((each) => each.section === section);
    const here = (each: Knob) => !this.wanted || belongs(each, each.path.replace('*', '0'), draft);
    const shown =
      this.hides(section) || this.isFixed(section) ? [] : mine.filter((each) => this.isShown(each) && here(each));
    if (!shown.length) return nothing;
    const changed = this.changedIn(section);
    return html`<section aria-label=${sectionNames()[section]}>
      <div class="row spread"><h2>${sectionNames()[section]}</h2>${changed ? html`<span class="badge changed">${msg(str`changed: ${changed}`)}</span>` : nothing}</div>
      ${this.renderKnobs(section, shown, draft)}
      ${section === 'policy' ? this.renderModelServer(draft) : nothing}
    </section>`;
  }

  /** True for a part with an editor of its own that the open assignment fixes as a whole. */
  private isFixed(section: KnobSection): boolean {
    return ['stages', 'reward', 'goals', 'sweep'].includes(section) && isLocked(this.state.assignment, section);
  }

  /** Server of a policy behind an API. */
  private renderModelServer({ policy }: Experiment) {
    if (!('address' in policy)) return nothing;
    void import('./model-connection.ts');
    const { servers } = this.app;
    return html`<tabgym-model-connection address=${policy.address} name=${policy.name} .servers=${servers} .foreign=${servers.foreign}></tabgym-model-connection>`;
  }

  /** Number of the section's settings that differ from the preset. */
  private changedIn(section: KnobSection): number {
    const { presets, preset, draft } = this.state;
    if (preset < 0 || !draft) return 0;
    return differences(presets[preset], draft).filter(({ path }) => findKnob(path, draft)?.section === section).length;
  }

  private renderKnobs(section: KnobSection, shown: readonly Knob[], draft: Experiment) {
    if (section === 'horizon') return this.renderStages(draft);
    if (section === 'stages') return this.renderTrainingStages(draft);
    if (section === 'world') return this.renderWorlds(shown, draft);
    if (section === 'reward') return html`<tabgym-reward-setup .app=${this.app}></tabgym-reward-setup>`;
    if (section === 'goals') return this.renderGoals();
    if (section === 'sweep') return html`<tabgym-sweep-setup .app=${this.app}></tabgym-sweep-setup>`;
    return shown
      .filter((each) => belongs(each, each.path, draft))
      .map((each) => this.renderKnob(each, each.path, draft));
  }

  /** Choice of goals, which few runs make: its fields are loaded when they are shown. */
  private renderGoals() {
    if (!this.goalsLoaded) {
      void import('./goals-setup.ts').then(() => {
        this.goalsLoaded = true;
      });
      return nothing;
    }
    return html`<tabgym-goals-setup .app=${this.app}></tabgym-goals-setup>`;
  }

  /** Mixture of worlds, entry by entry. A single world needs no heading and no share. */
  private renderWorlds(shown: readonly Knob[], { worlds }: Experiment) {
    const draft = this.state.draft!;
    const several = worlds.length > 1;
    const ofOne = ({ path }: Knob) => several || !/\.(weight|evaluated|turns)$/.test(path);
    return html`${worlds.map(
      (_, index) => html`<div role="group" class="entry" aria-label=${msg(str`World ${index + 1}`)}>
        ${
          several
            ? html`<div class="row spread"><h3>${msg(str`World ${index + 1}`)}</h3>
                <button class="quiet" ?hidden=${isLocked(this.state.assignment, 'worlds')} aria-label=${msg(str`Remove world ${index + 1}`)} @click=${() => this.setWorlds(worlds.filter((_, other) => other !== index))}>✕</button></div>`
            : nothing
        }
        ${shown
          .filter(ofOne)
          .map((each) => ({ each, path: each.path.replace('*', String(index)) }))
          .filter(({ each, path }) => belongs(each, path, draft))
          .map(({ each, path }) => this.renderKnob(each, path, draft))}
        ${reachedOverLine(worlds[index]) ? html`<tabgym-connection path=${`worlds.${index}`} world=${worlds[index].name} .servers=${this.app.servers} .foreign=${this.app.servers.foreign}></tabgym-connection>` : nothing}
      </div>`,
    )}
    ${worlds.length < 8 && !this.wanted && !isLocked(this.state.assignment, 'worlds') ? html`<button class="link" @click=${() => this.setWorlds([...worlds, structuredClone(worlds.at(-1)!)])}>${msg('Add a world')}</button>` : nothing}`;
  }

  /** A single world is always evaluated: it has no field of its own for that. */
  private setWorlds(worlds: Experiment['worlds']) {
    const [only] = worlds;
    this.app.draft.edit('worlds', worlds.length === 1 ? [{ ...only, evaluated: true }] : worlds);
  }

  private errorAt(path: string): string {
    return this.state.problems
      .filter((each) => each.path === path || each.path.startsWith(`${path}.`))
      .map((each) => each.message)
      .join(' ');
  }

  /** The code for file fields is loaded with the first algorithm that learns from a file. */
  private renderFile(knob: Knob, path: string, draft: Experiment) {
    void import('./trajectory-file.ts');
    return html`<tabgym-trajectory-file path=${path} .of=${knob} .value=${readPath(draft, path) ?? null} .error=${this.errorAt(path)} .api=${() => this.app.api}></tabgym-trajectory-file>`;
  }

  /** The code is loaded with the first algorithm that has a teacher. */
  private renderTeacher(knob: Knob, path: string, draft: Experiment) {
    void import('./teacher-picker.ts');
    return html`<tabgym-teacher-picker path=${path} .of=${knob} .value=${readPath(draft, path) ?? null} .error=${this.errorAt(path)} .draft=${draft} .runs=${this.state.runs} .api=${() => this.app.api} .servers=${this.app.servers}></tabgym-teacher-picker>`;
  }

  private renderKnob(knob: Knob, path: string, draft: Experiment) {
    if (knob.file) return this.renderFile(knob, path, draft);
    if (knob.teacher && !isLocked(this.state.assignment, path)) return this.renderTeacher(knob, path, draft);
    const { presets, preset, run, assignment } = this.state;
    const value = readPath(draft, path);
    if (isLocked(assignment, path)) return this.renderLocked(knob, value);
    const base = preset < 0 ? undefined : readPath(presets[preset], path);
    const changed = preset >= 0 && JSON.stringify(base) !== JSON.stringify(value);
    const costs = { free: '', fork: msg('Changing it forks the run.'), restart: msg('Changing it needs a new run.') };
    if (knob.kind === 'code' && knob.worlds)
      return html`<tabgym-world-field .app=${this.app} path=${path} .value=${value} .error=${this.errorAt(path)}></tabgym-world-field>`;
    if (knob.kind === 'code')
      return html`<tabgym-objective-field .app=${this.app} path=${path.replace(/\.objectiveCode$/, '')} .value=${value} .error=${this.errorAt(path)}></tabgym-objective-field>`;
    return html`<tabgym-knob path=${path} .of=${knob} .value=${value} .changed=${changed} .error=${this.errorAt(path)} .cost=${run && run.step > 0 ? costs[knob.change] : ''}></tabgym-knob>`;
  }

  /** A setting that the open assignment fixes. */
  private renderLocked(knob: Knob, value: unknown) {
    const text = msg('Fixed by the assignment');
    return html`<div class="row spread locked" title=${text}><span>${knobLabel(knob)}</span><span class="soft">${show(value)} <span class="badge">${msg('fixed')}</span></span></div>`;
  }

  /** ScalingInter-RL: a limit that grows stage by stage; a fixed horizon is one stage. */
  private renderStages(draft: Experiment) {
    const stages = draft.horizon;
    const [turns, steps, early] = ['horizon.*.turns', 'horizon.*.steps', 'horizon.*.advanceAt'].map(
      (path) => findKnob(path)!,
    );
    const several = stages.length > 1;
    return html`${stages.map(
      (_, index) => html`<div role="group" aria-label=${msg(str`Stage ${index + 1}`)}>
        ${
          several
            ? html`<div class="row spread"><h3>${msg(str`Stage ${index + 1}`)}</h3>
                <button class="quiet" ?hidden=${isLocked(this.state.assignment, 'horizon')} aria-label=${msg(str`Remove stage ${index + 1}`)} @click=${() => this.setStages(stages.filter((_, other) => other !== index))}>✕</button></div>`
            : nothing
        }
        ${this.renderKnob(turns, `horizon.${index}.turns`, draft)}
        ${
          several && index < stages.length - 1
            ? [
                this.renderKnob(steps, `horizon.${index}.steps`, draft),
                this.renderKnob(early, `horizon.${index}.advanceAt`, draft),
              ]
            : nothing
        }
      </div>`,
    )}
    ${stages.length < 32 && !isLocked(this.state.assignment, 'horizon') ? html`<button class="link" @click=${() => this.addStage(stages)}>${msg('Add a stage')}</button>` : nothing}`;
  }

  /** Earlier stages of the run, each with its own algorithm: imitation before reinforcement, for example. */
  private renderTrainingStages({ stages = [] }: Experiment) {
    const draft = this.state.draft!;
    const change = (next: Experiment['stages']) => this.app.draft.edit('stages', next?.length ? next : undefined);
    const [name, steps, rate, code] = [
      'algorithm.name',
      'stages.*.steps',
      'stages.*.learningRate',
      'algorithm.objectiveCode',
    ].map((path) => findKnob(path)!);
    return html`${stages.map(
      (_, index) => html`<div role="group" class="entry" aria-label=${msg(str`Part ${index + 1}`)}>
        <div class="row spread"><h3>${msg(str`Part ${index + 1}`)}</h3>
          <button class="quiet" aria-label=${msg(str`Remove part ${index + 1}`)} @click=${() => change(stages.filter((_each, other) => other !== index))}>✕</button></div>
        ${this.renderKnob(name, `stages.${index}.algorithm.name`, draft)}
        ${this.renderKnob(steps, `stages.${index}.steps`, draft)}
        ${this.renderKnob(rate, `stages.${index}.learningRate`, draft)}
        ${filesOf(stages[index].algorithm.name).map((each) => this.renderKnob(each, `stages.${index}.${each.path}`, draft))}
        ${this.renderKnob(code, `stages.${index}.algorithm.objectiveCode`, draft)}
      </div>`,
    )}
    ${stages.length < 16 ? html`<button class="link" @click=${() => change([...stages, { steps: 10, algorithm: structuredClone(draft.algorithm), learningRate: null }])}>${msg('Begin with another algorithm')}</button>` : nothing}`;
  }

  private setStages(stages: Experiment['horizon']) {
    this.app.draft.edit('horizon', stages);
  }

  private addStage(stages: Experiment['horizon']) {
    const last = stages.at(-1)!;
    const turns = typeof last.turns === 'number' ? last.turns + 4 : { oraclePlus: last.turns.oraclePlus + 2 };
    this.setStages([...stages, { steps: last.steps, turns }]);
  }

  /** The picker's code is loaded when it is opened; most visits do not need it. */
  private renderModels() {
    return html`<section aria-label=${msg('Language model')}>
      <details id="models" @toggle=${this.toggleModels}><summary>${msg('Language model')}</summary>
        ${this.models ? html`<tabgym-model-picker .app=${this.app}></tabgym-model-picker>` : nothing}
      </details>
    </section>`;
  }

  private async toggleModels(event: Event) {
    if (!(event.target as HTMLDetailsElement).open) return;
    await import('./model-picker.ts');
    this.models = true;
  }

  /** Opens the picker when a language model is dropped anywhere on the page, or when another part asks for it. */
  private showOffered() {
    const { offered, modelsWanted } = this.state;
    const details = this.renderRoot.querySelector<HTMLDetailsElement>('#models');
    if (!details || (offered === this.shown && modelsWanted === this.shownFor)) return;
    this.shown = offered;
    this.shownFor = modelsWanted;
    details.open = true;
    details.scrollIntoView({ block: 'nearest' });
  }

  protected override updated() {
    const active = isActive(this.state.status);
    this.toggleAttribute('data-active', active);
    this.showOffered();
  }
}
