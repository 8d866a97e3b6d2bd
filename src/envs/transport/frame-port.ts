/**
 * Lets a worker open a frame, which only its page can do. The worker sends one end of a channel and the world's name to
 * the page, and uses the other end as it would use a worker. The page's side is `src/library/world-frames.ts`.
 */
import type { WorldPort, WorldReply, WorldRequest } from './port.ts';

/** Requests of a worker to its page. */
export type FrameRequest = { openFrame: number; world: string } | { closeFrame: number };

export const isFrameRequest = (data: unknown): data is FrameRequest =>
  typeof data === 'object' && data !== null && ('openFrame' in data || 'closeFrame' in data);

let opened = 0;

/**
 * For a worker of a page. A page that cannot open the frame does not answer, and the pool's time limit for opening
 * expires.
 */
export function askForFrame(world: string): WorldPort {
  const { port1, port2 } = new MessageChannel();
  const id = ++opened;
  const ask = (request: FrameRequest, transfer: Transferable[] = []) => self.postMessage(request, { transfer });
  ask({ openFrame: id, world }, [port2]);
  return {
    post: (request: WorldRequest) => port1.postMessage(request),
    listen(receive, lost) {
      port1.onmessage = (event: MessageEvent<WorldReply>) => receive(event.data);
      port1.onmessageerror = () => lost('the frame sent a message that cannot be read');
    },
    terminate() {
      port1.close();
      ask({ closeFrame: id });
    },
  };
}
