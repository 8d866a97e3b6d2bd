/** Games of two seats behind AgentGym's protocol: a session takes one seat, the world's own opponent the other. */
import { afterEach, expect, it } from 'vitest';
import type { Server } from '../../src/server/server.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { rowsHere } from '../worlds.ts';
import { get, post, startServer } from './helpers.ts';

let server: Server;
afterEach(() => server?.close());

it.each(rowsHere([['bargain'], ['kuhn'], ['proposer'], ['tictactoe'], ['twenty-questions']]))(
  '%s is played to its end',
  async (name) => {
    server = await startServer([name]);
    const world = await openWorld(name);
    const { id } = (await post(server, '/create')).json;
    for (const [item, task] of (await world.tasks({}, 'train')).slice(0, 4).entries()) {
      let [own] = await world.reset([0], [task]);
      const begun = (await post(server, '/reset', { id, data_idx: item })).json;
      expect(begun.observation).toBe(own.observation);
      while (!own.done) {
        const action = own.validActions!.at(-1)!;
        [own] = await world.step([0], [action]);
        const { observation, reward, done } = own;
        expect((await post(server, '/step', { id, action })).json).toEqual({ observation, reward, done });
      }
    }
    expect((await get(server, '/list_environments')).json).toEqual([name]);
  },
);
