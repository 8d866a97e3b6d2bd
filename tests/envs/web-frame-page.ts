/** The page side of web-frame.test.ts, which works with frames: built into one script and run in Chromium. */
import type { Task } from '../../src/envs/env.ts';
import { randomAction } from '../../src/envs/random-player.ts';
import { frameDocument, nestedDocument, newNonce, openFrame } from '../../src/envs/transport/frame.ts';
import { WorldPool } from '../../src/envs/transport/pool.ts';
import { web } from '../../src/worlds/web/index.ts';

/** A pool over a frame, as in the worker of a page. */
const open = (script: string) =>
  WorldPool.open({
    description: web,
    spawn: async () => {
      const { port1, port2 } = new MessageChannel();
      const frame = await openFrame(script, port2);
      return {
        post: (request) => port1.postMessage(request),
        listen: (receive) => {
          port1.onmessage = ({ data }) => receive(data);
        },
        terminate: () => frame.remove(),
      };
    },
  });

/** Plays the oracle of each task in one frame; returns all texts of the world. */
async function play(script: string, tasks: Task[]): Promise<string[][]> {
  const world = await open(script);
  const episodes: string[][] = [];
  for (const task of tasks) {
    const [start] = await world.reset([0], [task]);
    if (start.failure) throw new Error(start.failure);
    const texts = [start.observation, start.validActions!.join('\n')];
    const [plan] = await world.oracle([0]);
    for (const action of plan ?? ['no plan']) {
      const [{ observation, reward, validActions }] = await world.step([0], [action]);
      texts.push(action, observation, String(reward), (validActions ?? []).join('\n'));
    }
    episodes.push(texts);
  }
  await world.close();
  return episodes;
}

export interface FrameSpeed {
  resetsPerSecond: number;
  stepsPerSecond: number;
}

let opened: WorldPool[] = [];

/**
 * Opens `frames` frames side by side. In each, a uniform random player takes `turns` turns. They stay until `close`.
 */
async function measure(script: string, frames: number, tasks: Task[], turns: number): Promise<FrameSpeed> {
  const taskOf = (k: number) => tasks[k % tasks.length];
  const worlds = await Promise.all(Array.from({ length: frames }, () => open(script)));
  opened.push(...worlds);
  const began = performance.now();
  const starts = await Promise.all(worlds.map(async (world, k) => (await world.reset([0], [taskOf(k)]))[0]));
  const resetMs = performance.now() - began;
  const start = performance.now();
  await Promise.all(
    worlds.map(async (world, k) => {
      let answer = starts[k];
      for (let turn = 0; turn < turns; turn++) {
        [answer] = await world.step([0], [randomAction(answer.validActions!, 1, k, turn)]);
        if (answer.done) [answer] = await world.reset([0], [taskOf(k + 31 * (turn + 1))]);
      }
    }),
  );
  const perSecond = (ms: number) => (1000 * frames) / ms;
  return { resetsPerSecond: perSecond(resetMs), stepsPerSecond: turns * perSecond(performance.now() - start) };
}

async function close(): Promise<void> {
  for (const world of opened) await world.close();
  opened = [];
}

/** Runs a hostile script in a frame, in place of the world's; returns the actions that succeeded. */
async function hostile(script: string): Promise<string[]> {
  const reports: string[] = [];
  addEventListener('message', ({ data }) => typeof data === 'string' && reports.push(data));
  const nonce = newNonce();
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc = nestedDocument(frameDocument(script, nonce), nonce);
  document.body.append(frame);
  // Waits for the script to start, however busy the machine is, and then gives it some time for its attempts.
  while (!reports.includes('ran')) await new Promise((resolve) => setTimeout(resolve, 50));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return reports;
}

Object.assign(globalThis, { webFrames: { play, measure, close, hostile } });
