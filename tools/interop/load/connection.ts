/**
 * One keep-alive connection to a server, with one request at a time. Minimal, because a client with every convenience
 * would take processor time that the server needs.
 */
import { connect, type Socket } from 'node:net';

export interface Response {
  status: number;
  body: string;
}

class Closed extends Error {
  override name = 'Closed';
  constructor(readonly begun: boolean) {
    super('The server closed the connection within a request.');
  }
}

const headEnd = Buffer.from('\r\n\r\n');

export class Connection {
  private socket: Socket | null = null;
  private received: Buffer = Buffer.alloc(0);
  private waiting: { done(response: Response): void; fail(error: Error): void } | null = null;

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /**
   * Posts JSON. A server may close an idle connection (uvicorn after 5 s) just as the next request is sent; the request
   * is then sent once more.
   */
  async post(path: string, value: unknown): Promise<Response> {
    const waited = this.socket !== null;
    return this.send(path, value).catch((error) => {
      if (!waited || !(error instanceof Closed) || error.begun) throw error;
      return this.send(path, value);
    });
  }

  private async send(path: string, value: unknown): Promise<Response> {
    const body = JSON.stringify(value);
    this.socket ??= await this.open();
    const head = `POST ${path} HTTP/1.1\r\nHost: ${this.host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    return new Promise((done, fail) => {
      this.waiting = { done, fail };
      this.socket!.write(head + body);
    });
  }

  close(): void {
    this.socket?.destroy();
  }

  private open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: this.host, port: this.port, noDelay: true }, () => resolve(socket));
      socket.on('data', (chunk) => this.take(chunk));
      socket.on('error', reject);
      socket.on('close', () => {
        // Ignore the close of a socket that was already replaced.
        if (this.socket !== null && this.socket !== socket) return;
        const begun = this.received.length > 0;
        this.socket = null;
        this.received = Buffer.alloc(0);
        this.waiting?.fail(new Closed(begun));
        this.waiting = null;
      });
    });
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length ? Buffer.concat([this.received, chunk]) : chunk;
    const end = this.received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.received.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const start = end + headEnd.length;
    if (this.received.length < start + length) return;
    const body = this.received.toString('utf8', start, start + length);
    this.received = Buffer.alloc(0);
    const { waiting } = this;
    this.waiting = null;
    if (/\r\nconnection: *close/i.test(head)) {
      this.socket?.destroy();
      this.socket = null;
    }
    waiting?.done({ status: Number(head.slice(9, 12)), body });
  }
}
