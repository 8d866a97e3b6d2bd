/** The worker's side: loads QuickJS, reports that it is ready, and runs calls one after another. */
import { loadInterpreter } from './interpreter.ts';
import { memoryBytes, type SandboxReply, type SandboxRequest } from './protocol.ts';
import { runCall } from './realm.ts';

const buffersOf = (reply: SandboxReply): ArrayBuffer[] =>
  'result' in reply ? Object.values(reply.result.arrays).map(({ buffer }) => buffer as ArrayBuffer) : [];

/** Handles requests; those that arrive before the interpreter is loaded wait for it. */
export function serveSandbox(
  reply: (message: SandboxReply, transfer: ArrayBuffer[]) => void,
): (request: SandboxRequest) => void {
  const loading = loadInterpreter(memoryBytes);
  loading.then(
    () => reply({ ready: true }, []),
    (error: Error) => reply({ failed: error.message }, []),
  );
  return ({ id, limits, ...call }) =>
    void loading.then(
      ({ quickjs }) => {
        const answer = { id, ...runCall(quickjs, call, limits) };
        reply(answer, buffersOf(answer));
      },
      () => {},
    );
}
