/** A world's port over a module worker of a page. */
import type { WorldPort, WorldReply } from './port.ts';

export function pagePort(worker: Worker): WorldPort {
  return {
    post: (request) => worker.postMessage(request),
    listen(receive, lost) {
      worker.onmessage = (event: MessageEvent<WorldReply>) => receive(event.data);
      worker.onerror = (event) => lost(`the worker stopped: ${event.message || 'its script could not be loaded'}`);
      worker.onmessageerror = () => lost('the worker sent a message that cannot be read');
    },
    terminate: () => worker.terminate(),
  };
}
