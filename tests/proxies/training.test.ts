/**
 * The experiment that learns on the six sites in a page also learns on them through the proxy, in a real Chromium, with
 * the same policy, algorithm, texts and clicks. Takes some minutes: `npm run test:proxy`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { findChromium, root } from '../../scripts/machine.mjs';
import { idOf, templates } from '../../src/worlds/web/tasks/index.ts';
import { openOver } from './opened.ts';
import { SixSites } from './six-sites.ts';

const skip = !process.env.TABGYM_PROXY_ALL || !findChromium();
if (skip) console.log('skipped: training through the proxy runs by npm run test:proxy');

const steps = 2;

/** `web-first` on the served sites: its own templates, without the imitation stage, since a server has no oracle. */
function servedExperiment(items: readonly number[]): object {
  const first = JSON.parse(readFileSync(join(root, 'experiments/web-first.json'), 'utf8'));
  const { stages: _, ...rest } = first;
  const given = { trainItems: items.join(', '), testItems: String(items[0]), observation: 'terse', verbs: ['click'] };
  return {
    ...rest,
    name: 'The web, through the proxy',
    steps,
    worlds: [{ name: 'agentgym-webarena', weight: 1, options: given }],
    algorithm: { ...first.algorithm, groups: 4, groupSize: 8 },
    horizon: [{ steps, turns: 3 }],
    evaluation: { every: steps, episodes: 2 },
  };
}

it.skipIf(skip)(
  'the first clicks are trained on the served sites',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tabgym-served-'));
    const sites = await new SixSites().listen();
    const named: readonly string[] = JSON.parse(
      readFileSync(join(root, 'experiments/web-first.json'), 'utf8'),
    ).worlds.flatMap(({ options }: { options: { templates: string[] } }) => options.templates);
    const items = templates.flatMap(({ name }, index) =>
      named.includes(name) ? [idOf(index, 3), idOf(index, 4)] : [],
    );
    const opened = await openOver(
      sites,
      items.map((id) => sites.task(id)),
      { judgeEachStep: true, wholePage: true, viewport: { width: 1280, height: 720 } },
    );
    try {
      const address = await opened.proxy.app.listen({ host: '127.0.0.1', port: 0 });
      const file = join(folder, 'served.json');
      writeFileSync(file, JSON.stringify(servedExperiment(items)));
      const at = `agentgym-webarena=${address}/${opened.proxy.token}/webarena`;
      const commandLine = [
        'build/cli/train.js',
        file,
        '--connect',
        at,
        '--out',
        join(folder, 'run'),
        '--device',
        'wasm',
        '--few-episodes',
      ];
      const child = spawn(process.execPath, commandLine, { cwd: root });
      child.stdout.on('data', (each) => process.stdout.write(each));
      const [output, wrong, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      expect(wrong).toBe('');
      expect(code).toBe(0);
      expect(output).toContain(`step ${steps}`);
      // Some group had both a successful and a failed episode, so there was something to learn from.
      expect(output).toMatch(/grad 0*\.?0*[1-9]/);
      expect(output).not.toContain(opened.proxy.token);
      expect(opened.errors).toEqual([]);
    } finally {
      await opened.close();
      await sites.close();
      rmSync(folder, { recursive: true });
    }
  },
  600_000,
);
