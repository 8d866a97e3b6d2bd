/** Gives the event loop of this thread its turn in the middle of long work. */

/**
 * Longest time in milliseconds that work keeps the event loop waiting, up to the end of the chunk that is being computed.
 * Shorter work is not interrupted.
 */
export const MOST_MS_WITHOUT_TURN = 50;

let channel: MessageChannel | null = null;
let waiting: (() => void)[] = [];

/** A message to this thread: unlike a timer of 0 ms, it is not delayed to 4 ms after a few rounds. */
function afterMessage(): Promise<void> {
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const resumed = waiting;
      waiting = [];
      for (const resume of resumed) resume();
    };
  }
  const { port2 } = channel;
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) port2.postMessage(null);
  });
}

const afterImmediate = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Resolves after the pending events of this thread. */
export const eventLoopTurn: () => Promise<void> = typeof setImmediate === 'function' ? afterImmediate : afterMessage;
