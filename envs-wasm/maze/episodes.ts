/**
 * Episodes in mazes: the agent's place and past moves, the rules of a step, and its texts.
 *
 * Memory: an episode has one block for its grid and moves, which is freed when its slot begins a new episode.
 */
import { blockClass, giveBlock, takeBlock } from '../shared/blocks';
import { Slots } from '../shared/slots';
import { putByte, putInteger, putText, startsWith } from '../shared/text';
import { cells, columns, distance, goal, measure, MOST_CELLS, rows, start, stepOf } from './grid';

@unmanaged
export class Episode {
  /** The grid, then one byte for each step: its move, or HIT. 0 if there is no episode. */
  block: usize;
  blockClass: i32;
  rows: i32;
  columns: i32;
  start: i32;
  goal: i32;
  at: i32;
  steps: i32;
  stepLimit: i32;
  done: bool;
  upstream: bool;
  compact: bool;
  /** The oracle plans by what the agent has seen. */
  seen: bool;
}

/** A step that did not move the agent. */
export const HIT: u8 = 4;

/** Flags of a step's answer. */
export const ACCEPTED: i32 = 1;
export const DONE: i32 = 2;
export const WON: i32 = 4;

const slots = new Slots(<i32>offsetof<Episode>());

export function episodeAt(slot: i32): Episode { return changetype<Episode>(slots.at(slot)); }
export function ensureWorlds(count: i32): void { slots.ensure(count); }
export function hasWorld(slot: i32): bool { return slots.has(slot) && episodeAt(slot).block != 0; }

export function sizeOf(episode: Episode): i32 { return episode.rows * episode.columns; }
export function moveAt(episode: Episode, step: i32): usize { return episode.block + sizeOf(episode) + step; }

/**
 * Begins an episode in the current maze. If `stepLimit` is 0, the limit is twice the number of free cells, which is
 * enough to search any maze completely.
 */
export function begin(episode: Episode, stepLimit: i32, upstream: bool, compact: bool, seen: bool): void {
  if (episode.block != 0) giveBlock(episode.block, episode.blockClass);
  const size = rows * columns;
  let free = 0;
  for (let i = 0; i < size; i++) if (cells[i] == 0) free++;
  episode.stepLimit = stepLimit > 0 ? stepLimit : 2 * free;
  episode.blockClass = blockClass(size + episode.stepLimit + 1);
  episode.block = takeBlock(episode.blockClass);
  memory.copy(episode.block, changetype<usize>(cells), size);
  episode.rows = rows;
  episode.columns = columns;
  episode.start = episode.at = start;
  episode.goal = goal;
  episode.steps = 0;
  episode.done = false;
  episode.upstream = upstream;
  episode.compact = compact;
  episode.seen = seen;
}

export function isFree(episode: Episode, at: i32): bool { return load<u8>(episode.block + at) == 0; }

// --- texts -----------------------------------------------------------------------------------------------------------

function putMove(move: i32): void {
  putText(move == 0 ? 'left' : move == 1 ? 'right' : move == 2 ? 'up' : 'down');
}

export function putAction(move: i32): void {
  putText('move ');
  putMove(move);
}

function putPosition(episode: Episode, at: i32): void {
  putInteger(at / episode.columns);
  putText(', ');
  putInteger(at % episode.columns);
}

/** Order of the walls in a text: right, left, above, below. */
const wallOrder: StaticArray<i32> = [1, 0, 2, 3];

function putWall(move: i32): void {
  putText(move == 0 ? 'to your left' : move == 1 ? 'to your right' : move == 2 ? 'above you' : 'below you');
}

function putWalls(episode: Episode): void {
  let count = 0;
  for (let move = 0; move < 4; move++) if (!isFree(episode, episode.at + stepOf(move, episode.columns))) count++;
  putText(count == 0 ? 'There are no walls near you.' : count == 1 ? 'There is a wall ' : 'There are walls ');
  if (count == 0) return;
  for (let k = 0; k < 4; k++) {
    const move = wallOrder[k];
    if (isFree(episode, episode.at + stepOf(move, episode.columns))) continue;
    putWall(move);
    putText(--count > 0 ? ', ' : '.');
  }
}

function putOffset(distance: i32, back: i32, ahead: i32): void {
  if (distance == 0) return;
  putByte(32);
  putMove(distance < 0 ? back : ahead);
  putByte(32);
  putInteger(abs(distance));
}

/** True if a move brings the agent nearer to the goal's row or column. */
function leadsTowards(episode: Episode, move: i32): bool {
  const width = episode.columns;
  const down = episode.goal / width - episode.at / width;
  const right = (episode.goal % width) - (episode.at % width);
  return move == 0 ? right < 0 : move == 1 ? right > 0 : move == 2 ? down < 0 : down > 0;
}

/** Writes the open directions that lead towards the goal, or those that do not. */
function putOpen(episode: Episode, towards: bool): void {
  let first = true;
  for (let move = 0; move < 4; move++) {
    const open = isFree(episode, episode.at + stepOf(move, episode.columns));
    if (!open || leadsTowards(episode, move) != towards) continue;
    if (first) putText(towards ? '; towards' : '; away');
    first = false;
    putByte(32);
    putMove(move);
  }
}

/** The facts of the original's observation in a third of its length: `goal down 4 right 2; towards down; away left`. */
function putCompact(episode: Episode): void {
  const width = episode.columns;
  putText('goal');
  putOffset(episode.goal / width - episode.at / width, 2, 3);
  putOffset((episode.goal % width) - (episode.at % width), 0, 1);
  putOpen(episode, true);
  putOpen(episode, false);
}

export function putObservation(episode: Episode): void {
  if (episode.compact) { putCompact(episode); return; }
  putText('The goal is at position ');
  putPosition(episode, episode.goal);
  putText('. Your current position is at position ');
  putPosition(episode, episode.at);
  putText('. ');
  putWalls(episode);
}

// --- the rules --------------------------------------------------------------------------------------------------------

/** The move named by a text, or HIT if the text is not exactly one of the four. */
function readMove(pointer: usize, length: i32): u8 {
  if (length == 7 && startsWith(pointer, 7, 'move up')) return 2;
  if (length == 9 && startsWith(pointer, 9, 'move left')) return 0;
  if (length == 9 && startsWith(pointer, 9, 'move down')) return 3;
  if (length == 10 && startsWith(pointer, 10, 'move right')) return 1;
  return HIT;
}

function fail(episode: Episode, accepted: i32): i32 {
  putText('Failure\n');
  episode.done = true;
  return accepted | DONE;
}

/**
 * Performs one action: writes the answer and returns its flags. A wall stops the agent, and the step still counts.
 * Upstream answers Failure to the call after the last step, whatever its action; here the last step ends the episode.
 */
export function act(episode: Episode, pointer: usize, length: i32): i32 {
  const move = readMove(pointer, length);
  const accepted = move == HIT ? 0 : ACCEPTED;
  if (episode.done) { putText('The episode is over.'); return DONE; }
  if (episode.steps >= episode.stepLimit) return fail(episode, accepted);
  const to = move == HIT ? episode.at : episode.at + stepOf(move, episode.columns);
  const moves = to != episode.at && isFree(episode, to);
  store<u8>(moveAt(episode, episode.steps), moves ? move : HIT);
  episode.steps++;
  if (moves) episode.at = to;
  if (episode.at == episode.goal) {
    putText('Success\n');
    episode.done = true;
    return accepted | DONE | WON;
  }
  if (!episode.upstream && episode.steps >= episode.stepLimit) return fail(episode, accepted);
  putObservation(episode);
  return accepted;
}

// --- the oracle -------------------------------------------------------------------------------------------------------

/** The maze as far as the agent can know it; 1 is a wall. */
const known = new StaticArray<u8>(MOST_CELLS);

/** Copies the walls beside a cell, which the agent sees from there. */
function look(episode: Episode, at: i32): void {
  for (let move = 0; move < 4; move++) {
    const beside = at + stepOf(move, episode.columns);
    known[beside] = load<u8>(episode.block + beside);
  }
}

/**
 * Fills `known` with what the agent has seen on its way. Of the other cells, those that are walls in every maze of rooms
 * (the edge, and the corners of rooms) are walls, and the rest are free.
 */
function recall(episode: Episode): void {
  const width = episode.columns;
  for (let i = 0; i < sizeOf(episode); i++) {
    const row = i / width;
    const column = i % width;
    const edge = row == 0 || column == 0 || row == episode.rows - 1 || column == width - 1;
    known[i] = edge || (row | column) % 2 == 0 ? 1 : 0;
  }
  let at = episode.start;
  look(episode, at);
  for (let step = 0; step < episode.steps; step++) {
    const move = load<u8>(moveAt(episode, step));
    if (move == HIT) continue;
    at += stepOf(move, width);
    look(episode, at);
  }
}

/** The first move, in their order, that is nearer to the goal by `distance`. */
function nearerMove(episode: Episode, at: i32): i32 {
  let move = 0;
  while (move < 3) {
    const next = at + stepOf(move, episode.columns);
    if (isFree(episode, next) && distance[next] == distance[at] - 1) break;
    move++;
  }
  return move;
}

/**
 * Writes the oracle's moves from here to the goal, one action per line: a shortest path, or the moves of planning with
 * the free-space assumption (Koenig and Likhachev, D* Lite, 2002): always a shortest path if all cells that the agent
 * has not seen were free. Returns false if too few steps are left.
 */
export function putPlan(episode: Episode): bool {
  if (episode.done) return false;
  const grid = episode.seen ? changetype<usize>(known) : episode.block;
  if (episode.seen) recall(episode);
  let at = episode.at;
  measure(grid, episode.columns, sizeOf(episode), episode.goal);
  for (let left = episode.stepLimit - episode.steps; at != episode.goal; left--) {
    if (distance[at] > left) return false;
    const move = nearerMove(episode, at);
    putAction(move);
    putByte(10);
    at += stepOf(move, episode.columns);
    if (!episode.seen) continue;
    look(episode, at);
    measure(grid, episode.columns, sizeOf(episode), episode.goal);
  }
  return true;
}
