/** A hostile site, and beside it a forbidden server. The forbidden server counts the requests that reach it. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const listen = (server: Server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const portOf = (server: Server) => (server.address() as AddressInfo).port;

const endless = '<title>endless</title><p>This page never ends.';

export class HostileSite {
  private readonly server = createServer((request, response) => this.answer(request, response));
  private readonly secret = createServer((request, response) => {
    this.reached.push(request.url!);
    response.setHeader('access-control-allow-origin', '*').end('the secret');
  });
  /** Paths requested from the forbidden server. */
  readonly reached: string[] = [];

  async listen(): Promise<this> {
    await Promise.all([listen(this.server), listen(this.secret)]);
    this.secret.on('upgrade', (request, socket) => {
      this.reached.push(`socket ${request.url}`);
      socket.destroy();
    });
    return this;
  }

  close(): void {
    for (const server of [this.server, this.secret]) server.close().closeAllConnections();
  }

  get address(): string {
    return `http://hostile.localhost:${portOf(this.server)}`;
  }

  get forbidden(): string {
    return `http://127.0.0.1:${portOf(this.secret)}`;
  }

  private get pages(): { [path: string]: string } {
    const { forbidden } = this;
    const script = (text: string) => `<title>page</title><p>A page.</p><script>${text}</script>`;
    return {
      '/calm': '<title>calm</title><h1>Calm</h1><a href="/calm?again">Again</a>',
      '/navigate': script(`location = '${forbidden}/navigate'`),
      '/refresh': `<title>page</title><meta http-equiv="refresh" content="0;url=${forbidden}/refresh">`,
      '/fetch': script(`fetch('${forbidden}/fetch').then(r => r.text()).then(t => { document.title = t; })`),
      '/socket': script(`new WebSocket('${forbidden.replace('http', 'ws')}/socket')`),
      '/image': `<title>page</title><img src="${forbidden}/image" alt="picture">`,
      '/frame': `<title>page</title><iframe src="${forbidden}/frame"></iframe>`,
      // Bypasses the driver's own replacement of `register`.
      '/worker': script("ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, '/worker.js')"),
      '/rtc': script(
        `const c = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:${portOf(this.secret)}'}]}); c.createDataChannel('x'); ` +
          `const seen = []; c.onicecandidate = e => { if (e.candidate) seen.push(e.candidate.candidate); document.title = 'candidates ' + seen.length }; c.createOffer().then(o => c.setLocalDescription(o)); document.title = 'candidates 0'`,
      ),
      // A short response whose document a script makes long.
      '/grown': script("document.body.append(document.createComment('x'.repeat(3e6)))"),
      '/staying': `<title>staying</title><button>Stay</button><script>addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });</script>`,
      '/loop': script('setTimeout(() => { for (;;); }, 50)'),
      '/lying': script(
        "Object.defineProperty(Element.prototype, 'outerHTML', { get: () => '' }); document.body.append(document.createComment('x'.repeat(3e6)))",
      ),
      '/popups': script("for (let k = 0; k < 1000; k++) open('/calm?' + k)"),
      '/alerts': script('setTimeout(() => { for (;;) alert(1); }, 50)'),
      '/hog': script(
        'setTimeout(() => { const all = []; setInterval(() => { for (let k = 0; k < 8; k++) all.push(new Uint8Array(4 << 20).fill(7)); }, 10); }, 50)',
      ),
      '/download': script("setTimeout(() => { location = '/file'; }, 50)"),
      '/waiting': '<title>waiting</title><p>A picture never comes.<img src="/never">',
    };
  }

  private answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    const path = url.split('?')[0];
    if (path === '/never') return;
    if (path === '/redirect') return void response.writeHead(302, { location: `${this.forbidden}/redirect` }).end();
    if (path === '/huge') return void this.sendForever(response, 2 ** 31);
    if (path === '/file') {
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename=a',
      });
      return void response.end('x'.repeat(1000));
    }
    if (path === '/worker.js')
      return void response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end(`fetch('${this.forbidden}/worker')`);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path === '/endless') return void response.write(endless);
    const page = this.pages[path];
    response.writeHead(page ? 200 : 404).end(page ?? '');
  }

  /** Sends up to `bytes` bytes, as fast as the client takes them. */
  private sendForever(response: ServerResponse, bytes: number): void {
    response.writeHead(200, { 'content-type': 'text/html' });
    const chunk = Buffer.from(`<p>${'large '.repeat(10_000)}</p>`);
    let sent = 0;
    const more = () => {
      while (sent < bytes && !response.destroyed) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  }
}
