/**
 * Where WebArena's sites are, in three spellings: as a task file writes them (`__SHOPPING__`), as an agent is told (public names,
 * browser_env/env_config.py, github.com/web-arena-x/webarena, Apache-2.0), and as they are served here.
 */
import type { Addresses } from '../../src/webarena/replies.ts';
import type { SiteName, WebArenaConfig } from '../config.ts';

/** In the order in which the original puts them in. */
const publicAddresses: readonly (readonly [SiteName, string])[] = [
  ['reddit', 'http://reddit.com'],
  ['shopping', 'http://onestopmarket.com'],
  ['shopping_admin', 'http://luma.com/admin'],
  ['gitlab', 'http://gitlab.com'],
  ['wikipedia', 'http://wikipedia.org'],
  ['map', 'http://openstreetmap.org'],
  ['homepage', 'http://homepage.com'],
];

export class SiteAddresses {
  /** Public to served. */
  readonly pairs: Addresses;

  constructor(private readonly sites: WebArenaConfig['sites']) {
    this.pairs = publicAddresses.flatMap(([name, address]) => {
      const served = sites[name]?.address;
      return served === undefined ? [] : [[address, served] as const];
    });
  }

  /** An address as an agent is told it. */
  toPublic(url: string): string {
    return this.pairs.reduce((told, [address, served]) => told.replaceAll(served, address), url);
  }

  /** A task's text with its placeholders filled in; those of sites that are not configured stay. */
  fill(text: string): string {
    return text.replace(/__([A-Z_]+?)__/g, (whole, name: string) => {
      const known = publicAddresses.find(([each]) => each.toUpperCase() === name);
      return (known && this.sites[known[0]]?.address) ?? whole;
    });
  }

  /** By the names that helpers use (`SHOPPING`). */
  get byName(): { [name: string]: string } {
    return Object.fromEntries(
      Object.entries(this.sites).flatMap(([name, site]) => (site ? [[name.toUpperCase(), site.address]] : [])),
    );
  }
}
