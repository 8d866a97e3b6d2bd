/**
 * A group as a tree, after the ARIA practices (https://www.w3.org/WAI/ARIA/apg/patterns/treeview/): one row is in the
 * page's tab order, arrow keys move between rows and fold them, Enter opens an episode at the row's turn. For speed,
 * only the first rows of a large tree are drawn.
 */
import { msg, str } from '@lit/localize';
import { html, nothing, type PropertyValues } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { TreeState } from '../../rl/credit/tree.ts';
import type { EndingRules } from '../../rl/episode/returns.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { lineCount } from '../kit/counts.ts';
import { fixed } from '../kit/format.ts';
import { LocalizedElement } from '../kit/localized-element.ts';
import { controls } from '../kit/styles/shared.ts';
import {
  type Folding,
  type GroupTree,
  idsAbove,
  readTree,
  rowAt,
  statesOfRow,
  type TreeRow,
  treeRows,
} from '../state/group-tree.ts';
import { advantageTemplate, numberOf, type RowContext, rowTemplate, stateName } from './group-tree-row.ts';
import { groupTreeStyles } from './group-tree-styles.ts';

/** Rows drawn at first, and with each press of the button for more. */
const mostRows = 300;
/** States that the box of an observation lists, and the longest text that it shows. */
const mostStates = 20;
const mostCharacters = 2000;

const unfolded: Folding = { folded: new Set(), unrolled: new Set() };

/** A turn of an episode, by its member. */
export interface TreePlace {
  member: number;
  turn: number;
}

type Episodes = readonly Trajectory[];

const isOtherList = (now: Episodes, before: Episodes | undefined): boolean =>
  now.length !== before?.length || now.some((each, i) => each !== before[i]);

const toggled = (set: ReadonlySet<string>, id: string): ReadonlySet<string> =>
  set.has(id) ? new Set([...set].filter((each) => each !== id)) : new Set([...set, id]);

@customElement('tabgym-group-tree')
export class TabgymGroupTree extends LocalizedElement {
  static override styles = [controls, groupTreeStyles];

  /** Episodes of the group; the tree is made anew, with nothing folded, if one of them is another. */
  @property({ attribute: false, hasChanged: (now, before) => isOtherList(now as Episodes, before as Episodes) })
  episodes: Episodes = [];
  /** Rules by which the update leaves episodes out. */
  @property({ attribute: false, hasChanged: (now, before) => JSON.stringify(now) !== JSON.stringify(before) })
  rules: EndingRules | null = null;
  @property({ attribute: false }) place: TreePlace = { member: 0, turn: 0 };
  /** Opens an episode at a turn. */
  @property({ attribute: false }) open: (place: TreePlace) => void = () => {};

  @state() private tree!: GroupTree;
  @state() private folding: Folding = unfolded;
  @state() private chosen: string | null = null;
  @state() private current: string | null = null;
  @state() private most = mostRows;
  private focusWanted = false;

  protected override willUpdate(changed: PropertyValues) {
    if (!changed.has('episodes') && !changed.has('rules')) return;
    this.tree = readTree(this.episodes, this.rules);
    this.folding = unfolded;
    this.chosen = null;
    this.current = null;
    this.most = mostRows;
  }

  override render() {
    const all = treeRows(this.tree.lines, this.folding);
    const rows = all.slice(0, this.most);
    const context = this.contextOf(rows);
    const hidden = all.length - rows.length;
    return html`<p class="soft small">${msg('Episodes with the same history share a line, and part where their actions differ. Value: the mean return of the episodes through a line. Advantage: how far a branch’s value is above (▲) or below (▼) that of the state where it parts. ≈ marks an observation that the group meets in other ways too. A line opens its episode at that turn.')}</p>
      ${this.renderDropped()}
      <div class="line headings" aria-hidden="true" .style=${'--level:1'}><span></span><span></span><span>${msg('Actions')}</span><span>${msg('Episodes')}</span><span>${msg('Value', { id: 'tree.value' })}</span><span>${msg('Advantage')}</span></div>
      <div role="tree" class=${this.chosen === null ? '' : 'anchored'} aria-label=${msg('Tree of the group')} @keydown=${(event: KeyboardEvent) => this.press(event, rows)}>${repeat(
        rows,
        ({ id }) => id,
        (row) => rowTemplate(row, context),
      )}</div>
      ${hidden > 0 ? html`<p><span class="soft">${msg(str`Not drawn: ${lineCount(hidden)}.`)}</span> <button @click=${this.showMore}>${msg('Show more')}</button></p>` : nothing}
      ${this.renderAnchor()}`;
  }

  private showMore = () => {
    this.most += mostRows;
  };

  private contextOf(rows: readonly TreeRow[]): RowContext {
    const at = this.episodes.findIndex(({ member }) => member === this.place.member);
    const selected = rowAt(rows, at, this.place.turn);
    const current = [this.current, selected].find((id) => id !== null && rows.some((row) => row.id === id));
    return {
      episodes: this.episodes,
      tree: this.tree,
      folding: this.folding,
      chosen: this.chosen,
      current: current ?? rows[0]?.id ?? null,
      selected,
      open: (row) => this.openRow(row),
      toggle: (row) => this.toggle(row),
      unroll: (row) => this.unroll(row),
      choose: (observation) => this.choose(observation),
    };
  }

  private openRow({ line, action, id }: TreeRow) {
    this.current = id;
    // The end of an episode is its last turn.
    const turn = line.kind === 'end' ? line.turn - 1 : line.turn + (action ?? 0);
    this.open({ member: this.episodes[line.members[0]].member, turn: Math.max(0, turn) });
  }

  private toggle({ id, line }: TreeRow) {
    const { folded, unrolled } = this.folding;
    this.current = id;
    this.folding = line.children.length
      ? { folded: toggled(folded, id), unrolled }
      : { folded, unrolled: toggled(unrolled, id) };
  }

  private unroll({ id }: TreeRow) {
    this.current = id;
    this.folding = { ...this.folding, unrolled: toggled(this.folding.unrolled, id) };
  }

  /** Marks the states of an observation, and shows the lines they are in; the marks of a second call go. */
  private choose(observation: string) {
    this.chosen = this.chosen === observation ? null : observation;
    if (this.chosen === null) return;
    const all = treeRows(this.tree.lines, { folded: new Set(), unrolled: new Set() });
    const isAnchor = (each: TreeState) => each.observation === observation;
    const above = all.filter((row) => statesOfRow(row, this.folding).some(isAnchor)).flatMap((row) => idsAbove(row.id));
    const shown = new Set(above);
    const folded = new Set([...this.folding.folded].filter((id) => !shown.has(id)));
    this.folding = { ...this.folding, folded };
  }

  private press(event: KeyboardEvent, rows: readonly TreeRow[]) {
    const id = (event.target as Element).closest<HTMLElement>('[data-id]')?.dataset.id;
    const at = rows.findIndex((row) => row.id === id);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const onButton = event.target instanceof HTMLButtonElement;
    if (onButton && (event.key === 'Enter' || event.key === ' ')) return;
    const act = this.actOf(event.key, rows, at);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  private actOf(key: string, rows: readonly TreeRow[], at: number): (() => void) | null {
    const row = rows[at];
    const go = (to: number) => () => this.focusRow(rows[Math.max(0, Math.min(rows.length - 1, to))].id);
    const above = idsAbove(row.id).at(-1);
    const acts: { [key: string]: () => void } = {
      ArrowDown: go(at + 1),
      ArrowUp: go(at - 1),
      Home: go(0),
      End: go(rows.length - 1),
      ArrowRight: row.expanded === false ? () => this.toggleFocused(row) : row.expanded ? go(at + 1) : go(at),
      ArrowLeft: row.expanded ? () => this.toggleFocused(row) : () => this.focusRow(above ?? row.id),
      Enter: () => this.openRow(row),
      ' ': () => this.openRow(row),
    };
    return Object.hasOwn(acts, key) ? acts[key] : null;
  }

  private toggleFocused(row: TreeRow) {
    this.toggle(row);
    this.focusRow(row.id);
  }

  private focusRow(id: string) {
    this.current = id;
    this.focusWanted = true;
    this.requestUpdate();
  }

  protected override updated() {
    if (!this.focusWanted) return;
    this.focusWanted = false;
    this.renderRoot.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus();
  }

  private renderDropped() {
    const { dropped } = this.tree;
    if (!dropped.length) return nothing;
    const numbers = dropped.map((i) => numberOf(this.episodes, i)).join(', ');
    return html`<p class="small">${msg(str`Left out, as in the update: episode ${numbers}`)}</p>`;
  }

  /** The states of the chosen observation, with what was done in each. */
  private renderAnchor() {
    const { chosen } = this;
    const states = chosen === null ? undefined : this.tree.anchors.get(chosen);
    if (!states) return nothing;
    const text = chosen!.length > mostCharacters ? `${chosen!.slice(0, mostCharacters)}…` : chosen;
    return html`<section class="anchor" aria-label=${msg('Same observation')}>
      <div class="row spread"><div role="status"><strong>${msg(str`The same observation in ${states.length} places`)}</strong></div>
        <button class="quiet" @click=${() => this.choose(chosen!)}>${msg('Close')}</button></div>
      <pre tabindex="0">${text}</pre>
      <ul>${states.slice(0, mostStates).map((each) => this.renderState(each))}</ul>
      ${states.length > mostStates ? html`<p class="soft small">${msg(str`and ${states.length - mostStates} more`)}</p>` : nothing}
    </section>`;
  }

  private renderState(each: TreeState) {
    const { members, turn, value, branches } = each;
    const open = () => this.open({ member: this.episodes[members[0]].member, turn });
    return html`<li><button class="link" @click=${open}>${stateName(each, this.episodes)}</button>
      <span class="soft number">${msg('Value', { id: 'tree.value' })} ${fixed(value)}</span>
      ${branches.slice(0, mostStates).map(({ action, advantage }) => html`<span class="actions">${action.slice(0, 160)}</span>${branches.length > 1 ? advantageTemplate(advantage) : nothing}`)}</li>`;
  }
}
