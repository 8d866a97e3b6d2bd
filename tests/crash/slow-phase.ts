// Stretches a chosen phase of a step so that a kill can fall inside it: the worker reports the start of the phase and
// stays busy.
// Refill: the count of episodes starts again within a step. Updates: the updates of a step begin.
import type { Progress, SessionEvent } from '../../src/session/protocol.ts';

export type Phase = 'refill' | 'updates';

const STRETCH_MS = 4000;
const channel = new BroadcastChannel('crash');
let armed: { phase: Phase; left: number } | null = null;
channel.onmessage = ({ data }) => {
  if (data.stretchPhase) armed = { phase: data.stretchPhase.phase, left: data.stretchPhase.nth };
};

let last: Progress | null = null;

/** Phase that begins with this progress event; null if none does. */
function startedPhase(progress: Progress | null): Phase | null {
  const before = last;
  last = progress;
  if (progress?.what === 'updates' && before?.what !== 'updates') return 'updates';
  const again = before?.what === 'episodes' && progress?.what === 'episodes' && progress.done < before.done;
  return again ? 'refill' : null;
}

function heed(event: SessionEvent): void {
  const phase = event.type === 'progress' ? startedPhase(event.progress) : null;
  if (!armed || phase !== armed.phase || --armed.left > 0) return;
  armed = null;
  channel.postMessage({ inside: phase });
  const until = Date.now() + STRETCH_MS;
  while (Date.now() < until);
}

/** Comlink sends events as the arguments of a call. */
const post = MessagePort.prototype.postMessage;
MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: unknown[]) {
  (post as (...all: unknown[]) => void).call(this, message, ...rest);
  const { argumentList = [] } = (message ?? {}) as { argumentList?: { value?: SessionEvent }[] };
  const event = argumentList[0]?.value;
  if (event && typeof event === 'object' && 'type' in event) heed(event);
} as typeof post;
