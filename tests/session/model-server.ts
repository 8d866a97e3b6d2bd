/** A server with the Hub's layout over a folder, with faults that can be switched on. Counts the bytes it sends. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface ServerFaults {
  /** If false, every range request gets the whole file. */
  ranges: boolean;
  /** Closes the connection once, after this many bytes of weights in total; later requests succeed. */
  cutAt: number | null;
  /** Like `cutAt`, but closes every later connection too. */
  dead: boolean;
  /** Closes the connection once, after this many bytes of a longer text. */
  cutTextAt: number | null;
  /** The hash of the weights in x-linked-etag. */
  hash: 'right' | 'wrong' | 'none';
  /**
   * Address of a second server to which large files are redirected, as the hub does. Only the first server's response
   * has x-linked-etag.
   */
  contentFrom: string | null;
  /** If true, large files have an etag of 64 hexadecimal digits that is not their SHA-256. */
  strangeTag: boolean;
  /** After the first cut, serves other weights of the same size, or of this many bytes, with another version. */
  replaced: 'same size' | number | null;
  /** Header that identifies a version in place of x-linked-etag. */
  versions: 'etag' | 'last-modified' | null;
  /** Response for the git-lfs pointer at raw/. */
  pointer: 'ranged' | 'whole' | 'none';
  /** Required token, sent as `Bearer TOKEN`. */
  token: string | null;
  /** The weights end this many bytes before their announced length. */
  shorter: number;
  /** Accepts requests and never answers. */
  silent: boolean;
  /** Answers 503 this many times. */
  busy: number;
}

const isWeights = (name: string) => /\.(safetensors|gguf)$/.test(name);
/** True for files that the hub keeps in git-lfs. */
const isLarge = (name: string) => isWeights(name) || name === 'tokenizer.json';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const good: ServerFaults = {
  ranges: true,
  cutAt: null,
  dead: false,
  cutTextAt: null,
  hash: 'right',
  contentFrom: null,
  strangeTag: false,
  replaced: null,
  versions: null,
  pointer: 'none',
  token: null,
  shorter: 0,
  silent: false,
  busy: 0,
};

export class ModelServer {
  faults: ServerFaults = { ...good };
  /** Bytes of weights sent, and requests answered. */
  sent = 0;
  requests: string[] = [];
  private server: Server;
  private arrived = () => {};
  private readonly files = new Map<string, Buffer>();

  private constructor(private readonly folder: string) {
    this.server = createServer((request, response) => this.answer(request, response));
  }

  static async open(folder: string): Promise<ModelServer> {
    const made = new ModelServer(folder);
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  reset(faults: Partial<ServerFaults> = {}) {
    this.faults = { ...good, ...faults };
    this.sent = 0;
    this.requests = [];
  }

  nextRequest(): Promise<void> {
    return new Promise((resolve) => {
      this.arrived = resolve;
    });
  }

  private read(name: string): Buffer | null {
    const path = join(this.folder, name);
    if (!this.files.has(path) && existsSync(path)) this.files.set(path, readFileSync(path));
    return this.files.get(path) ?? null;
  }

  private answer(request: IncomingMessage, response: ServerResponse) {
    const [, id, kind, name] = /^\/(.+)\/(resolve|raw)\/main\/(.+)$/.exec(request.url ?? '') ?? [];
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', '*');
    response.setHeader('access-control-expose-headers', '*');
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    const item = kind === 'raw' ? `raw ${name}` : (name ?? request.url);
    this.requests.push(`${item} ${request.headers.range ?? ''}`.trim());
    this.arrived();
    if (this.faults.silent) return;
    if (this.faults.busy > 0) {
      this.faults.busy--;
      return response.writeHead(503, { 'retry-after': '0' }).end();
    }
    if (this.faults.token && request.headers.authorization !== `Bearer ${this.faults.token}`)
      return response.writeHead(401, { 'x-error-code': 'GatedRepo' }).end();
    const stored = name ? this.read(join(id, name)) : null;
    const bytes = stored && isWeights(name) ? this.replacedOr(stored) : stored;
    if (!bytes) return response.writeHead(404).end();
    if (kind === 'raw') return this.sendPointer(bytes, response);
    if (this.faults.contentFrom && isLarge(name)) return this.redirect(request.url!, bytes, response);
    this.send(name, bytes, request.headers.range, response);
  }

  private replacedOr(bytes: Buffer): Buffer {
    const { replaced, cutAt } = this.faults;
    if (replaced === null || cutAt !== null) return bytes;
    return replaced === 'same size' ? Buffer.from(bytes).fill(0x3c, bytes.length >> 1) : bytes.subarray(0, replaced);
  }

  private redirect(path: string, bytes: Buffer, response: ServerResponse) {
    const location = `${this.faults.contentFrom}${path}`;
    const headers = { location, 'x-linked-etag': `"${this.hash(bytes)}"`, 'x-linked-size': bytes.length };
    response.writeHead(302, headers).end();
  }

  private sendPointer(bytes: Buffer, response: ServerResponse) {
    const { pointer } = this.faults;
    if (pointer === 'none') return response.writeHead(404).end();
    const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${this.hash(bytes)}\nsize ${bytes.length}\n`;
    const range = pointer === 'ranged' ? { 'content-range': `bytes 0-${text.length - 1}/${text.length}` } : {};
    response.writeHead(pointer === 'ranged' ? 206 : 200, { 'content-length': text.length, ...range }).end(text);
  }

  private send(name: string, bytes: Buffer, range: string | undefined, response: ServerResponse) {
    const large = isWeights(name);
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
    const ranged = this.faults.ranges && first !== undefined;
    const start = ranged ? Number(first) : 0;
    const end = ranged && last ? Number(last) + 1 : bytes.length;
    const headers: { [name: string]: string | number } = { 'content-length': end - start };
    if (ranged) headers['content-range'] = `bytes ${start}-${end - 1}/${bytes.length}`;
    const { versions } = this.faults;
    if (large && versions === 'etag') headers.etag = `"${sha256(bytes).slice(0, 40)}"`;
    if (large && versions === 'last-modified')
      headers['last-modified'] = new Date(bytes[bytes.length - 1] * 1000).toUTCString();
    if (large && !versions && this.faults.hash !== 'none') headers['x-linked-etag'] = `"${this.hash(bytes)}"`;
    if (this.faults.strangeTag && isLarge(name)) headers.etag = `"${sha256(Buffer.from(bytes.toString('base64')))}"`;
    response.writeHead(ranged ? 206 : 200, headers);
    const body = bytes.subarray(start, large && end === bytes.length ? end - this.faults.shorter : end);
    if (large && end === bytes.length) this.sendWeights(body, response, end - start);
    else this.sendText(body, response);
  }

  private sendText(body: Buffer, response: ServerResponse) {
    const { cutTextAt } = this.faults;
    if (cutTextAt === null || body.length <= cutTextAt) return response.end(body);
    this.faults.cutTextAt = null;
    this.cut(body.subarray(0, cutTextAt), response);
  }

  /** The pause lets the written bytes arrive before the connection closes. */
  private cut(body: Buffer, response: ServerResponse) {
    response.write(body, () => setTimeout(() => response.destroy(), 5));
  }

  private hash(bytes: Buffer): string {
    const text = sha256(bytes);
    return this.faults.hash === 'wrong' ? text.replace(/^./, (c) => (c === '0' ? '1' : '0')) : text;
  }

  private sendWeights(body: Buffer, response: ServerResponse, announced: number) {
    const { cutAt, dead } = this.faults;
    const left = cutAt === null ? body.length : Math.max(0, Math.min(body.length, cutAt - this.sent));
    this.sent += left;
    if (left === body.length && body.length === announced) return response.end(body);
    if (!dead) this.faults.cutAt = null;
    this.cut(body.subarray(0, left), response);
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
