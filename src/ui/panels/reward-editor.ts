/** Dialog with a reward function as code: read, edited, and tried on the episodes of the shown step. */
import { msg, str } from '@lit/localize';
import { css, html } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { readPath } from '../../experiment/paths.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { newPart, partOf } from '../../rl/rewards/registry.ts';
import { episodeCount } from '../kit/counts.ts';
import { compact } from '../kit/format.ts';
import { endingNames } from '../state/episodes.ts';
import { CodeDialog, trialSandbox } from './code-dialog.ts';
import { codeHelpStyles } from './code-help.ts';
import { rewardHelp } from './reward-help.ts';

/** Maximum number of episodes in the table of values. */
const mostShown = 8;

/** An episode of one turn, to run the code before the first step. */
const exampleOf = (world: string): Trajectory => ({
  task: { world, id: 0, options: {}, strata: {} },
  group: 0,
  member: 0,
  prompt: '',
  promptLength: 0,
  tokens: new Int32Array(0),
  source: new Uint8Array(0),
  turnOf: new Int16Array(0),
  logprob: new Float32Array(0),
  choices: null,
  turns: [
    {
      action: '',
      observation: '',
      reward: 0,
      valid: true,
      actionStart: 0,
      actionEnd: 0,
      observationStart: 0,
      observationEnd: 0,
    },
  ],
  score: 0,
  success: false,
  ending: 'horizon',
  horizon: 1,
  oracleTurns: null,
  advantage: 0,
  advantages: new Float32Array(0),
});

interface Tried {
  state: 'tried';
  episodes: readonly Trajectory[];
  values: readonly number[];
}

@customElement('tabgym-reward-editor')
export class TabgymRewardEditor extends CodeDialog<Tried> {
  static override styles = [
    ...CodeDialog.styles,
    codeHelpStyles,
    css`
      dialog {
        --dialog-width: 980px;
        height: min(820px, calc(100dvh - 24px));
      }
      @media (max-width: 860px) {
        dialog {
          height: 100dvh;
        }
      }
    `,
  ];

  /** Path of the part. */
  @property() path = '';
  private readonly sandbox = trialSandbox();

  protected override get stored() {
    return String(readPath(this.app.store.state.draft, `${this.path}.code`) ?? '');
  }

  protected override get words() {
    return {
      heading: msg('Reward function'),
      label: msg('Reward function as JavaScript. Control and Enter tries it; Tab leaves the editor.'),
      outcome: msg('Values of the function'),
      busy: msg('Trying'),
    };
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    void this.sandbox.close();
  }

  protected override renderIntroduction() {
    return html`<p class="soft">${msg('reward(episode) returns a number. It reads the task, the texts and the result of an episode, in a sandbox.')}</p>
      ${rewardHelp()}`;
  }

  protected override renderTrial(disabled: boolean) {
    return html`<button class="primary" ?disabled=${disabled} aria-keyshortcuts="Control+Enter" @click=${() => void this.run()}>${msg('Try it')}</button>`;
  }

  protected override renderDone({ episodes, values }: Tried) {
    if (!episodes.length)
      return html`<p class="message">✓ ${msg('The function runs. Its values appear here after the first training step.')}</p>`;
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return html`<p class="message">✓ ${msg(str`${episodeCount(episodes.length)} of the shown step: values from ${compact(least)} to ${compact(most)}.`)}</p>
      <table><thead><tr><th>${msg('Episode')}</th><th class="number">${msg('Value')}</th><th class="number">${msg('Score')}</th><th>${msg('Ending')}</th></tr></thead>
        <tbody>${episodes
          .slice(0, mostShown)
          .map(
            (each, k) =>
              html`<tr><td>${each.group + 1}.${each.member + 1}</td><td class="number">${compact(values[k])}</td><td class="number">${compact(each.score)}</td><td>${endingNames()[each.ending]}</td></tr>`,
          )}</tbody></table>`;
  }

  /** Runs the code on the episodes of the shown step. */
  protected override async attempt(code: string): Promise<Tried> {
    const { detail, draft } = this.app.store.state;
    const episodes = detail.state === 'ready' ? detail.value.trajectories : [];
    const tried = episodes.length ? episodes : [exampleOf(draft?.worlds[0].name ?? '')];
    const part = { ...newPart('function'), code };
    const values = await partOf(part).values(tried, part, { runner: this.sandbox });
    return { state: 'tried', episodes, values };
  }

  protected override keep(text: string) {
    this.keepAt(`${this.path}.code`, text);
  }
}
