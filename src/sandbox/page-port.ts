/** The sandbox's port over a worker of a page. */
import type { SandboxPort, SandboxReply } from './protocol.ts';

export const pagePort = (worker: Worker): SandboxPort => ({
  post: (request) => worker.postMessage(request),
  listen(receive, lost) {
    worker.onmessage = (event: MessageEvent<SandboxReply>) => receive(event.data);
    worker.onerror = (event) => lost(`the worker stopped: ${event.message || 'its script could not be loaded'}`);
    worker.onmessageerror = () => lost('the worker sent a message that cannot be read');
  },
  terminate: () => worker.terminate(),
});
