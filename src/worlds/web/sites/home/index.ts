/** The home page: links to the six sites. */
import { link, list, p, page } from '../html.ts';
import type { Site } from '../site.ts';

const sites = [
  ['http://shop.test/', 'One Shop', 'buy things'],
  ['http://admin.test/', 'One Shop Admin', 'run the shop'],
  ['http://forum.test/', 'Talk Forum', 'discuss'],
  ['http://tracker.test/', 'Code Tracker', 'projects, issues and merge requests'],
  ['http://map.test/', 'Town Map', 'places and routes'],
  ['http://wiki.test/', 'Free Wiki', 'look things up'],
] as const;

export const home: Site<null, null> = {
  name: 'home',
  host: 'home.test',
  title: 'Home Page',
  backend: 'home',
  open: () => null,
  start: () => null,
  handle: () => ({
    kind: 'page',
    status: 200,
    ...page(
      { site: 'Home Page', nav: [] },
      'Home Page',
      p('Sites of this small internet.'),
      list(sites.map(([href, title, what]) => [link(href, title), `: ${what}`])),
    ),
  }),
};
