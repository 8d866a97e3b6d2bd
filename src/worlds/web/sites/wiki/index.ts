/** The wiki: articles, search, an index. Its pages change nothing. */
import { type Content, el, facts, h2, link, list, p, page, pageNumber, pager, searchForm, slugOf } from '../html.ts';
import { type Route, route, type Site, type SiteAnswer } from '../site.ts';
import { openWiki, type Piece, type WikiData } from './data.ts';

type Answer = SiteAnswer<null>;
type WikiRoute = Route<WikiData, null>;
const pageSize = 12;

function show(title: string, ...content: Content[]): Answer {
  const nav: [string, string][] = [
    ['/', 'Main page'],
    ['/index', 'All articles'],
  ];
  const frame = { site: 'Free Wiki', nav, beside: searchForm('/search', 'Search the wiki') };
  return { kind: 'page', status: 200, ...page(frame, title, ...content) };
}
const missing = (): Answer => ({ ...show('Page not found', p('There is no such article.')), status: 404 }) as Answer;

const piece = (text: Piece): Content => (typeof text === 'string' ? text : link(`/wiki/${slugOf(text.to)}`, text.to));

function search(data: WikiData, q: string): Answer {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = (text: Piece) => (typeof text === 'string' ? text : text.to);
  const hits = data.articles.filter(({ title, lead }) => {
    const text = `${title} ${lead.map(textOf).join('')}`.toLowerCase();
    return words.length > 0 && words.every((word) => text.includes(word));
  });
  // A search for an exact title opens its article, as in encyclopaedias.
  const exact = data.articles.find(({ title }) => title.toLowerCase() === q.trim().toLowerCase());
  if (exact) return { kind: 'redirect', to: `/wiki/${exact.slug}` };
  if (!hits.length) return show(`Search: ${q}`, p('Nothing was found.'));
  return show(
    `Search: ${q}`,
    list(
      hits
        .slice(0, 15)
        .map(({ slug, title, lead }) => [link(`/wiki/${slug}`, title), `: ${lead.map(textOf).join('')}`]),
    ),
  );
}

const routes: readonly WikiRoute[] = [
  {
    method: 'GET',
    pattern: '/',
    answer: ({ data }) =>
      show(
        'Free Wiki',
        p(`An encyclopaedia of ${data.articles.length} articles.`),
        h2('Towns'),
        p(...data.towns.flatMap(({ name }, k): Content[] => [k > 0 && ', ', link(`/wiki/${slugOf(name)}`, name)])),
        h2('Rivers'),
        p(...data.rivers.flatMap(({ name }, k): Content[] => [k > 0 && ', ', link(`/wiki/${slugOf(name)}`, name)])),
      ),
  },
  {
    method: 'GET',
    pattern: '/index',
    answer: ({ data, request }) => {
      const at = pageNumber(request.query.page, Math.ceil(data.articles.length / pageSize));
      const shown = data.articles.slice((at - 1) * pageSize, at * pageSize);
      return show(
        'All articles',
        list(shown.map(({ slug, title }) => link(`/wiki/${slug}`, title))),
        pager(data.articles.length, pageSize, at, (number) => `/index?page=${number}`),
      );
    },
  },
  {
    method: 'GET',
    pattern: '/wiki/:slug',
    answer: ({ data, params }) => {
      const found = data.articles.find(({ slug }) => slug === params.slug);
      if (!found) return missing();
      return show(
        found.title,
        p(...found.lead.map(piece)),
        facts(found.facts.map(([key, value]) => [key, el('span', { class: slugOf(key) }, piece(value))] as const)),
        ...found.sections.flatMap(({ title, text }) => [h2(title), p(...text.map(piece))]),
      );
    },
  },
  { method: 'GET', pattern: '/search', answer: ({ data, request }) => search(data, request.query.q ?? '') },
];

export const wiki: Site<WikiData, null> = {
  name: 'wiki',
  host: 'wiki.test',
  title: 'Free Wiki',
  backend: 'wiki',
  open: openWiki,
  start: () => null,
  handle: (data, state, request) => route(routes, data, state, request, missing),
};
