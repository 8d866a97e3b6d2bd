/** A page that drives itself: a script is injected into the built page and reports its progress by POST /said. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Plugin } from 'vite';
import { rememberLab } from './harness.ts';

/** Receives reports of the page as JSON. */
export const listener =
  <T>(receive: (report: T) => void) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    void text(request).then((body) => {
      receive(JSON.parse(body));
      response.end();
    });
  };

/** Serves the page of `outDir` with the script `drive`, which runs on every load. */
export function drivenBy<T>(drive: () => Promise<void>, receive: (report: T) => void, outDir: string): Plugin {
  const handler = listener(receive);
  return {
    name: 'driven',
    configurePreviewServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const { pathname } = new URL(request.url!, 'http://localhost');
        if (pathname === '/drive.js') {
          response.setHeader('content-type', 'text/javascript');
          return response.end(`(${drive})();`);
        }
        if (pathname === '/lab.js') {
          response.setHeader('content-type', 'text/javascript');
          return response.end(`(${rememberLab})();`);
        }
        if (pathname === '/said') return handler(request, response);
        // The service worker keeps the page under its file's name, and serves it from there after a reload.
        if (pathname !== '/' && pathname !== '/index.html') return next();
        response.setHeader('content-type', 'text/html');
        const page = readFileSync(join(outDir, 'index.html'), 'utf8');
        // The first script is an ordinary one, so that it runs before the page's.
        const scripts = '<script src="/lab.js"></script><script type="module" src="/drive.js"></script>';
        response.end(page.replace('</head>', `${scripts}</head>`));
      });
    },
  };
}
