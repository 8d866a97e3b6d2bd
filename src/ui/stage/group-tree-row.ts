/** A row of a group's tree: actions, episodes, value, advantage, and what is particular about its states. */
import { msg, str } from '@lit/localize';
import { html, nothing } from 'lit';
import { groupBy } from '../../rl/common/numbers.ts';
import type { TreeState } from '../../rl/credit/tree.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { episodeCount, lineCount, turnCount } from '../kit/counts.ts';
import { fixed, signed } from '../kit/format.ts';
import { endingNames } from '../state/episodes.ts';
import { type Folding, type GroupTree, linesBelow, statesOfRow, type TreeRow } from '../state/group-tree.ts';

export interface RowContext {
  episodes: readonly Trajectory[];
  tree: GroupTree;
  folding: Folding;
  /** Observation whose states are marked. */
  chosen: string | null;
  /** Row in the page's tab order; its buttons are there too. */
  current: string | null;
  selected: string | null;
  open(row: TreeRow): void;
  toggle(row: TreeRow): void;
  unroll(row: TreeRow): void;
  choose(observation: string): void;
}

/** Longest text of an action or an observation in a row, and number of actions that a row begins with. */
const mostCharacters = 160;
const firstActions = 3;
/** Episodes of a row that are named one by one. */
const mostNames = 8;

const cut = (text: string): string => (text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text);

/** Number of an episode, as the list of episodes has it. */
export const numberOf = (episodes: readonly Trajectory[], i: number): number => episodes[i].member + 1;

const numbersOf = (episodes: readonly Trajectory[], members: readonly number[]): string => {
  const names = members.slice(0, mostNames).map((i) => numberOf(episodes, i));
  return `${names.join(', ')}${members.length > mostNames ? ', …' : ''}`;
};

export function rowTemplate(row: TreeRow, context: RowContext) {
  const { id, line, action, level, position, siblings, expanded } = row;
  const states = anchorsOf(row, context);
  const marked = states.some(({ observation }) => observation === context.chosen);
  const toggle = (event: Event) => {
    event.stopPropagation();
    context.toggle(row);
  };
  return html`<div class="line ${marked ? 'marked' : ''}" role="treeitem" data-id=${id} tabindex=${id === context.current ? 0 : -1}
    aria-level=${level} aria-posinset=${position} aria-setsize=${siblings} aria-expanded=${expanded === null ? nothing : String(expanded)}
    aria-selected=${id === context.selected ? 'true' : 'false'} .style=${`--level:${level}`} @click=${() => context.open(row)}>
    <span class="guides"></span>
    ${expanded === null ? html`<span></span>` : html`<span class="twisty" aria-hidden="true" @click=${toggle}>${expanded ? '▾' : '▸'}</span>`}
    <span class="what">${action === null ? lineText(row, context) : turnText(row)}${anchorChip(row, states, context)}</span>
    ${action === null ? numbers(line, context) : nothing}
  </div>`;
}

/** States of a row whose observation other states have too, one for each observation. */
function anchorsOf(row: TreeRow, { tree, folding }: RowContext): TreeState[] {
  const own = statesOfRow(row, folding).filter(
    ({ observation, branches }) => branches.length > 0 && tree.anchors.has(observation),
  );
  return [...groupBy(own, ({ observation }) => observation).values()].map(([state]) => state);
}

function lineText({ line, expanded, id }: TreeRow, context: RowContext) {
  const { kind, actions, before, departures, children } = line;
  const { folding, episodes } = context;
  const several = context.tree.lines.length > 1;
  const start = kind === 'start' ? html`<span class="label">${msg('Start')}</span>` : nothing;
  const observation =
    before && (kind === 'answer' || several)
      ? html`<span class="label">○ ${msg('World')}</span><span class="observation">${cut(before.observation)}</span>`
      : nothing;
  const end = kind === 'end' ? html`<span class="label">${msg('ends here')}</span>` : nothing;
  const inner = children.length > 0 && expanded && actions.length > 1;
  const below = children.length > 0 && !expanded;
  return html`${start}${observation}${actions.length ? chain(actions, !folding.unrolled.has(id)) : nothing}${end}
    ${endings(line.ended, context)}
    ${departures.slice(0, mostNames).map((i) => departure(episodes, i))}
    ${inner ? turnsChip({ line, id } as TreeRow, context) : nothing}
    ${below ? html`<span class="label">${msg(str`hidden: ${lineCount(linesBelow(line))}`)}</span>` : nothing}`;
}

/** The first actions and the last one, or their number if each has a row of its own. */
function chain(actions: readonly string[], whole: boolean) {
  if (!whole) return html`<span class="label">${turnCount(actions.length)}</span>`;
  const hidden = actions.length - firstActions - 1;
  const shown = hidden > 1 ? [...actions.slice(0, firstActions), '…', actions.at(-1)!] : actions;
  return html`<span class="actions" title=${shown.map(cut).join('\n')}>${shown.map(cut).join(' → ')}</span>
    ${hidden > 1 ? html`<span class="label">${turnCount(actions.length)}</span>` : nothing}`;
}

const turnText = ({ line, action }: TreeRow) => {
  const after = line.after[action!];
  return html`<span class="label">${msg(str`Turn ${line.turn + action! + 1}`)}</span>
    <span class="actions">${cut(line.actions[action!])}</span>
    ${after ? html`<span class="observation">${cut(after.observation)}</span>` : nothing}`;
};

/** Episodes that end with a line, by their ending. */
function endings(ended: readonly number[], { episodes }: RowContext) {
  const names = endingNames();
  return [...groupBy(ended, (i) => episodes[i].ending)].map(
    ([ending, members]) =>
      html`<span class="badge ${episodes[members[0]].success ? 'good' : ''}">${episodes[members[0]].success ? '✓' : '✕'} ${names[ending]}</span>
      <span class="label">${ended.length > 1 ? msg(str`episodes ${numbersOf(episodes, members)}`) : nothing}</span>`,
  );
}

function departure(episodes: readonly Trajectory[], i: number) {
  const { member } = episodes[i].branch!;
  return html`<span class="badge"><span aria-hidden="true">↳</span> ${msg(str`episode ${numberOf(episodes, i)} branches off episode ${member + 1} here`)}</span>`;
}

/** Runs a button's action, and not the row's. */
const only = (act: () => void) => (event: Event) => {
  event.stopPropagation();
  act();
};

function turnsChip(row: TreeRow, { folding, current, unroll }: RowContext) {
  const shown = folding.unrolled.has(row.id);
  return html`<button class="chip" tabindex=${row.id === current ? 0 : -1} aria-pressed=${shown ? 'true' : 'false'}
    @click=${only(() => unroll(row))}>${msg('Each turn')}</button>`;
}

/** The mark of a row whose observation is seen elsewhere too; it marks the other states, or shows which turns they are. */
function anchorChip(row: TreeRow, states: readonly TreeState[], context: RowContext) {
  if (!states.length) return nothing;
  const { chosen, current, choose, unroll } = context;
  const tabindex = row.id === current ? 0 : -1;
  const pressed = states.some(({ observation }) => observation === chosen) ? 'true' : 'false';
  const [state] = states;
  if (states.length > 1)
    return html`<button class="chip" tabindex=${tabindex} aria-pressed=${pressed} @click=${only(() => unroll(row))}>
      <span aria-hidden="true">≈</span> ${msg(str`${states.length} observations seen elsewhere too`)}</button>`;
  const others = context.tree.anchors.get(state.observation)!.filter((each) => each !== state);
  const place = stateName(others[0], context.episodes);
  const words = others.length > 1 ? msg(str`same as ${place}, +${others.length - 1}`) : msg(str`same as ${place}`);
  return html`<button class="chip" tabindex=${tabindex} aria-pressed=${pressed} @click=${only(() => choose(state.observation))}>
    <span aria-hidden="true">≈</span> ${words}</button>`;
}

export const stateName = ({ members, turn }: TreeState, episodes: readonly Trajectory[]): string =>
  msg(str`episode ${numberOf(episodes, members[0])} before turn ${turn + 1}`);

function numbers({ members, value, advantage }: TreeRow['line'], { episodes, tree }: RowContext) {
  const { low, high } = tree.range;
  const width = `${high > low ? (100 * (value - low)) / (high - low) : 0}%`;
  return html`<span class="episodes number" title=${numbersOf(episodes, members)}>${members.length === 1 ? msg(str`episode ${numberOf(episodes, members[0])}`) : episodeCount(members.length)}</span>
    <span class="value number"><span class="bar" aria-hidden="true"><span .style=${`width:${width}`}></span></span><span><span class="visually-hidden">${msg('Value', { id: 'tree.value' })} </span>${fixed(value)}</span></span>
    ${advantage === null ? html`<span class="advantage"></span>` : advantageTemplate(advantage)}`;
}

export function advantageTemplate(advantage: number) {
  const sign = advantage > 0 ? '▲' : advantage < 0 ? '▼' : '■';
  return html`<span class="advantage number ${advantage > 0 ? 'good' : advantage < 0 ? 'bad' : 'soft'}"><span class="visually-hidden">${msg('Advantage')} </span><span aria-hidden="true">${sign}</span> ${signed(advantage)}</span>`;
}
