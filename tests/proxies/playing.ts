/**
 * Plays tasks of the small internet through the proxy, by AgentGym's protocol: the oracle's own actions, with the ids
 * of Chromium's tree.
 */
import type { OpenedProxy } from '../../proxies/service.ts';
import { idOf, templates } from '../../src/worlds/web/tasks/index.ts';
import { Web } from '../../src/worlds/web/world.ts';
import type { SixSites } from './six-sites.ts';

export const taskNamed = (name: string, number = 3): number => {
  const index = templates.findIndex((template) => template.name === name);
  if (index < 0) throw new Error(`There is no template ${name}.`);
  return idOf(index, number);
};

export interface Stepped {
  observation: string;
  reward: number;
  terminated: boolean;
  info: { fail_error: string; failure?: string; refused?: string } | null;
}

export class Client {
  constructor(private readonly proxy: OpenedProxy) {}

  private async post(path: string, body?: object) {
    const { app, token } = this.proxy;
    const response = await app.inject({
      method: 'POST',
      url: `/${token}/webarena${path}`,
      headers: { host: 'localhost', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
    return JSON.parse(response.body);
  }

  create = async (): Promise<number> => (await this.post('/create')).env_idx;
  reset = (env: number, idx: number): Promise<{ observation: string; object: string; why?: string }> =>
    this.post('/reset', { env_idx: env, seed: 0, idx });
  step = (env: number, action: string): Promise<Stepped> =>
    this.post('/step', { env_idx: env, action: `In summary, the next action I will perform is \`\`\`${action}\`\`\`` });
  close = (env: number) => this.post('/close', { env_idx: env });
}

interface Line {
  id: string;
  text: string;
}

const linesOf = (observation: string): Line[] =>
  observation.split('\n').flatMap((line) => {
    const found = /^\t*\[(\d+)\] (.*)$/.exec(line);
    return found ? [{ id: found[1], text: found[2] }] : [];
  });

/** Rewrites an action for another tree: the element keeps its line and its position among equal lines. */
function translate(action: string, own: readonly Line[], theirs: readonly Line[]): string {
  const id = /^(?:click|hover|type) \[(\d+)\]/.exec(action)?.[1];
  if (id === undefined) return action;
  const line = own.find((each) => each.id === id);
  if (!line) throw new Error(`The oracle's element ${id} is not in its own tree.`);
  const among = (lines: readonly Line[]) => lines.filter(({ text }) => text === line.text);
  const found = among(theirs)[among(own).indexOf(line)];
  if (!found)
    throw new Error(`Chromium's tree has no line "${line.text}":\n${theirs.map(({ text }) => text).join('\n')}`);
  return action.replace(/\[\d+\]/, `[${found.id}]`);
}

/**
 * Plays a task's oracle and calls `meanwhile` before each action. Returns the last response and the number of steps.
 */
export async function playOracle(
  client: Client,
  sites: SixSites,
  id: number,
  meanwhile: (env: number, step: number) => Promise<void> = async () => {},
): Promise<Stepped & { steps: number }> {
  const world = await Web.open();
  const [start] = await world.reset([0], [{ world: 'web', id, options: { screenLines: 0 }, strata: {} }]);
  const [plan] = await world.oracle([0]);
  const env = await client.create();
  try {
    const started = await client.reset(env, id);
    if (started.why) throw new Error(started.why);
    let own = linesOf(start.observation);
    let theirs = linesOf(started.observation);
    let last: Stepped | null = null;
    for (const [k, action] of plan!.entries()) {
      await meanwhile(env, k);
      last = await client.step(env, sites.served(translate(action, own, theirs)));
      const [feedback] = await world.step([0], [action]);
      if (last.terminated) return { ...last, steps: k + 1 };
      own = linesOf(feedback.observation);
      theirs = linesOf(last.observation);
    }
    return { ...last!, steps: plan!.length };
  } finally {
    await client.close(env);
    await world.close();
  }
}
