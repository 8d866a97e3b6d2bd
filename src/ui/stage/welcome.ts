/**
 * Welcome card of the empty stage: one sentence, one button, and the loop in five steps. On a device that cannot train:
 * the missing feature, and everything that works without it.
 */
import { msg, str } from '@lit/localize';
import { css, html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { episodeCount, runCount, stepCount } from '../kit/counts.ts';
import './episode-view.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { sweptDocuments } from '../../experiment/sweep.ts';
import { Panel } from '../control/panel.ts';
import { approximately, listed } from '../kit/format.ts';
import { loadingState } from '../kit/states.ts';
import { controls } from '../kit/styles/shared.ts';
import { askedDevice } from '../state/device.ts';
import { estimate } from '../state/estimate.ts';
import { policyLabel, worldTitle } from '../state/labels.ts';

@customElement('tabgym-welcome')
export class TabgymWelcome extends Panel {
  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        min-height: 100%;
        place-content: safe center;
        padding: 12px;
      }
      .card {
        display: grid;
        gap: 12px;
        max-width: 760px;
      }
      .lead {
        font-size: clamp(1.15rem, 0.9rem + 1.2vw, 1.6rem);
        line-height: 1.3;
        font-weight: 600;
        letter-spacing: -0.015em;
        text-wrap: balance;
      }
      button.primary {
        min-height: 42px;
        padding: 0 22px;
        font-size: var(--size-l);
      }
      ol {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(96px, 1fr));
        gap: 6px;
        list-style: none;
        counter-reset: step;
      }
      dl {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
        gap: 4px 16px;
        padding: 10px 12px;
        border-inline-start: 3px solid var(--accent);
        background: var(--surface);
      }
      dt {
        font-size: var(--size-s);
        color: var(--text-2);
      }
      dd {
        font-weight: 600;
      }
      li {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        padding: 6px 8px;
        font-size: var(--size-s);
        color: var(--text-2);
      }
      li strong {
        display: block;
        color: var(--text);
      }
    `,
  ];

  /** Message shown while the trainer starts; empty when it is ready. */
  @property() waits = '';

  constructor() {
    super(['gpu', 'draft', 'preset', 'busy', 'problems', 'recorded', 'live', 'link']);
  }

  override render() {
    return html`<div class="card">
      <p class="lead">${this.lead()}</p>
      ${this.waits ? loadingState(this.waits) : this.renderStart()}
      <ol aria-label=${msg('How a step works')}>
        <li><strong>${msg('Observe')}</strong>${msg('The world describes the situation.')}</li>
        <li><strong>${msg('Act')}</strong>${msg('The policy writes an action, token by token.')}</li>
        <li><strong>${msg('Reward')}</strong>${msg('The episode succeeds or fails.')}</li>
        <li><strong>${msg('Compare')}</strong>${msg('With other episodes of the same task.')}</li>
        <li><strong>${msg('Update')}</strong>${msg('Actions of better episodes become more likely.')}</li>
      </ol>
      ${this.renderRecorded()}
    </div>`;
  }

  private renderStart() {
    return html`${this.renderGlance()} ${this.state.gpu?.supported ? this.renderReady() : this.renderUnsupported()}`;
  }

  /** Opening sentence of the card; the first preset has a different one. */
  private lead() {
    const { draft, preset } = this.state;
    const world = worldTitle(draft?.worlds[0]?.name ?? '');
    if (!draft) return msg('A tiny language-model agent learns by reinforcement learning, in this tab.');
    return preset === 0
      ? msg('A tiny language-model agent learns to craft in TextCraft, by reinforcement learning, in this tab.')
      : msg(str`A language-model agent learns to act in ${world}, by reinforcement learning, in this tab.`);
  }

  /** Facts about the run that Train starts: policy, world, number of episodes, time. */
  private renderGlance() {
    const { draft, gpu } = this.state;
    if (!draft || !gpu?.supported || !factsOf(draft.policy).trains) return nothing;
    const { steps, algorithm } = draft;
    const runs = sweptDocuments(draft).length;
    const amount = msg(str`${stepCount(steps)} of ${episodeCount(algorithm.groups * algorithm.groupSize)}`);
    const worlds = listed([...new Set(draft.worlds.map(({ name }) => worldTitle(name)))]);
    const facts: [string, string][] = [
      [msg('Who learns'), policyLabel(draft.policy)],
      [msg('Where'), worlds],
      [msg('How much'), runs > 1 ? msg(str`${runCount(runs)}, each ${amount}`) : amount],
      [msg('How long'), this.timeText(draft)],
    ];
    return html`<dl aria-label=${msg('What will happen')}>${facts.map(([what, words]) => html`<div><dt>${what}</dt><dd>${words}</dd></div>`)}</dl>`;
  }

  private timeText(draft: Experiment) {
    const found = estimate(draft, this.state.gpu);
    if (!found) return msg('known after the first steps');
    const time = approximately(found.ms);
    return found.own
      ? msg(str`${time}, from steps trained on this device`)
      : msg(str`${time}, measured on another processor`);
  }

  private renderRecorded() {
    const { recorded, live, draft } = this.state;
    const world = live.at(-1)?.view?.kind;
    // The recorded episode does not show another world of the setup.
    if (!recorded || !world || (draft && draft.worlds[0]?.name !== world)) return nothing;
    return html`<section aria-label=${msg('A recorded episode')}>
      <p class="soft small"><strong>${msg('Recorded')}</strong> · ${recorded.title}</p>
      <tabgym-episode .turns=${live}></tabgym-episode>
    </section>`;
  }

  private renderReady() {
    const { draft, busy } = this.state;
    const off = !draft || busy !== null;
    const train = html`<button class="primary" ?disabled=${off} @click=${() => this.app.train()}><span aria-hidden="true">▶</span> ${msg('Train')}</button>`;
    const open = html`<button class="primary" ?disabled=${off} @click=${() => this.app.create()}>${msg('Open the model')}</button>`;
    const { policy } = draft ?? {};
    const words =
      policy && 'address' in policy
        ? msg(
            str`It plays and does not learn. The texts of the worlds are sent to ${policy.address}; nothing else leaves this tab.`,
          )
        : policy && !factsOf(policy).ownWeights
          ? msg(
              'Training adds an adapter to the language model, which stays as it is. Nothing is installed, and nothing leaves this tab. You can close the tab at any time and continue from the last step.',
            )
          : msg(
              'Training starts from random weights. Nothing is installed, and nothing leaves this tab. You can close the tab at any time and continue from the last step.',
            );
    return html`<p>${words}</p>
      <div class="row">
        ${draft && !factsOf(draft.policy).trains ? open : train}
        ${this.hides('learn') ? nothing : html`<button @click=${() => this.app.layout.openLearn('lessons')}>${msg('Lessons')}</button>`}
        ${this.renderDrawers()}
      </div>`;
  }

  private renderDrawers() {
    if (this.hides('drawer')) return nothing;
    return html`<button @click=${() => this.app.layout.openDrawer('agents')}>${msg('Open a trained agent')}</button>
      <button @click=${() => this.app.layout.openDrawer('runs')}>${msg('Open an exported run')}</button>`;
  }

  /** Button shown if the requested device is missing: switches to the fastest available one. */
  private renderOther() {
    if (!askedDevice()) return nothing;
    return html`<button @click=${() => this.app.chooseDevice(null)}>${msg('Use the fastest device')}</button>`;
  }

  private missing() {
    const asked = askedDevice();
    if (asked === 'webgpu') return msg('WebGPU was chosen, but this browser does not offer it.');
    if (asked === 'wasm') return msg('The processor was chosen, but this browser cannot train on it.');
    return msg('This browser cannot train: it offers neither WebGPU nor WebAssembly SIMD.');
  }

  private renderUnsupported() {
    return html`<div class="message warning" role="note">
        <p><strong>${this.missing()}</strong></p>
        <p>${this.state.gpu?.problem}</p>
        <p class="small">${msg('Browsers that have WebAssembly SIMD: Chrome and Edge 91, Firefox 89, Safari 16.4, or later. WebGPU: Chrome and Edge 113 or later on Windows, macOS and ChromeOS, 121 on Android and, on most hardware, 144 on Linux; Safari 26; Firefox 141 on Windows and 145 on macOS with Apple silicon.')}</p>
      </div>
      <p>${msg('You can still watch a trained policy play (ONNX Runtime runs it on the processor), open, read and watch exported runs, and play the worlds yourself.')}</p>
      <div class="row">
        <button class="primary" ?disabled=${this.state.busy !== null} @click=${() => this.app.library.watchSample()}><span aria-hidden="true">▶</span> ${msg('Watch a trained policy')}</button>
        ${this.renderDrawers()} ${this.renderOther()}
      </div>`;
  }
}
