/**
 * A page of foreign content in two nested sandboxed frames (`src/envs/transport/frame.ts`), for a view that shows one.
 * The view and the frame's script exchange messages over a port; nothing else joins them.
 */
import { frameDocument, nestedDocument, newNonce } from '../../envs/transport/frame.ts';

export class NestedFrame<Message> {
  /** Document of the outer frame. */
  readonly source: string;
  private port: MessagePort | null = null;

  constructor(
    script: string,
    style: string,
    private readonly receive: (message: Message) => void,
  ) {
    const nonce = newNonce();
    this.source = nestedDocument(frameDocument(script, nonce, `<style>${style}</style>`), nonce);
  }

  /** Passes one end of a channel to the inner frame of a frame that has loaded. */
  connect(frame: HTMLIFrameElement | null): void {
    const inner = frame?.contentWindow?.[0];
    if (!inner) return;
    const { port1, port2 } = new MessageChannel();
    this.close();
    this.port = port1;
    port1.onmessage = ({ data }: MessageEvent<Message>) => this.receive(data);
    inner.postMessage(null, '*', [port2]);
  }

  post(message: unknown): void {
    this.port?.postMessage(message);
  }

  close(): void {
    this.port?.close();
    this.port = null;
  }
}
