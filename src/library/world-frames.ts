/** Frames that a worker requests from its page, for worlds that run in a frame (`envs/transport/frame-port.ts`). */

import { openFrame } from '../envs/transport/frame.ts';
import type { FrameRequest } from '../envs/transport/frame-port.ts';
import { worldModule } from '../worlds/registry.ts';

/**
 * Handles the requests of one worker. Each frame gets its end of a message channel; `failed` is called if a frame
 * cannot be opened.
 */
export function frameKeeper(failed: (error: Error) => void) {
  const frames = new Map<number, { remove(): void }>();
  const waiting = new Map<number, AbortController>();

  async function open(id: number, world: string, port: MessagePort): Promise<void> {
    const { frame } = worldModule(world);
    if (!frame) throw new Error(`${world} has no frame.`);
    const control = new AbortController();
    waiting.set(id, control);
    try {
      frames.set(id, await openFrame(await frame(), port, control.signal));
    } finally {
      waiting.delete(id);
    }
  }

  const close = (id: number) => {
    waiting.get(id)?.abort();
    frames.get(id)?.remove();
    frames.delete(id);
  };

  return {
    receive(request: FrameRequest, ports: readonly MessagePort[]): void {
      if ('closeFrame' in request) close(request.closeFrame);
      else
        open(request.openFrame, request.world, ports[0]).catch((error: Error) => {
          if (error.name !== 'AbortError') failed(error);
        });
    },
    /** Closes all frames, for a worker that was terminated. */
    closeAll(): void {
      for (const id of [...frames.keys(), ...waiting.keys()]) close(id);
    },
  };
}
