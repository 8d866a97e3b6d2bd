/** Tasks on the map and in the wiki, and tasks that need several sites. */

import type { ForumData, ForumState } from '../sites/forum/data.ts';
import { forum, postPath } from '../sites/forum/index.ts';
import { money, query, slugOf } from '../sites/html.ts';
import { directions, type MapData, modes, type Place, pluralOf, timeText } from '../sites/map/data.ts';
import { coordinates, map } from '../sites/map/index.ts';
import type { Random } from '../sites/random.ts';
import { shop } from '../sites/shop/index.ts';
import type { SeededStore, StoreState } from '../sites/shop/store.ts';
import type { TrackerData, TrackerState } from '../sites/tracker/data.ts';
import { tracker } from '../sites/tracker/index.ts';
import type { Figure, WikiData } from '../sites/wiki/data.ts';
import { wiki } from '../sites/wiki/index.ts';
import {
  answerIs,
  type DrawContext,
  endsAt,
  type MadeTask,
  notPossible,
  type PlanStep,
  shows,
  type Template,
} from './template.ts';

const onMap = 'http://map.test/';
const onWiki = 'http://wiki.test/';

interface Here {
  net: DrawContext['net'];
  chart: MapData;
  book: WikiData;
  random: Random;
}
const here = ({ net, random }: DrawContext): Here => ({
  net,
  chart: net.dataOf<MapData>(map),
  book: net.dataOf<WikiData>(wiki),
  random,
});

const make =
  (sites: readonly string[], start: readonly string[]) =>
  (
    name: string,
    turns: Template['turns'],
    draw: (here: Here) => Omit<MadeTask, 'start'> | null,
    more: Partial<Template> = {},
  ): Template => ({
    name,
    sites,
    turns,
    feasible: true,
    ...more,
    draw: (context) => {
      const made = draw(here(context));
      return made && { start, ...made };
    },
  });

const mapTask = make(['map'], [onMap]);
const wikiTask = make(['wiki'], [onWiki]);

const toPlace = ({ name, slug }: Place): PlanStep[] => [
  { submit: '/search', fields: { q: name } },
  { visit: `/place/${slug}` },
];
const route = (from: string, to: string, mode: string) => `directions?${query({ from, to, mode })}`;

export const mapTemplates: readonly Template[] = [
  mapTask('map-open-town', 'short', ({ chart, random }) => {
    const { name } = random.pick(chart.towns);
    return {
      intent: `Show the town ${name}.`,
      gaps: { name },
      evaluation: endsAt(`${onMap}town/${name.toLowerCase()}`),
      plan: [{ visit: `/town/${name.toLowerCase()}` }, { stop: '' }],
    };
  }),
  mapTask('map-kind', 'short', ({ chart, random }) => {
    const { kind } = random.pick(chart.places);
    return {
      intent: `Show all ${pluralOf(kind).toLowerCase()}.`,
      gaps: { kind },
      evaluation: endsAt(`${onMap}kind/${kind.toLowerCase()}`),
      plan: [{ visit: `/kind/${kind.toLowerCase()}` }, { stop: '' }],
    };
  }),
  mapTask('map-phone', 'medium', ({ chart, random }) => {
    const place = random.pick(chart.places);
    return {
      intent: `What is the phone number of ${place.name}?`,
      gaps: { place: place.name },
      evaluation: answerIs(place.phone), // not a kind: a field of a place
      plan: [...toPlace(place), { stop: place.phone }], // not a kind: a field of a place
    };
  }),
  mapTask('map-address', 'medium', ({ chart, random }) => {
    const place = random.pick(chart.places);
    const address = `${place.street}, ${place.town}`;
    return {
      intent: `What is the address of ${place.name}?`,
      gaps: { place: place.name },
      evaluation: answerIs(address),
      plan: [...toPlace(place), { stop: address }],
    };
  }),
  mapTask('map-coordinates', 'medium', ({ chart, random }) => {
    const place = random.pick(chart.places);
    return {
      intent: `Give me the coordinates of ${place.name}.`,
      gaps: { place: place.name },
      evaluation: answerIs(coordinates(place)),
      plan: [...toPlace(place), { stop: coordinates(place) }],
    };
  }),
  mapTask('map-kind-in-town', 'medium', ({ chart, random }) => {
    const place = random.pick(chart.places.filter(({ kind }) => kind !== 'Station'));
    return {
      intent: `What is the name of the ${place.kind.toLowerCase()} in ${place.town}?`,
      gaps: { kind: place.kind, town: place.town },
      evaluation: answerIs(place.name),
      plan: [{ visit: `/town/${place.town.toLowerCase()}` }, { stop: place.name }],
    };
  }),
  mapTask('map-route', 'medium', ({ chart, random }) => {
    const [from, to] = random.some(chart.towns, 2);
    const mode = random.pick(modes);
    return {
      intent: `Find the route from ${from.name} to ${to.name} by ${mode}.`,
      gaps: { from: from.name, to: to.name, mode },
      evaluation: endsAt(onMap + route(from.name, to.name, mode)),
      plan: [
        { visit: '/directions' },
        { submit: '/directions', fields: { from: from.name, to: to.name, mode } },
        { stop: '' },
      ],
    };
  }),
  mapTask('map-distance', 'medium', ({ chart, random }) => {
    const [from, to] = random.some([...chart.towns.keys()], 2);
    const { km } = directions(chart, from, to, 'Car');
    const fields = { from: chart.towns[from].name, to: chart.towns[to].name, mode: 'Car' };
    return {
      intent: `How far is it from ${fields.from} to ${fields.to} by Car? Answer like "12 km".`,
      gaps: fields,
      evaluation: answerIs(`${km} km`),
      plan: [{ visit: '/directions' }, { submit: '/directions', fields }, { stop: `${km} km` }],
    };
  }),
  mapTask('map-time', 'medium', ({ chart, random }) => {
    const [from, to] = random.some([...chart.towns.keys()], 2);
    const mode = random.pick(modes);
    const time = timeText(directions(chart, from, to, mode).minutes);
    const fields = { from: chart.towns[from].name, to: chart.towns[to].name, mode };
    return {
      intent: `How long does it take from ${fields.from} to ${fields.to} by ${mode}? Answer as the map writes it.`,
      gaps: fields,
      evaluation: answerIs(time),
      plan: [{ visit: '/directions' }, { submit: '/directions', fields }, { stop: time }],
    };
  }),
  mapTask('map-save', 'medium', ({ chart, random }) => {
    const place = random.pick(chart.places);
    return {
      intent: `Save ${place.name} among my places.`,
      gaps: { place: place.name },
      evaluation: shows({ url: `${onMap}saved`, at: '.saved', text: [place.name] }),
      plan: [...toPlace(place), { submit: '/saved' }, { stop: '' }],
    };
  }),
  mapTask(
    'map-nearest',
    'medium',
    ({ chart, random }) => {
      const at = random.below(chart.towns.length);
      const roads = chart.roads.filter(({ from, to }) => from === at || to === at).sort((a, b) => a.km - b.km);
      if (roads.length > 1 && roads[0].km === roads[1].km) return null;
      const near = chart.towns[roads[0].from === at ? roads[0].to : roads[0].from].name;
      const { name } = chart.towns[at];
      return {
        intent: `To which town does the shortest road from ${name} go?`,
        gaps: { name },
        evaluation: answerIs(near),
        plan: [{ visit: `/town/${name.toLowerCase()}` }, { stop: near }],
      };
    },
    { heldOut: true },
  ),
  mapTask(
    'map-no-such-place',
    'medium',
    ({ random }) => {
      const name = random.pick(['Grand Airport', 'Crystal Zoo', 'Moon Stadium', 'Iron Harbour']);
      return {
        intent: `What is the phone number of ${name}? If it is not on the map, answer N/A.`,
        gaps: { name },
        evaluation: notPossible,
        plan: [{ submit: '/search', fields: { q: name } }, { stop: 'N/A' }],
      };
    },
    { feasible: false },
  ),
];

/** Searching the wiki for a title opens its article. */
const toArticle = (title: string): PlanStep[] => [{ submit: '/search', fields: { q: title } }];
const figureOf = ({ book, random }: Here): Figure => random.pick(book.figures);

export const wikiTemplates: readonly Template[] = [
  wikiTask('wiki-open', 'short', ({ book, random }) => {
    const { title, slug } = random.pick(book.articles);
    return {
      intent: `Open the article about ${title}.`,
      gaps: { title },
      evaluation: endsAt(`${onWiki}wiki/${slug}`),
      plan: [...toArticle(title), { stop: '' }],
    };
  }),
  wikiTask('wiki-population', 'medium', ({ book, random }) => {
    const town = random.pick(book.towns);
    return {
      intent: `How many people live in ${town.name}?`,
      gaps: { town: town.name },
      evaluation: answerIs(String(town.population)),
      plan: [{ visit: `/wiki/${slugOf(town.name)}` }, { stop: String(town.population) }],
    };
  }),
  wikiTask('wiki-founded', 'medium', ({ book, random }) => {
    const town = random.pick(book.towns);
    return {
      intent: `In which year was ${town.name} founded?`,
      gaps: { town: town.name },
      evaluation: answerIs(String(town.founded)),
      plan: [{ visit: `/wiki/${slugOf(town.name)}` }, { stop: String(town.founded) }],
    };
  }),
  wikiTask('wiki-born', 'medium', (all) => {
    const { name, born } = figureOf(all);
    return {
      intent: `When was ${name} born?`,
      gaps: { name },
      evaluation: answerIs(String(born)),
      plan: [...toArticle(name), { stop: String(born) }],
    };
  }),
  wikiTask('wiki-known-for', 'medium', (all) => {
    const { name, work } = figureOf(all);
    return {
      intent: `What is ${name} known for?`,
      gaps: { name },
      evaluation: answerIs(work),
      plan: [...toArticle(name), { stop: work }],
    };
  }),
  wikiTask('wiki-river-length', 'medium', ({ book, random }) => {
    const { name, km } = random.pick(book.rivers);
    return {
      intent: `How long is the river ${name}?`,
      gaps: { name },
      evaluation: answerIs(`${km} km`),
      plan: [{ visit: `/wiki/${slugOf(name)}` }, { stop: `${km} km` }],
    };
  }),
  wikiTask('wiki-town-river', 'long', ({ book, random }) => {
    const town = random.pick(book.towns);
    const { km } = book.rivers.find(({ name }) => name === town.river)!;
    return {
      intent: `How long is the river that ${town.name} lies on?`,
      gaps: { town: town.name },
      evaluation: answerIs(`${km} km`),
      plan: [{ visit: `/wiki/${slugOf(town.name)}` }, { visit: `/wiki/${slugOf(town.river)}` }, { stop: `${km} km` }],
    };
  }),
  wikiTask('wiki-birthplace-mayor', 'long', (all) => {
    const figure = figureOf(all);
    const town = all.book.towns.find(({ name }) => name === figure.town)!;
    return {
      intent: `Who is the mayor of the town where ${figure.name} was born?`,
      gaps: { name: figure.name },
      evaluation: answerIs(town.mayor),
      plan: [...toArticle(figure.name), { visit: `/wiki/${slugOf(town.name)}` }, { stop: town.mayor }],
    };
  }),
  wikiTask(
    'wiki-teacher-work',
    'long',
    ({ book, random }) => {
      const figure = random.pick(book.figures.filter(({ teacher }) => teacher));
      const teacher = book.figures.find(({ name }) => name === figure.teacher)!;
      return {
        intent: `What is the teacher of ${figure.name} known for?`,
        gaps: { name: figure.name },
        evaluation: answerIs(teacher.work),
        plan: [...toArticle(figure.name), { visit: `/wiki/${slugOf(teacher.name)}` }, { stop: teacher.work }],
      };
    },
    { heldOut: true },
  ),
  wikiTask(
    'wiki-unknown',
    'medium',
    ({ random }) => {
      const name = random.pick(['Otto Zimmer', 'Nina Quill', 'Max Oakes', 'Lena Frost']);
      return {
        intent: `When was ${name} born? If the wiki does not know, answer N/A.`,
        gaps: { name },
        evaluation: notPossible,
        plan: [...toArticle(name), { stop: 'N/A' }],
      };
    },
    { feasible: false },
  ),
];

const bothMaps = make(['wiki', 'map'], [onWiki, onMap]);

export const crossTemplates: readonly Template[] = [
  bothMaps('cross-route-to-birthplace', 'long', (all) => {
    const { chart, random } = all;
    const figure = figureOf(all);
    const from = random.pick(chart.towns.filter(({ name }) => name !== figure.town)).name;
    const fields = { from, to: figure.town, mode: 'Car' };
    return {
      intent: `Find on the map the route by Car from ${from} to the town where ${figure.name} was born.`,
      gaps: { from, name: figure.name },
      evaluation: endsAt(onMap + route(from, figure.town, 'Car')),
      plan: [
        ...toArticle(figure.name),
        { tab: 1 },
        { visit: '/directions' },
        { submit: '/directions', fields },
        { stop: '' },
      ],
    };
  }),
  bothMaps(
    'cross-distance-between-birthplaces',
    'long',
    ({ book, chart, random }) => {
      const [a, b] = random.some(book.figures, 2);
      const at = (name: string) => chart.towns.findIndex((town) => town.name === name);
      if (a.town === b.town) return null;
      const { km } = directions(chart, at(a.town), at(b.town), 'Car');
      const fields = { from: a.town, to: b.town, mode: 'Car' };
      return {
        intent: `How far is it by Car from the birthplace of ${a.name} to that of ${b.name}? Answer like "12 km".`,
        gaps: { a: a.name, b: b.name },
        evaluation: answerIs(`${km} km`),
        plan: [
          ...toArticle(a.name),
          ...toArticle(b.name),
          { tab: 1 },
          { visit: '/directions' },
          { submit: '/directions', fields },
          { stop: `${km} km` },
        ],
      };
    },
    { heldOut: true },
  ),
  make(['shop', 'shop_admin'], ['http://shop.test/', 'http://admin.test/'])(
    'cross-order-and-complete',
    'long',
    ({ net }): Omit<MadeTask, 'start'> | null => {
      const store = net.dataOf<SeededStore>(shop);
      const state = shop.start(store) as StoreState;
      const [order] = state.orders.filter(
        ({ customer, status }) => customer === store.owner.name && status !== 'Complete',
      );
      if (!order) return null;
      return {
        intent: `Find the number of my order over ${money(order.total)} in the shop, and set that order to Complete in the administration.`,
        gaps: { total: money(order.total) },
        evaluation: shows({ url: `http://admin.test/orders/${order.id}`, at: '.order-status', text: 'Complete' }),
        plan: [
          { visit: '/orders' },
          { tab: 1 },
          { visit: '/orders' },
          { submit: '/orders', fields: { q: order.customer } },
          { visit: `/orders/${order.id}` },
          { submit: `/orders/${order.id}/status`, fields: { status: 'Complete' } },
          { stop: '' },
        ],
      };
    },
  ),
  make(['tracker', 'forum'], ['http://tracker.test/', 'http://forum.test/'])(
    'cross-announce-stars',
    'long',
    ({ net, random }): Omit<MadeTask, 'start'> => {
      const { projects } = tracker.start(net.dataOf<TrackerData>(tracker)) as TrackerState;
      const { slug, name, license } = random.pick(projects);
      const data = net.dataOf<ForumData>(forum);
      const state = forum.start(data) as ForumState;
      const post = random.pick(state.posts);
      return {
        intent: `Look up the license of ${name} in the tracker, and comment its name on the post "${post.title}" in the forum.`,
        gaps: { name, title: post.title },
        evaluation: shows({
          url: `http://forum.test${postPath(post)}`,
          at: 'article:last-of-type',
          text: [license, data.owner.user],
        }),
        plan: [
          { visit: `/${slug}` },
          { tab: 1 },
          { submit: '/search', fields: { q: post.title } },
          { visit: postPath(post) },
          { submit: `/posts/${post.id}/comment`, fields: { text: license } },
          { stop: '' },
        ],
      };
    },
  ),
];
