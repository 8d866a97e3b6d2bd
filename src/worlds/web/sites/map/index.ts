/** The map's pages: search, places, towns, directions, saved places. */
import type { Json } from '../../../../envs/env.ts';
import {
  act,
  type Content,
  choice,
  el,
  facts,
  field,
  form,
  h2,
  link,
  list,
  p,
  page,
  query,
  searchForm,
  status,
  submit,
  table,
} from '../html.ts';
import { type Route, route, type Site, type SiteAnswer, type SiteRequest } from '../site.ts';
import {
  directions,
  distance,
  findSpot,
  kinds,
  type MapData,
  type MapState,
  type Mode,
  modes,
  openMap,
  type Place,
  pluralOf,
  startMap,
  timeText,
} from './data.ts';

type Answer = SiteAnswer<MapState>;
type MapRoute = Route<MapData, MapState>;

function show(state: MapState, title: string, ...content: Content[]): Answer {
  const nav: [string, string][] = [
    ['/', 'Map'],
    ['/directions', 'Directions'],
    ['/saved', 'Saved places'],
  ];
  const frame = { site: 'Town Map', nav, beside: searchForm('/search', 'Search the map') };
  const notice = state.notice ? status(state.notice) : null;
  const answer: Answer = { kind: 'page', status: 200, ...page(frame, title, notice, ...content) };
  return state.notice ? { ...answer, state: { ...state, notice: '' } } : answer;
}

const go = (to: string, state: MapState): Answer => ({ kind: 'redirect', to, state });
const missing = (state: MapState): Answer =>
  ({ ...show(state, 'Page not found', p('There is no such page on this map.')), status: 404 }) as Answer;

const kindPath = (kind: string) => `/kind/${kind.toLowerCase()}`;
const townPath = (name: string) => `/town/${name.toLowerCase()}`;
const placeLink = ({ slug, name }: Place) => link(`/place/${slug}`, name);
export const coordinates = ({ x, y }: { x: number; y: number }) =>
  `${(50 + y / 111).toFixed(4)}, ${(10 + x / 111).toFixed(4)}`;

function placePage(data: MapData, state: MapState, place: Place): Answer {
  const near = data.places
    .filter((one) => one !== place)
    .sort((a, b) => distance(a, place) - distance(b, place))
    .slice(0, 3);
  return show(
    state,
    place.name,
    facts(
      [
        ['Kind', place.kind],
        ['Address', `${place.street}, ${place.town}`],
        ['Phone', place.phone],
        ['Open', `${place.opens} to ${place.closes}`],
        ['Coordinates', coordinates(place)],
      ],
      { class: 'facts' },
    ),
    p(
      link(`/directions?${query({ from: place.name })}`, 'Directions from here'),
      ' ',
      link(`/directions?${query({ to: place.name })}`, 'Directions to here'),
    ),
    act('/saved', state.saved.includes(place.slug) ? 'Remove from saved places' : 'Save this place', {
      place: place.slug,
    }),
    h2('Nearby'),
    list(near.map(placeLink)),
  );
}

function directionsPage(data: MapData, state: MapState, asked: SiteRequest['query']): Answer {
  const { from = '', to = '', mode = '' } = asked;
  // Keeps the known end of the route and shows fields for the missing ones.
  const ask = form(
    'get',
    '/directions',
    from && !to ? el('input', { type: 'hidden', name: 'from', value: from }) : field('From', 'from'),
    to && !from ? el('input', { type: 'hidden', name: 'to', value: to }) : field('To', 'to'),
    choice(
      'Travel by',
      'mode',
      modes.map((one) => [one, one] as const),
      'Car',
    ),
    submit('Find route'),
  );
  if (!from || !to) return show(state, 'Directions', from && p(`From ${from}`), to && p(`To ${to}`), ask);
  const start = findSpot(data, from);
  const end = findSpot(data, to);
  const by: Mode = modes.find((one) => one === mode) ?? 'Car';
  if (!start || !end) return show(state, 'Directions', p(`There is no place named ${start ? to : from}.`), ask);
  const { km, minutes, towns } = directions(data, start.town, end.town, by);
  return show(
    state,
    `From ${start.name} to ${end.name}`,
    facts(
      [
        ['By', by],
        ['Distance', el('span', { class: 'distance' }, `${km} km`)],
        ['Time', el('span', { class: 'time' }, timeText(minutes))],
      ],
      { class: 'facts' },
    ),
    h2('Route'),
    el('ol', {}, ...towns.map((name) => el('li', {}, name))),
    p(
      'Other ways ',
      ...modes.flatMap((one, k) => [
        k > 0 && ' ',
        link(`/directions?${query({ from: start.name, to: end.name, mode: one })}`, one),
      ]),
    ),
    p(link('/directions', 'Another route')),
  );
}

function townPage(data: MapData, state: MapState, name: string): Answer {
  const town = data.towns.find((one) => one.name.toLowerCase() === name);
  if (!town) return missing(state);
  const at = data.towns.indexOf(town);
  const roads = data.roads
    .filter(({ from, to }) => from === at || to === at)
    .map(({ from, to, km }) => ({ name: data.towns[from === at ? to : from].name, km }))
    .sort((a, b) => a.km - b.km);
  return show(
    state,
    town.name,
    facts([
      ['Coordinates', coordinates(town)],
      ['River', town.river],
    ]),
    p(
      link(`/directions?${query({ from: town.name })}`, 'Directions from here'),
      ' ',
      link(`/directions?${query({ to: town.name })}`, 'Directions to here'),
    ),
    table(
      'Places',
      ['Name', 'Kind', 'Phone'],
      data.places
        .filter((place) => place.town === town.name)
        .map((place) => [placeLink(place), place.kind, place.phone]),
    ),
    table(
      'Roads',
      ['To', 'Length'],
      roads.map((road) => [link(townPath(road.name), road.name), `${road.km} km`]),
    ),
  );
}

function search(data: MapData, state: MapState, q: string): Answer {
  const word = q.trim().toLowerCase();
  const towns = word ? data.towns.filter(({ name }) => name.toLowerCase().includes(word)) : [];
  const places = word ? data.places.filter(({ name, street }) => `${name} ${street}`.toLowerCase().includes(word)) : [];
  const found = [
    ...towns.map(({ name }) => [link(townPath(name), name), ' town']),
    ...places.slice(0, 10).map((place) => [placeLink(place), ` ${place.kind}`]),
  ];
  return show(state, `Search: ${q}`, found.length ? list(found) : p('Nothing was found.'));
}

const routes: readonly MapRoute[] = [
  {
    method: 'GET',
    pattern: '/',
    answer: ({ data, state }) =>
      show(
        state,
        'Town Map',
        h2('Towns'),
        list(data.towns.map(({ name }) => link(townPath(name), name))),
        h2('Places'),
        list(kinds.map((kind) => link(kindPath(kind), pluralOf(kind)))),
      ),
  },
  {
    method: 'GET',
    pattern: '/kind/:kind',
    answer: ({ data, state, params }) => {
      const kind = kinds.find((one) => one.toLowerCase() === params.kind);
      if (!kind) return missing(state);
      const rows = data.places
        .filter((place) => place.kind === kind)
        .map((place) => [placeLink(place), place.town, place.opens, place.closes]);
      return show(state, pluralOf(kind), table(pluralOf(kind), ['Name', 'Town', 'Opens', 'Closes'], rows));
    },
  },
  { method: 'GET', pattern: '/town/:name', answer: ({ data, state, params }) => townPage(data, state, params.name) },
  {
    method: 'GET',
    pattern: '/place/:slug',
    answer: ({ data, state, params }) => {
      const place = data.places.find(({ slug }) => slug === params.slug);
      return place ? placePage(data, state, place) : missing(state);
    },
  },
  {
    method: 'GET',
    pattern: '/search',
    answer: ({ data, state, request }) => search(data, state, request.query.q ?? ''),
  },
  {
    method: 'GET',
    pattern: '/directions',
    answer: ({ data, state, request }) => directionsPage(data, state, request.query),
  },
  {
    method: 'GET',
    pattern: '/saved',
    answer: ({ data, state }) =>
      show(
        state,
        'Saved places',
        state.saved.length
          ? el(
              'ul',
              { class: 'saved' },
              ...state.saved.map((slug) => el('li', {}, placeLink(data.places.find((place) => place.slug === slug)!))),
            )
          : p('No place is saved.'),
      ),
  },
  {
    method: 'POST',
    pattern: '/saved',
    answer: ({ data, state, request }) => {
      const { place = '' } = request.form;
      if (!data.places.some(({ slug }) => slug === place)) return missing(state);
      const has = state.saved.includes(place);
      const saved = has ? state.saved.filter((slug) => slug !== place) : [...state.saved, place];
      return go('/saved', { ...state, saved, notice: has ? 'The place was removed.' : 'The place was saved.' });
    },
  },
];

export const map: Site<MapData, MapState & Json> = {
  name: 'map',
  host: 'map.test',
  title: 'Town Map',
  backend: 'map',
  open: openMap,
  start: () => startMap() as MapState & Json,
  handle: ((data: MapData, state: MapState, request: SiteRequest) =>
    route(routes, data, state, request, () => missing(state))) as never,
};
