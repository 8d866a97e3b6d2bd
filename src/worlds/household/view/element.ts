/**
 * View of the household: the task with its subgoals, the hand, and the receptacles of each room as places, open or
 * closed, with what the agent has seen in them. A person plays by the buttons of a place, a thing or the hand; each
 * sends one of the commands that are possible.
 */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { colon } from '../../../ui/kit/format.ts';
import { LocalizedElement } from '../../../ui/kit/localized-element.ts';
import { controls } from '../../../ui/kit/styles/shared.ts';
import type { StateName } from '../house.ts';
import type { HouseholdView, PlaceSeen, ThingSeen } from '../view-data.ts';
import { householdStyles } from './styles.ts';

const stateWords: { readonly [state in StateName]: () => string } = {
  clean: () => msg('clean'),
  hot: () => msg('hot'),
  cool: () => msg('cool'),
  sliced: () => msg('sliced'),
  toggled: () => msg('switched on'),
};

/** Labels of the commands' verbs. */
const verbs: { readonly [verb: string]: () => string } = {
  go: () => msg('Go there'),
  open: () => msg('Open'),
  close: () => msg('Close'),
  examine: () => msg('Examine'),
  take: () => msg('Take'),
  move: () => msg('Put here'),
  put: () => msg('Put here'),
  use: () => msg('Switch on'),
  slice: () => msg('Slice'),
  clean: () => msg('Clean'),
  heat: () => msg('Heat'),
  cool: () => msg('Cool'),
  look: () => msg('Look around'),
  inventory: () => msg('List what you carry'),
  help: () => msg('Show the commands'),
};

const roomNames: { readonly [name: string]: () => string } = {
  house: () => msg('House'),
  kitchen: () => msg('Kitchen'),
  'living room': () => msg('Living room'),
  bedroom: () => msg('Bedroom'),
  bathroom: () => msg('Bathroom'),
};

/** Verbs whose second thing is a place: their button stands in the place. */
const intoPlace = ['move', 'put', 'clean', 'heat', 'cool'];
const verbOf = (command: string) => command.split(' ')[0];

@customElement('tabgym-household-view')
export class TabgymHouseholdView extends LocalizedElement {
  static override styles = [controls, householdStyles];

  @property({ attribute: false }) view: HouseholdView | null = null;
  /** True if a person plays; a view that only shows an episode has no buttons. */
  @property({ type: Boolean }) playable = false;

  /** True from a pressed button to the next view. */
  private acted = false;

  /** If the pressed button is gone, the focus moves to the first one of the place, so that the keyboard plays on. */
  override updated(changed: Map<string, unknown>) {
    if (!this.acted || !changed.has('view')) return;
    this.acted = false;
    if (this.shadowRoot?.activeElement) return;
    const first = (selector: string) => this.renderRoot.querySelector<HTMLElement>(selector);
    (first('.here button') ?? first('.hand button'))?.focus();
  }

  override render() {
    const { view } = this;
    if (!view) return nothing;
    return html`<div class="parts">
      <p class="task">${msg('Task')}${colon()}<strong>${view.task}</strong> ${view.won ? html`<strong class="won">✓ ${msg('Done')}</strong>` : nothing}</p>
      <ul class="goals" aria-label=${msg('Subgoals')}>${view.subgoals.map(({ text, done }) => html`<li class=${done ? 'done' : ''}><span aria-hidden="true">${done ? '✓' : '○'}</span> ${text}<span class="visually-hidden">${done ? msg('reached') : msg('not reached')}</span></li>`)}</ul>
      ${this.renderHand(view)}
      ${view.rooms.map(
        ({ name, places }) => html`<section aria-label=${this.roomName(name)}>
        <h3>${this.roomName(name)}</h3>
        <ul class="places">${places.map((place) => this.renderPlace(place))}</ul>
      </section>`,
      )}
    </div>`;
  }

  private roomName(name: string): string {
    return roomNames[name]?.() ?? name;
  }

  private renderHand({ hand, commands }: HouseholdView) {
    const own = hand ? commands.filter((each) => each === `examine ${hand.name}`) : [];
    const general = commands.filter((each) => ['look', 'inventory', 'help'].includes(each));
    return html`<div class="hand"><span>${msg('In hand')}${colon()}${hand ? this.renderThing(hand) : html`<span class="soft">${msg('nothing')}</span>`}</span>
      ${this.renderButtons([...own, ...general])}</div>`;
  }

  private renderPlace(place: PlaceSeen) {
    const { name, openable, opened, seen, here, things } = place;
    const closed = openable && !opened;
    return html`<li class="place ${here ? 'here' : ''} ${closed ? 'closed' : ''}">
      <div class="head"><strong>${name}</strong>
        ${here ? html`<span class="badge">${msg('you are here')}</span>` : nothing}
        ${openable ? html`<span class="soft small">${opened ? msg('open') : msg('closed')}</span>` : nothing}</div>
      ${this.renderButtons(this.commandsOf(place))}
      ${
        seen
          ? things.length
            ? html`<ul class="things">${things.map((thing) => html`<li>${this.renderThing(thing)} ${this.renderButtons(this.commandsFor(thing, place))}</li>`)}</ul>`
            : html`<p class="soft small">${msg('nothing in it')}</p>`
          : html`<p class="soft small">${msg('not seen yet')}</p>`
      }
    </li>`;
  }

  private renderThing({ name, states, lamp }: ThingSeen) {
    return html`<span class="thing">${lamp ? html`<span aria-hidden="true">${states.includes('toggled') ? '◉' : '◎'}</span> ` : nothing}${name}${states.map((state) => html` <span class="badge ${state}">${stateWords[state]()}</span>`)}</span>`;
  }

  /** Possible commands of a place itself. */
  private commandsOf({ name }: PlaceSeen): string[] {
    const own = [`go to ${name}`, `open ${name}`, `close ${name}`, `examine ${name}`];
    return this.view!.commands.filter(
      (command) => own.includes(command) || (intoPlace.includes(verbOf(command)) && command.endsWith(` ${name}`)),
    );
  }

  /** Possible commands of a thing in a place that was seen. */
  private commandsFor(thing: ThingSeen, place: PlaceSeen): string[] {
    const wanted = [`take ${thing.name} from ${place.name}`, ...(place.here ? [`use ${thing.name}`] : [])];
    return this.view!.commands.filter(
      (command) => wanted.includes(command) || (place.here && command.startsWith(`slice ${thing.name} with `)),
    );
  }

  private renderButtons(commands: readonly string[]) {
    if (!this.playable || this.view?.won || !commands.length) return nothing;
    return html`<span class="buttons">${commands.map((command) => {
      const label = verbs[verbOf(command)]?.() ?? command;
      return html`<button class="small" aria-label=${msg(str`${label}: ${command}`)} @click=${() => this.act(command)}>${label}</button>`;
    })}</span>`;
  }

  private act(detail: string): void {
    this.acted = true;
    this.dispatchEvent(new CustomEvent('world-act', { detail, bubbles: true, composed: true }));
  }
}
