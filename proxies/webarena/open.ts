/**
 * Opens WebArena as a part of the proxy: its tasks, its sites, its browsers, and the environments of AgentGym's
 * protocol.
 */
import type { ProxyConfig, WebArenaConfig } from '../config.ts';
import { Hosts } from '../network/hosts.ts';
import type { Part } from '../part.ts';
import { SiteAddresses } from './addresses.ts';
import { Chromium } from './chromium.ts';
import { ChromiumBrowser } from './chromium-browser.ts';
import { Environments } from './environments.ts';
import { GuardedContext } from './guarded-context.ts';
import { noJudge, openJudge } from './judge.ts';
import { Logins } from './logins.ts';
import { mountWebArena } from './routes.ts';
import { TaskList } from './tasks.ts';

const path = '/webarena';

const siteAddresses = ({ sites }: WebArenaConfig) =>
  Object.values(sites).flatMap((site) => (site ? [site.address] : []));

function notesOf(tasks: TaskList, hosts: Hosts): string[] {
  const refused = tasks.refused.map(({ why, ids }) => `${ids.length} of ${tasks.size} tasks are refused: ${why}`);
  return [`${tasks.size} tasks`, ...refused, ...hosts.pinned];
}

/**
 * Chromium of one environment, and its release. Environments share one Chromium. With `details` each has its own,
 * because a page that crashes while its screenshot is taken may end all of Chromium (version 156: SIGSEGV in 5 of 26
 * such pages, in none of 49 without a screenshot) and with it every episode in it.
 */
function chromiumFor(config: WebArenaConfig, shared: Chromium) {
  if (!config.details) return { chromium: shared, release: async () => {} };
  const own = new Chromium(config);
  return { chromium: own, release: () => own.close() };
}

export async function openWebArena(
  { webarena: config }: ProxyConfig,
  { version, report }: { version: string; report(error: Error): void },
): Promise<Part[]> {
  if (!config) return [];
  const addresses = new SiteAddresses(config.sites);
  const names = new Set(Object.entries(config.sites).flatMap(([name, site]) => (site ? [name] : [])));
  const tasks = TaskList.read(config.tasks, addresses, { sites: names, hasJudge: config.judge !== undefined });
  const hosts = await Hosts.open({ sites: siteAddresses(config), also: config.alsoAllow });
  const chromium = new Chromium(config);
  const { limits } = config;
  const logins = new Logins(config.sites, () => GuardedContext.open({ chromium, hosts, limits }));
  const judge = config.judge ? openJudge(config.judge) : noJudge;
  const environments = new Environments({
    tasks,
    addresses,
    open: () => new ChromiumBrowser({ config, ...chromiumFor(config, chromium), hosts, logins, addresses, judge }),
    most: config.environments,
    idleSeconds: config.idleSeconds,
    earlyStop: config.earlyStop,
    judgeEachStep: config.judgeEachStep,
    report,
  });
  const part: Part = {
    path,
    title: 'WebArena',
    notes: notesOf(tasks, hosts),
    mount: (app) => mountWebArena(app, path, { environments, tasks, version, report }),
    async close() {
      await environments.closeAll();
      await chromium.close();
    },
  };
  return [part];
}
