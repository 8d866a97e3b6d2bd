/**
 * Several threads compute one list of calls, in slices that end at a deadline. A call is divided into chunks of its output, always in the same way, and
 * any free thread takes the next chunk; so the numbers do not depend on which thread computes a chunk. The next call
 * begins when all chunks of the current one are done, and does not wait for every thread to arrive: a thread that the
 * system has suspended delays the others only if it holds a chunk.
 *
 * Control words (32 bits each), at an address that the host sets:
 *   0 epoch: incremented to open a list · 1 open: 1 while the list may be read · 2 inside: helpers in the list
 *   3 quit · 4 failed: a helper has trapped · 5 address of the list · 6 number of calls · 7 helpers asleep between lists
 *   8 threads asleep in a list · 9 chunks that helpers have taken · 10 number of helpers allowed: the others exit
 *   32 stop: 1 from the deadline of a slice until the next slice (in a cache line of its own)
 *
 * At the deadline the host sets `stop`, and no thread takes another chunk. Chunks are taken in order and each taken chunk
 * is completed, so the first chunks of one call are done and the others are not: the next slice begins there. A slice
 * changes when a chunk is computed, never its numbers.
 */
import { RECORD_BYTES } from './call';
import { chunksOf, runChunk } from '../build/kernels/operations';

const SPINS: i32 = 4000;
/** A helper polls for about 0.2 ms between lists before it sleeps. */
const IDLE_SPINS: i32 = 40000;
/** A sleeping thread wakes after this time at the latest, in nanoseconds. */
const NAP: i64 = 2000000;
/**
 * Rounds without progress after which the helper that holds a chunk counts as dead: about 20 seconds of naps or
 * spinning.
 */
const PATIENT_NAPS: i32 = 10000;
const PATIENT_SPINS: i32 = 4000000;

/** Return values of a list. */
const DONE: i32 = 0;
const HELPER_FAILED: i32 = 1;
const STOPPED: i32 = 2;

/** The host's clock in milliseconds, imported as `threads.now`. Only the host's thread reads it. */
declare function now(): f64;

/** First call and first chunk that a stopped list has left. */
let leftCall: i32 = 0;
let leftChunk: i32 = 0;
export function firstCallLeft(): i32 { return leftCall; }
export function firstChunkLeft(): i32 { return leftChunk; }

/** Time at which the current slice ends. */
let deadline: f64 = 0;

// @ts-ignore: decorator
@inline
function isStopped(): bool { return atomic.load<i32>(control + 128) != 0; }

/** Sets `stop` if the deadline has passed. */
function stopWhenDue(): void {
  if (now() < deadline) return;
  atomic.store<i32>(control + 128, 1);
}

/** Computes chunks of a call until none is left or the slice is over. */
function work(call: usize, chunks: i32): void {
  let taken = 0;
  while (!isStopped()) {
    const chunk = atomic.add<i32>(call + 4, 1);
    if (chunk >= chunks) break;
    runChunk(call, chunk);
    taken++;
    if (!isHelper && chunk + 1 < chunks) stopWhenDue();
  }
  if (taken == 0) return;
  if (isHelper) atomic.add<i32>(control + 36, taken);
  const before = atomic.add<i32>(call + 8, taken);
  if (before + taken == chunks && atomic.load<i32>(control + 32) > 0) atomic.notify(call + 8, -1);
}

let isHelper: bool = false;
let control: usize = 0;
export function setControl(at: usize): void { control = at; }

/** Number of this helper, from 1. */
let rank: i32 = 0;
export function setNumber(number: i32): void { rank = number; }

/** Waits until all chunks of a call are done, or the slice is over. */
function settle(call: usize, chunks: i32, mayWait: bool): i32 {
  let spins = SPINS;
  let rounds = 0;
  for (;;) {
    const done = atomic.load<i32>(call + 8);
    if (done >= chunks) return DONE;
    if (isStopped()) return STOPPED;
    if (--spins > 0) continue;
    if (atomic.load<i32>(control + 16) != 0) return HELPER_FAILED;
    if (++rounds > (mayWait ? PATIENT_NAPS : PATIENT_SPINS)) return HELPER_FAILED;
    spins = SPINS;
    if (!mayWait) continue;
    atomic.add<i32>(control + 32, 1);
    atomic.wait<i32>(call + 8, done, NAP);
    atomic.sub<i32>(control + 32, 1);
  }
  return HELPER_FAILED;
}

function walk(list: usize, count: i32, mayWait: bool): i32 {
  for (let i = 0; i < count; i++) {
    const call = list + <usize>i * RECORD_BYTES;
    const chunks = load<i32>(call + 12);
    // A helper that arrives late skips the calls that are done.
    if (atomic.load<i32>(call + 8) >= chunks) continue;
    work(call, chunks);
    const status = settle(call, chunks, mayWait);
    if (status != DONE) return status;
    if (!isHelper && i + 1 < count) stopWhenDue();
    if (isStopped()) return STOPPED;
  }
  return DONE;
}

/** Sets the number of chunks of every call of a list. The first `chunk` chunks of the first call are done already. */
function prepare(list: usize, count: i32, chunk: i32): void {
  for (let i = 0; i < count; i++) {
    const call = list + <usize>i * RECORD_BYTES;
    const done = i == 0 ? chunk : 0;
    store<i32>(call + 4, done);
    store<i32>(call + 8, done);
    store<i32>(call + 12, chunksOf(call));
  }
}

/** Finds the first chunk that a stopped list has left. No thread may be in the list. */
function findRest(list: usize, count: i32): i32 {
  for (let i = 0; i < count; i++) {
    const call = list + <usize>i * RECORD_BYTES;
    const done = atomic.load<i32>(call + 8);
    if (done >= load<i32>(call + 12)) continue;
    leftCall = i;
    leftChunk = done;
    return STOPPED;
  }
  return DONE;
}

/**
 * Computes a list on the host's thread only, from chunk `chunk` of its first call: all chunks in order, without
 * atomics. Stops after the first chunk that ends after `until`.
 */
export function runAlone(list: usize, count: i32, chunk: i32, until: f64): i32 {
  for (let i = 0; i < count; i++) {
    const call = list + <usize>i * RECORD_BYTES;
    const chunks = chunksOf(call);
    while (chunk < chunks) {
      runChunk(call, chunk);
      chunk++;
      if (chunk == chunks && i + 1 == count) break;
      if (now() < until) continue;
      leftCall = chunk < chunks ? i : i + 1;
      leftChunk = chunk < chunks ? chunk : 0;
      return STOPPED;
    }
    chunk = 0;
  }
  return DONE;
}

/**
 * Computes a list on the host's thread and its helpers, from chunk `chunk` of its first call. Returns when every call is
 * done or the slice is over at `until`, and no helper reads the list any more. `mayWait`: false on a page's main thread,
 * which must not block.
 */
export function runTogether(list: usize, count: i32, chunk: i32, until: f64, mayWait: bool): i32 {
  prepare(list, count, chunk);
  deadline = until;
  atomic.store<i32>(control + 128, 0);
  store<u32>(control + 20, <u32>list);
  store<i32>(control + 24, count);
  atomic.store<i32>(control + 4, 1);
  atomic.add<i32>(control, 1);
  if (atomic.load<i32>(control + 28) > 0) atomic.notify(control, -1);
  const status = walk(list, count, mayWait);
  atomic.store<i32>(control + 4, 0);
  if (status == HELPER_FAILED) return HELPER_FAILED;
  if (!leave(mayWait)) return HELPER_FAILED;
  return status == DONE ? DONE : findRest(list, count);
}

/** Waits until no helper reads the list any more, because the host will overwrite it. */
function leave(mayWait: bool): bool {
  let spins = SPINS;
  let rounds = 0;
  for (;;) {
    const inside = atomic.load<i32>(control + 8);
    if (inside == 0) return true;
    if (--spins > 0) continue;
    if (atomic.load<i32>(control + 16) != 0) return false;
    if (++rounds > (mayWait ? PATIENT_NAPS : PATIENT_SPINS)) return false;
    spins = SPINS;
    // A suspended helper may need this core: give it up.
    if (mayWait) atomic.wait<i32>(control + 8, inside, NAP);
  }
  return false;
}

// @ts-ignore: decorator
@inline
function isDismissed(): bool { return atomic.load<i32>(control + 12) != 0 || rank > atomic.load<i32>(control + 40); }

/** Main loop of a helper, until it has to exit. */
export function serve(): void {
  isHelper = true;
  let seen = 0;
  for (;;) {
    let spins = IDLE_SPINS;
    while (atomic.load<i32>(control) == seen && --spins > 0) {}
    while (atomic.load<i32>(control) == seen) {
      if (isDismissed()) return;
      atomic.add<i32>(control + 28, 1);
      atomic.wait<i32>(control, seen, -1);
      atomic.sub<i32>(control + 28, 1);
    }
    if (isDismissed()) return;
    seen = atomic.load<i32>(control);
    atomic.add<i32>(control + 8, 1);
    // The list is opened before the epoch changes, and closed before anyone waits for `inside` to reach 0: it does not
    // change while a helper is inside.
    if (atomic.load<i32>(control + 4) == 1) walk(load<u32>(control + 20), load<i32>(control + 24), true);
    if (atomic.sub<i32>(control + 8, 1) == 1) atomic.notify(control + 8, 1);
  }
}
