/**
 * Addresses of WebArena's sites in three spellings: placeholders in task files (`__SHOPPING__`), public names in
 * observations (browser_env/env_config.py, github.com/web-arena-x/webarena, Apache-2.0), and the addresses served here.
 */
import type { Addresses } from '../../src/webarena/replies.ts';
import type { SiteName, WebArenaConfig } from '../config.ts';

/** In the order in which the original substitutes them. */
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
  /** Pairs of public and served address. */
  readonly pairs: Addresses;

  constructor(private readonly sites: WebArenaConfig['sites']) {
    this.pairs = publicAddresses.flatMap(([name, address]) => {
      const served = sites[name]?.address;
      return served === undefined ? [] : [[address, served] as const];
    });
  }

  /** Replaces served addresses by public ones. */
  toPublic(url: string): string {
    return this.pairs.reduce((text, [address, served]) => text.replaceAll(served, address), url);
  }

  /** Fills in the placeholders of a task's text. Placeholders of sites that are not configured stay. */
  fill(text: string): string {
    return text.replace(/__([A-Z_]+?)__/g, (whole, name: string) => {
      const known = publicAddresses.find(([each]) => each.toUpperCase() === name);
      return (known && this.sites[known[0]]?.address) ?? whole;
    });
  }

  /** Served addresses by the names that evaluation helpers use (`SHOPPING`). */
  get byName(): { [name: string]: string } {
    return Object.fromEntries(
      Object.entries(this.sites).flatMap(([name, site]) => (site ? [[name.toUpperCase(), site.address]] : [])),
    );
  }
}
