/**
 * Teacher of an algorithm: the oracle, a shipped agent or a stored run of the same worlds, a file, or a model behind an
 * API. A policy is handed to the worker when it is chosen; whether its vocabulary is the run's is checked when the run
 * opens, that of a served model at its first answer.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { live } from 'lit/directives/live.js';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Knob } from '../../experiment/knob.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { readServedName, type ServedName } from '../../experiment/served-name.ts';
import { readTeacherName } from '../../experiment/teacher-names.ts';
import type { RunSummary, TrainerApi } from '../../session/protocol.ts';
import type { ListedAgent } from '../../session/shipped-agent.ts';
import { fetchGallery } from '../control/shipped-agents.ts';
import { keepRun, keepTeachers } from '../control/teachers.ts';
import type { WorldServers } from '../control/world-servers.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import { agentTitle, knobLabel, knobSentence } from '../state/labels.ts';
import { KnobChangeEvent } from './knob-field.ts';

/** Value of an entry: its kind, then its name or id. */
const agentValue = (name: string) => `agent ${name}`;
const runValue = (id: string) => `run ${id}`;

@customElement('tabgym-teacher-picker')
export class TabgymTeacherPicker extends LocalizedElement {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 4px;
        padding: 3px 0;
      }
      .row.spread {
        gap: 8px;
      }
      select {
        flex: 1 1 140px;
        min-width: 0;
        max-width: 100%;
      }
    `,
  ];

  @property() path = '';
  @property({ attribute: false }) of!: Knob;
  @property({ attribute: false }) value: string | null = null;
  @property({ attribute: false }) error = '';
  @property({ attribute: false }) draft!: Experiment;
  @property({ attribute: false }) runs: readonly RunSummary[] = [];
  @property({ attribute: false }) api!: () => TrainerApi;
  @property({ attribute: false }) servers!: WorldServers;
  @state() private agents: readonly ListedAgent[] = [];
  @state() private busy = false;
  @state() private problem = '';
  /** Text of the field while it is typed, and after that if it names no model. */
  @state() private unread: string | null = null;

  override connectedCallback() {
    super.connectedCallback();
    // Without the list, runs and files can still be chosen.
    void fetchGallery().then(
      (agents) => {
        this.agents = agents;
      },
      () => {},
    );
  }

  private get worlds(): readonly string[] {
    return this.draft.worlds.map(({ name }) => name);
  }

  /** Agents of the draft's worlds with a policy of its kind. */
  private get shown(): readonly ListedAgent[] {
    const { ownWeights } = factsOf(this.draft.policy);
    return this.agents.filter(
      ({ world, worlds = [world], base }) =>
        ownWeights === (base === undefined) && worlds.some((name) => this.worlds.includes(name)),
    );
  }

  /** Trained runs in the draft's worlds with a policy of its kind. */
  private get trained(): readonly RunSummary[] {
    return this.runs.filter(
      ({ step, deletedUntil, experiment: { policy, worlds } }) =>
        step > 0 &&
        deletedUntil === null &&
        policy.kind === this.draft.policy.kind &&
        worlds.some(({ name }) => this.worlds.includes(name)),
    );
  }

  override render() {
    const { of: knob, value, busy } = this;
    const name = value === null ? null : readTeacherName(value).name;
    const served = value === null ? null : readServedName(value);
    const isAgent = this.shown.some((agent) => agent.name === name);
    return html`<div class="row spread"><label for="teacher">${knobLabel(knob)}</label>
        <select id="teacher" ?disabled=${busy} aria-describedby=${this.error || this.problem ? 'problem' : nothing} .value=${live(name === null ? '' : isAgent ? agentValue(name) : 'file')} @change=${this.choose}>
          <option value="" ?selected=${name === null}>${msg('the oracle')}</option>
          ${this.renderGroup(
            msg('Shipped agents'),
            this.shown.map((agent) => ({
              key: agentValue(agent.name),
              text: agentTitle(agent),
              isChosen: agent.name === name,
            })),
          )}
          ${this.renderGroup(
            msg('Runs'),
            this.trained.map((run) => ({ key: runValue(run.id), text: run.name, isChosen: false })),
          )}
          ${name !== null && !isAgent ? html`<option value="file" selected>${name}</option>` : nothing}
        </select></div>
      <p class="small soft">${knobSentence(knob)}</p>
      <div class="row">
        <button ?disabled=${busy} @click=${this.ask}>${msg('Choose a file')}</button>
        <input id="file" type="file" hidden accept=".tabgym,.zip" aria-label=${knobLabel(knob)} @change=${this.take} />
      </div>
      <label for="served">${msg('Model behind an API')}</label>
      <input id="served" type="text" placeholder="MODEL@https://HOST/v1" spellcheck="false" .value=${live(this.unread ?? served?.text ?? '')} @input=${this.type} @change=${this.name} />
      ${served ? this.renderServer(served) : nothing}
      ${this.error || this.problem ? html`<div id="problem" class="message error" role="alert">${this.problem || this.error}</div>` : nothing}`;
  }

  /** Key, models and permission of a served teacher. */
  private renderServer({ address, model }: ServedName) {
    void import('./model-connection.ts');
    const choose = (event: KnobChangeEvent) => {
      event.stopPropagation();
      this.dispatchEvent(new KnobChangeEvent(this.path, `${event.value}@${address}`));
    };
    return html`<tabgym-model-connection address=${address} name=${model} .servers=${this.servers} .foreign=${this.servers.foreign} @knob-change=${choose}></tabgym-model-connection>`;
  }

  private type = (event: Event) => {
    this.unread = (event.target as HTMLInputElement).value;
  };

  private name = (event: Event) => {
    const text = (event.target as HTMLInputElement).value.trim();
    const isName = text === '' || readServedName(text) !== null;
    this.unread = isName ? null : text;
    this.problem = isName ? '' : msg(str`“${text}” names no model behind an API. Write MODEL@https://HOST/v1.`);
    if (isName) this.dispatchEvent(new KnobChangeEvent(this.path, text === '' ? null : text));
  };

  private renderGroup(label: string, entries: readonly { key: string; text: string; isChosen: boolean }[]) {
    if (!entries.length) return nothing;
    return html`<optgroup label=${label}>${entries.map(({ key, text, isChosen }) => html`<option value=${key} ?selected=${isChosen}>${text}</option>`)}</optgroup>`;
  }

  private choose = async (event: Event) => {
    const [kind, ...rest] = (event.target as HTMLSelectElement).value.split(' ');
    const key = rest.join(' ');
    if (kind === 'file') return;
    await this.attempt(async () => {
      const run = kind === 'run' ? this.runs.find(({ id }) => id === key) : undefined;
      if (run) return keepRun(this.api(), run);
      if (kind !== 'agent') return null;
      await keepTeachers(this.api(), {
        algorithm: { ...this.draft.algorithm, teacher: key } as Experiment['algorithm'],
      });
      return key;
    });
  };

  private ask = () => this.renderRoot.querySelector<HTMLInputElement>('#file')?.click();

  private take = async (event: Event) => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    // Cleared, so that the same file can be chosen again after a correction.
    input.value = '';
    if (!file) return;
    await this.attempt(async () => {
      await this.api().keepRecording(file, file.name);
      return file.name;
    });
  };

  /** Sets the teacher that `find` returns, or shows its error. */
  private async attempt(find: () => Promise<string | null>) {
    [this.busy, this.problem, this.unread] = [true, '', null];
    try {
      this.dispatchEvent(new KnobChangeEvent(this.path, await find()));
    } catch (error) {
      this.problem = error instanceof Error ? error.message : String(error);
    }
    this.busy = false;
  }
}
