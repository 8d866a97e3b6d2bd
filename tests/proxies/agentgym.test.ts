/** AgentGym's webarena protocol, compared with transcripts of the original server: same status, same JSON. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../proxies/config.ts';
import { openServer } from '../../proxies/service.ts';
import { SiteAddresses } from '../../proxies/webarena/addresses.ts';
import { Environments } from '../../proxies/webarena/environments.ts';
import { mountWebArena } from '../../proxies/webarena/routes.ts';
import { TaskList } from '../../proxies/webarena/tasks.ts';
import { goldenFolder, hasGolden } from '../envs/helpers.ts';
import { type LoggedCall, RecordedBrowser } from './recorded-browser.ts';

interface Exchange {
  method: 'GET' | 'POST' | 'OPTIONS';
  path: string;
  request_headers: { [name: string]: string };
  body: string | null;
  status: number;
  headers: { [name: string]: string };
  response: string;
}
interface Transcript {
  name: string;
  exchanges: Exchange[];
  env_log: LoggedCall[];
}
interface Header {
  configs: { [id: string]: { task_id: number; fail?: boolean } };
  address_map: { [served: string]: string };
}

const token = 'a-token-of-the-test';
const file = 'agentgym/webarena.jsonl.gz';

const siteNames: { [publicAddress: string]: string } = {
  'http://reddit.com': 'reddit',
  'http://onestopmarket.com': 'shopping',
  'http://luma.com/admin': 'shopping_admin',
  'http://gitlab.com': 'gitlab',
  'http://wikipedia.org': 'wikipedia',
  'http://openstreetmap.org': 'map',
  'http://homepage.com': 'homepage',
};

function serverOf({ configs, address_map }: Header, log: LoggedCall[]) {
  const sites = Object.fromEntries(
    Object.entries(address_map).map(([address, known]) => [siteNames[known], { address }]),
  );
  const config = readConfig({ webarena: { tasks: 'x', sites }, origins: ['http://x.example'] }, 'test');
  const addresses = new SiteAddresses(config.webarena!.sites);
  const all = Object.values(configs);
  const rules = { sites: new Set(Object.values(siteNames)), hasJudge: false };
  const tasks = new TaskList(
    all.map((each) => [String(each.task_id), each]),
    rules,
    'the recording',
  );
  const fails = new Set(all.filter(({ fail }) => fail).map(({ task_id }) => task_id));
  const environments = new Environments({
    tasks,
    addresses,
    open: () => new RecordedBrowser(log, fails),
    most: 10,
    idleSeconds: 1000,
    earlyStop: false,
    judgeEachStep: false,
    report: () => {},
  });
  const app = openServer(config, token, { version: '0', report: () => {} });
  mountWebArena(app, '/webarena', { environments, tasks, version: '0', report: () => {} });
  return { app, environments };
}

const jsonOf = (text: string) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

async function differences(header: Header, { name, exchanges, env_log }: Transcript): Promise<string[]> {
  const { app, environments } = serverOf(header, [...env_log]);
  const wrong: string[] = [];
  for (const [k, { method, path, request_headers, body, status, response }] of exchanges.entries()) {
    const answer = await app.inject({
      method,
      url: `/${token}/webarena${path}`,
      headers: { ...request_headers, host: 'localhost' },
      ...(body !== null && { payload: body }),
    });
    // The response to a preflight has no JSON.
    const same =
      status !== 200 ||
      method === 'OPTIONS' ||
      JSON.stringify(jsonOf(answer.body)) === JSON.stringify(jsonOf(response));
    if (answer.statusCode !== status || !same)
      wrong.push(
        `${name} #${k} ${method} ${path} ${body}: ${answer.statusCode} ${answer.body.slice(0, 200)}, not ${status} ${response.slice(0, 200)}`,
      );
  }
  await environments.closeAll();
  await app.close();
  return wrong;
}

describe('WebArena behind AgentGym’s protocol', () => {
  it('gives the same status and JSON as the recorded transcripts', async () => {
    if (!hasGolden(file))
      return console.log(`skipped: there is no ${goldenFolder}/${file} (TABGYM_GOLDEN names the folder)`);
    const lines = gunzipSync(readFileSync(`${goldenFolder}/${file}`))
      .toString()
      .trim()
      .split('\n');
    const [header, ...transcripts] = lines.map((line) => JSON.parse(line));
    const wrong: string[] = [];
    for (const transcript of transcripts) wrong.push(...(await differences(header, transcript)));
    expect(wrong).toEqual([]);
    expect(transcripts.length).toBeGreaterThan(10);
  });
});
