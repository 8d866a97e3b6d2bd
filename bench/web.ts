/**
 * Measures the web at the World contract: a uniform random player's steps per second and bytes per world, on Node, with
 * one world and with twenty at once; with full lists of valid actions, and with clicks only. Measures the same in
 * sandboxed frames of Chromium, if installed.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArgs, findChromium } from '../scripts/machine.mjs';
import type { Task, World, WorldOptions } from '../src/envs/env.ts';
import { randomAction } from '../src/envs/random-player.ts';
import { idOf, templates } from '../src/worlds/web/tasks/index.ts';
import { Web } from '../src/worlds/web/world.ts';
import type { FrameSpeed } from '../tests/envs/web-frame-page.ts';
import { serveFrames } from '../tests/envs/web-frame-server.ts';
import { memoryOf } from '../tools/corpus/memory.ts';
import { cpu, type Result } from './result.ts';

declare const webFrames: {
  measure(script: string, frames: number, tasks: Task[], turns: number): Promise<FrameSpeed>;
  close(): Promise<void>;
};

interface WebRow {
  name: string;
  stepsPerSecond: number;
  resetsPerSecond: number;
  bytesPerWorld: number;
}

const taskOf = (k: number, options: WorldOptions): Task => ({
  world: 'web',
  id: idOf((k * 7) % templates.length, k % 200),
  options,
  strata: {},
});

async function playAll(world: World, count: number, turns: number, options: WorldOptions) {
  const slots = Array.from({ length: count }, (_, k) => k);
  const start = performance.now();
  let answers = await world.reset(
    slots,
    slots.map((k) => taskOf(k, options)),
  );
  const resetMs = performance.now() - start;
  const stepsStart = performance.now();
  for (let turn = 0; turn < turns; turn++) {
    const before = answers;
    answers = await world.step(
      slots,
      slots.map((k) => randomAction(before[k].validActions!, 1, k, turn)),
    );
    // Restart finished worlds with another task: steps after the end cost nothing and would inflate the rate.
    for (const k of slots)
      if (answers[k].done) [answers[k]] = await world.reset([k], [taskOf(k + 31 * (turn + 1), options)]);
  }
  return { resetMs, stepMs: performance.now() - stepsStart };
}

async function measure(name: string, count: number, options: WorldOptions): Promise<WebRow> {
  const world = await Web.open();
  await playAll(world, count, 5, options);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const fresh = await Web.open();
  const turns = Math.ceil(200 / count);
  const { resetMs, stepMs } = await playAll(fresh, count, turns, options);
  globalThis.gc?.();
  const bytes = Math.max(0, process.memoryUsage().heapUsed - before);
  return printRow({
    name,
    stepsPerSecond: (1000 * count * turns) / stepMs,
    resetsPerSecond: (1000 * count) / resetMs,
    bytesPerWorld: bytes / count,
  });
}

function printRow(row: WebRow): WebRow {
  const { name, stepsPerSecond, resetsPerSecond, bytesPerWorld } = row;
  console.log(
    `${name}: ${stepsPerSecond.toFixed(0)} steps/s, ${resetsPerSecond.toFixed(0)} resets/s, ${(bytesPerWorld / 1024).toFixed(0)} KB a world`,
  );
  return row;
}

/**
 * Measures worlds in frames. Memory is the growth of all of Chromium's processes, with shared pages counted
 * proportionally (/proc).
 */
async function measureFrames(counts: readonly number[]): Promise<WebRow[]> {
  const served = await serveFrames();
  const profile = mkdtempSync(join(tmpdir(), 'tabgym-frames-'));
  const tasks = Array.from({ length: 200 }, (_, k) => taskOf(k, {}));
  const rows: WebRow[] = [];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium()!,
    args: chromiumArgs,
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    for (const count of counts) {
      await page.goto(served.url);
      const ask = (turns: number) =>
        page.evaluate(([script, all, frames, steps]) => webFrames.measure(script, frames, JSON.parse(all), steps), [
          served.frame,
          JSON.stringify(tasks),
          count,
          turns,
        ] as const);
      // The first frames include one-time compilation and layout.
      await ask(5);
      await page.evaluate(() => webFrames.close());
      const before = memoryOf(profile).browser;
      const speed = await ask(Math.ceil(200 / count));
      const bytesPerWorld = Math.max(0, memoryOf(profile).browser - before) / count;
      rows.push(
        printRow({ name: `${count === 1 ? 'one frame' : `${count} frames`}, all actions`, ...speed, bytesPerWorld }),
      );
      await page.evaluate(() => webFrames.close());
    }
  } finally {
    await context.close();
    served.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
  return rows;
}

async function measured(): Promise<WebRow[]> {
  const clicks = { verbs: ['click', 'stop'] };
  return [
    await measure('one world, all actions', 1, {}),
    await measure('20 worlds, all actions', 20, {}),
    await measure('one world, clicks and stop', 1, clicks),
    await measure('20 worlds, clicks and stop', 20, clicks),
    ...(findChromium() && existsSync('/proc/self/smaps_rollup') ? await measureFrames([1, 20]) : []),
  ];
}

export async function benchWeb(): Promise<Result> {
  const details = await measured();
  const columns = ['', 'steps/s', 'resets/s', 'KB a world'];
  const rows = details.map(({ name, stepsPerSecond, resetsPerSecond, bytesPerWorld }) => [
    name,
    Math.round(stepsPerSecond),
    Math.round(resetsPerSecond),
    Math.round(bytesPerWorld / 1024),
  ]);
  return { on: cpu(), adapter: null, columns, rows, details };
}
