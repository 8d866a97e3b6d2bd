/** Joins a class in the local network: code, name, what is sent, leaving. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement } from 'lit/decorators.js';
import { Panel } from '../control/panel.ts';
import { controls } from '../kit/styles/shared.ts';
import type { JoinedClass } from '../state/state.ts';
import { join, leave, play, stopPlaying } from './membership.ts';
import { classroomStyles } from './styles.ts';

@customElement('tabgym-join-class')
export class TabgymJoinClass extends Panel {
  static override styles = [controls, classroomStyles];

  constructor() {
    super(['joined', 'link', 'busy', 'locale']);
  }

  override render() {
    const { joined } = this.state;
    return html`<section aria-label=${msg('Class')}><h3>${msg('Join a class')}</h3>${joined ? this.renderJoined(joined) : this.renderForm()}
      <details><summary class="small">${msg('What is sent')}</summary><p class="small">${msg('To the teacher’s machine, every few seconds: the name that you type, the name of the experiment of the run in focus, its step and whether it trains, its success by step and its held-out success. Everyone in the class sees it. No weights, no episodes, no answers; nothing is kept after the class ends.')}</p></details></section>`;
  }

  private renderForm() {
    const { link, busy } = this.state;
    const send = (event: Event) => {
      event.preventDefault();
      const [code, name] = ['code', 'name'].map(
        (id) => this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)?.value ?? '',
      );
      void this.app.notifier.attempt('class', () => join(this.app, code, name));
    };
    return html`<p class="small">${msg('For a page that was opened from the address of a teacher’s machine: your curve then stands on the board of the class.')}</p>
      <form class="fields" @submit=${send}>
        <label for="code">${msg('Code of the class')}</label><input id="code" class="mono" required maxlength="60" autocomplete="off" autocapitalize="characters" spellcheck="false" .value=${link.join ?? ''} />
        <label for="name">${msg('Name on the board')}</label><input id="name" required maxlength="40" autocomplete="off" />
        <div class="wide"><button class="primary" data-do="join" ?disabled=${busy !== null}>${msg('Join the class')}</button></div>
      </form>`;
  }

  private renderJoined(joined: JoinedClass) {
    const { title, name, reached, code } = joined;
    return html`<p>${msg(str`You are in ${title} as ${name}.`)}</p>
      ${reached ? nothing : html`<p class="message warning" role="status">${msg('The teacher’s machine does not answer. Training continues here; the board is brought up to date once it answers.')}</p>`}
      ${this.renderTraining(joined)}
      <div class="row"><a href=${`#board=${code}`} target="_blank" rel="noopener">${msg('Open the board')}</a>
        <button data-do="leave" @click=${() => leave()}>${msg('Leave the class')}</button></div>`;
  }

  private renderTraining({ training, playing }: JoinedClass) {
    if (training === null) return nothing;
    return html`<p>${msg(str`The class trains “${training}” together on the teacher’s machine. Pages play its episodes.`)}</p>
      ${
        playing
          ? html`${this.renderPlaying(playing)}
              <div><button data-do="stop-playing" @click=${() => stopPlaying()}>${msg('Stop playing')}</button></div>`
          : html`<div><button class="primary" data-do="play" @click=${() => play()}>${msg('Play for the class')}</button></div>
              <p class="soft small">${msg('On the processor, beside your own run. The episodes’ tokens and their log-probabilities are sent to the teacher’s machine, which plays them again.')}</p>`
      }`;
  }

  private renderPlaying({ groups, version, reached }: NonNullable<JoinedClass['playing']>) {
    const weights = version < 0 ? msg('no weights yet') : msg(str`weights after step ${version}`);
    return html`<p class="number small">${msg(str`Groups played here: ${groups}; ${weights}`)}</p>
      ${reached ? nothing : html`<p class="message warning" role="status">${msg('The trainer does not answer. This page asks again every few seconds and plays on once it answers.')}</p>`}`;
  }
}
