/**
 * The page at the plain http address: a browser gives such a page of another machine no GPU, no threads and no service
 * worker, so it only explains this and links to the address that works.
 */
import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { escapeXml } from '../../rl/evaluation/svg-chart.ts';
import { Door, type DoorOptions } from '../../server/door.ts';
import { timeOuts } from '../../server/time-outs.ts';

const style = `:root{color-scheme:light dark}body{font:18px/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}
a{overflow-wrap:anywhere}.go{display:inline-block;padding:.5rem 1rem;border:2px solid;border-radius:.5rem;font-weight:650}`;

const texts = [
  {
    lang: 'en',
    title: 'Open this class by its secure address',
    go: 'Open',
    lines: [
      'This address begins with http. To a page of another machine that comes without encryption, a browser gives no GPU, no threads and no storage for offline use, so nothing can train here.',
      'At the secure address your browser will warn once that the connection is not private: the teacher’s machine has signed its certificate itself. Choose “Advanced”, then “Proceed”. The teacher can show you the certificate’s fingerprint to compare.',
    ],
  },
  {
    lang: 'zh-Hans',
    title: '请用安全地址打开本课堂',
    go: '打开',
    lines: [
      '此地址以 http 开头。对于来自其他机器且未加密的页面，浏览器不提供 GPU、线程和离线存储，因此无法在这里训练。',
      '在安全地址上，浏览器会提示一次“连接不是私密连接”：证书由教师的机器自行签发。请选择“高级”，再选择“继续前往”。教师可以出示证书指纹供你核对。',
    ],
  },
];

/** The reduced page, for a request to this host. */
export function plainPage(host: string, securePort: number): string {
  const address = escapeXml(`https://${host.replace(/:\d*$/, '')}:${securePort}/`);
  const parts = texts.map(
    ({ lang, title, go, lines }) =>
      `<section lang="${lang}"><h1>${title}</h1>${lines.map((each) => `<p>${each}</p>`).join('')}<p><a class="go" href="${address}">${go} ${address}</a></p></section>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Tabgym class</title><style>${style}</style></head><body>${parts.join('<hr>')}</body></html>`;
}

const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Server of the plain address. It answers every GET with the reduced page, and nothing else. */
export function plainServer(options: DoorOptions, securePort: number): FastifyInstance {
  const door = new Door({ ...options, token: null });
  const app = fastify({ ...timeOuts(), bodyLimit: 1024, forceCloseConnections: true });
  door.guard(app);
  app.get('/*', (request: { raw: IncomingMessage }, reply) =>
    reply
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(plainPage(request.raw.headers.host ?? '', securePort)),
  );
  return app;
}
