/** The page of a SCORM package on platforms and with launches that fail. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';

const launcher = readFileSync('src/classroom/scorm/launcher.js', 'utf8');
const settings = { id: 'lesson:a', title: 'A', hash: '#lesson=a', xapi: true };

/** Runs the page's script. Returns what it shows, its frame, and how a message of the frame reaches it. */
function launched(api: object | null, search = '') {
  const frame = { contentWindow: {}, src: '' };
  const said = { textContent: '' };
  const heard: Record<string, (event: object) => void> = {};
  const window: { API: object | null; parent?: object; opener: null } = { API: api, opener: null };
  window.parent = window;
  runInNewContext(launcher, {
    window,
    document: {
      currentScript: { dataset: { settings: JSON.stringify(settings) } },
      getElementById: (id: string) => (id === 'page' ? frame : said),
    },
    location: { origin: 'https://a', search },
    addEventListener: (name: string, listener: (event: object) => void) => {
      heard[name] = listener;
    },
    URLSearchParams,
    fetch: () => Promise.reject(new Error('no network')),
  });
  const progress = (data: object) =>
    heard.message({
      source: frame.contentWindow,
      origin: 'https://a',
      data: { type: 'tabgym-progress', id: settings.id, ...data },
    });
  return { frame, said, heard, progress };
}

const failing = new Proxy(
  {},
  {
    get: (_, name) => () => {
      throw new Error(`${String(name)} ${'x'.repeat(1e6)}`);
    },
  },
);

it('opens on a platform whose every function fails, and names the call', () => {
  for (const api of [failing, {}, { LMSInitialize: null }]) {
    const { frame, said, heard, progress } = launched(api);
    expect(frame.src).toBe('site/index.html#lesson=a');
    expect(said.textContent).toMatch(/^The platform failed at LMS.{1,300}$/);
    progress({ finished: true, score: 100 });
    heard.pagehide({});
  }
});

it('names a launch whose actor is not JSON, and a record store that does not answer', async () => {
  const { said, progress } = launched(null, '?endpoint=https://b/&actor={');
  progress({ finished: true, score: 50 });
  await new Promise((resolve) => setTimeout(resolve));
  expect(said.textContent).toMatch(/^No statement was sent: SyntaxError/);
  const other = launched(null, '?endpoint=https://b/&actor={}');
  other.progress({ finished: true, score: 50 });
  await new Promise((resolve) => setTimeout(resolve));
  expect(other.said.textContent).toContain('no network');
});
