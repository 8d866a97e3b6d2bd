/**
 * A group's tree as lines: turns that the same episodes share are one line, and a line parts where their actions, or the
 * world's answers, differ. Pure functions.
 */
import { groupBy, mean } from '../../rl/common/numbers.ts';
import { groupTree, type TreeBranch, type TreeState } from '../../rl/credit/tree.ts';
import { type EndingRules, returnOf } from '../../rl/episode/returns.ts';
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { shownReward } from './reward-parts.ts';

type TreeEpisode = Pick<Trajectory, 'prompt' | 'turns' | 'branch'>;

/** Turns one after another that the same episodes share, and what follows. */
export interface TreeLine {
  /** Place in the tree: the indices of the line and of those above it. */
  id: string;
  /**
   * `start`: begins with a first observation; `branch`: with an action; `answer`: with one of several observations that
   * the world gave to the same history; `end`: episodes that end where others go on.
   */
  kind: 'start' | 'branch' | 'answer' | 'end';
  /** Turns before the line. */
  turn: number;
  actions: readonly string[];
  /** State that a start or an answer begins with. */
  before: TreeState | null;
  /** State after each action; none after the last one if the world answered in several ways. */
  after: readonly TreeState[];
  /** Episodes through it, as indices into the group. */
  members: readonly number[];
  /** Mean return of its episodes. */
  value: number;
  /** Value above that of the state it parts from; null if the policy did not choose the line. */
  advantage: number | null;
  /** Episodes that end with the line. */
  ended: readonly number[];
  /** Episodes that repeated another one up to the end of the line, and go on by themselves. */
  departures: readonly number[];
  children: readonly TreeLine[];
}

/** Returns as the tab shows them; NaN for an episode that the update leaves out. */
export const treeReturns = (members: readonly Trajectory[], rules: EndingRules | null): Float64Array =>
  Float64Array.from(members, (each) => (rules && returnOf(each, rules) === null ? Number.NaN : shownReward(each)));

interface Group {
  episodes: readonly TreeEpisode[];
  returns: ArrayLike<number>;
}

/** Lines of a group's first states, each with all that follows. */
const treeLines = (first: readonly TreeState[], group: Group): TreeLine[] =>
  first.map((state, i) => stateLine('start', state, `${i}`, group));

function stateLine(kind: 'start' | 'answer', state: TreeState, id: string, group: Group): TreeLine {
  const { turn, members, value } = state;
  const { after, ...rest } = followed([], [state], id, group);
  return { id, kind, turn, members, value, advantage: null, ...rest, before: state, after: after.slice(1) };
}

function branchLine(branch: TreeBranch, turn: number, id: string, group: Group): TreeLine {
  const { members, value, advantage, action, states } = branch;
  return {
    id,
    kind: 'branch',
    turn,
    members,
    value,
    advantage,
    before: null,
    ...followed([action], states, id, group),
  };
}

const endLine = ({ turn, ended }: TreeState, id: string, { returns }: Group): TreeLine => ({
  ...{ id, kind: 'end', turn, members: ended, value: mean(ended.map((i) => returns[i])), advantage: null },
  ...{ actions: [], before: null, after: [], ended, departures: [], children: [] },
});

type Followed = Pick<TreeLine, 'actions' | 'after' | 'ended' | 'departures' | 'children'>;

/** What follows `actions`, up to the place where the episodes part, end, or leave the one that they repeated. */
function followed(actions: string[], states: readonly TreeState[], id: string, group: Group): Followed {
  const after: TreeState[] = [];
  let next = states;
  while (next.length === 1) {
    const [state] = next;
    after.push(state);
    const departures = departuresAt(state, group);
    const { branches, ended } = state;
    if (departures.length || ended.length || branches.length !== 1)
      return { actions, after, departures, ...parted(state, id, group) };
    actions.push(branches[0].action);
    next = branches[0].states;
  }
  const children = next.map((state, i) => stateLine('answer', state, `${id}.${i}`, group));
  return { actions, after, ended: [], departures: [], children };
}

function parted(state: TreeState, id: string, group: Group): Pick<Followed, 'ended' | 'children'> {
  const { branches, ended, turn } = state;
  if (!branches.length) return { ended, children: [] };
  const children = branches.map((branch, i) => branchLine(branch, turn, `${id}.${i}`, group));
  if (ended.length) children.push(endLine(state, `${id}.${branches.length}`, group));
  return { ended: [], children };
}

/** Episodes that repeated another one up to a state. */
const departuresAt = ({ members, turn }: TreeState, { episodes }: Group): number[] =>
  turn === 0 ? [] : members.filter((i) => episodes[i].branch?.turns === turn);

/**
 * Anchor states (GiGPO, https://arxiv.org/abs/2505.10978, section 4.2): states with the same observation, in which an
 * action was taken, by observation. Only observations of two states or more, earlier turns first.
 */
export function anchorStates(first: readonly TreeState[]): ReadonlyMap<string, readonly TreeState[]> {
  const found: TreeState[] = [];
  let level = first;
  while (level.length) {
    found.push(...level.filter(({ branches }) => branches.length));
    level = level.flatMap(({ branches }) => branches.flatMap(({ states }) => states));
  }
  const all = groupBy(found, ({ observation }) => observation);
  return new Map([...all].filter(([, states]) => states.length > 1));
}

/** A row of the drawn tree: a line, or one turn of it. */
export interface TreeRow {
  id: string;
  line: TreeLine;
  /** Index into the line's actions; null for the line itself. */
  action: number | null;
  /** From 1, as in ARIA. */
  level: number;
  position: number;
  siblings: number;
  /** Null if nothing is below the row. */
  expanded: boolean | null;
}

/** Choices of a person, by id: lines whose children are hidden, and lines whose turns are shown one by one. */
export interface Folding {
  folded: ReadonlySet<string>;
  unrolled: ReadonlySet<string>;
}

/** Rows of the lines that are not hidden, from the top. */
export function treeRows(lines: readonly TreeLine[], folding: Folding): TreeRow[] {
  const rows: TreeRow[] = [];
  addRows(rows, lines, folding, { level: 1, before: 0 });
  return rows;
}

function addRows(
  rows: TreeRow[],
  lines: readonly TreeLine[],
  folding: Folding,
  { level, before }: { level: number; before: number },
) {
  const siblings = before + lines.length;
  lines.forEach((line, i) => {
    const expanded = isExpanded(line, folding);
    rows.push({ id: line.id, line, action: null, level, position: before + i + 1, siblings, expanded });
    if (!expanded) return;
    const turns = folding.unrolled.has(line.id) ? line.actions.length : 0;
    const below = turns + line.children.length;
    for (let action = 0; action < turns; action++)
      rows.push({
        ...{ id: `${line.id}@${action}`, line, action, level: level + 1 },
        ...{ position: action + 1, siblings: below, expanded: null },
      });
    addRows(rows, line.children, folding, { level: level + 1, before: turns });
  });
}

/** A line with children shows them unless it is folded; one without shows its turns only if it is unrolled. */
function isExpanded({ id, children, actions }: TreeLine, { folded, unrolled }: Folding): boolean | null {
  if (children.length) return !folded.has(id);
  return actions.length > 1 ? unrolled.has(id) : null;
}

/** States that a row stands for: those of its line, unless the line's turns have rows of their own. */
export function statesOfRow({ line, action, expanded }: TreeRow, { unrolled }: Folding): TreeState[] {
  if (action !== null) return line.after.slice(action, action + 1);
  const own = expanded && unrolled.has(line.id) ? [] : line.after;
  return line.before ? [line.before, ...own] : [...own];
}

/** Number of lines below a line. */
export const linesBelow = ({ children }: TreeLine): number =>
  children.reduce((count, child) => count + 1 + linesBelow(child), 0);

/** Id of the row that shows a turn of an episode; null if no row does. */
export function rowAt(rows: readonly TreeRow[], member: number, turn: number): string | null {
  const covers = ({ line, action }: TreeRow) =>
    line.members.includes(member) &&
    (action === null
      ? line.turn <= turn && turn < line.turn + Math.max(1, line.actions.length)
      : line.turn + action === turn);
  return rows.findLast(covers)?.id ?? null;
}

/** Lines above a row, the topmost first: `0.2.1@3` is below 0, 0.2 and 0.2.1. */
export function idsAbove(id: string): string[] {
  const [line, turn] = id.split('@');
  const parts = line.split('.');
  const lines = parts.map((_, i) => parts.slice(0, i + 1).join('.'));
  return turn === undefined ? lines.slice(0, -1) : lines;
}

export interface GroupTree {
  lines: readonly TreeLine[];
  anchors: ReadonlyMap<string, readonly TreeState[]>;
  /** Smallest and largest return, 0 included. */
  range: { low: number; high: number };
  /** Episodes without a return, which are in no line. */
  dropped: readonly number[];
}

export function readTree(members: readonly Trajectory[], rules: EndingRules | null): GroupTree {
  const returns = treeReturns(members, rules);
  const first = groupTree(members, returns);
  const known = returns.filter((value) => !Number.isNaN(value));
  return {
    lines: treeLines(first, { episodes: members, returns }),
    anchors: anchorStates(first),
    range: { low: Math.min(0, ...known), high: Math.max(0, ...known) },
    dropped: members.flatMap((_, i) => (Number.isNaN(returns[i]) ? [i] : [])),
  };
}
