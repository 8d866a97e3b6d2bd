/** The forum: forums with posts, comments, votes, subscriptions, users, search. */
import type { Json } from '../../../../envs/env.ts';
import {
  act,
  area,
  type Content,
  el,
  facts,
  field,
  form,
  h2,
  link,
  list,
  p,
  page,
  pageNumber,
  pager,
  query,
  searchForm,
  status,
  submit,
} from '../html.ts';
import { dateText } from '../names.ts';
import { type Route, route, type Site, type SiteAnswer, type SiteRequest } from '../site.ts';
import { type ForumData, type ForumState, openForum, type Post, startForum } from './data.ts';

type Answer = SiteAnswer<ForumState>;
type ForumRoute = Route<ForumData, ForumState>;
const pageSize = 6;

function show(data: ForumData, state: ForumState, title: string, ...content: Content[]): Answer {
  const nav: [string, string][] = [
    ['/', 'Home'],
    ['/forums', 'Forums'],
    ['/submit', 'Submit'],
    [`/user/${data.owner.user}`, data.owner.user],
  ];
  const frame = { site: 'Talk Forum', nav, beside: searchForm('/search', 'Search the forum') };
  const notice = state.notice ? status(state.notice) : null;
  const answer: Answer = { kind: 'page', status: 200, ...page(frame, title, notice, ...content) };
  return state.notice ? { ...answer, state: { ...state, notice: '' } } : answer;
}

const go = (to: string, state: ForumState): Answer => ({ kind: 'redirect', to, state });
const missing = (data: ForumData, state: ForumState): Answer =>
  ({ ...show(data, state, 'Page not found', p('There is no such page in this forum.')), status: 404 }) as Answer;

export const postPath = ({ forum, id, slug }: Post) => `/f/${forum}/${id}/${slug}`;
const votesOf = (state: ForumState, { id, votes }: Post) => votes + (state.votes[id] ?? 0);
const commentsOf = (state: ForumState, { id }: Post) => state.comments.filter(({ post }) => post === id);

const orders: { [name: string]: (state: ForumState) => (a: Post, b: Post) => number } = {
  hot: (state) => (a, b) => votesOf(state, b) - votesOf(state, a) || b.id - a.id,
  new: () => (a, b) => b.day - a.day || b.id - a.id,
  comments: (state) => (a, b) => commentsOf(state, b).length - commentsOf(state, a).length || b.id - a.id,
};
const orderLinks = [
  ['hot', 'Hot'],
  ['new', 'New'],
  ['comments', 'Most commented'],
] as const;

function line(state: ForumState, post: Post): Content {
  const count = commentsOf(state, post).length;
  return [
    link(postPath(post), post.title),
    ` ${votesOf(state, post)} votes, ${count} ${count === 1 ? 'comment' : 'comments'}, by `,
    link(`/user/${post.author}`, post.author),
  ];
}

function posts(
  state: ForumState,
  all: readonly Post[],
  path: string,
  asked: SiteRequest['query'],
  kept: { [name: string]: string } = {},
): Content {
  const order = Object.hasOwn(orders, asked.sort ?? '') ? asked.sort : 'hot';
  const sorted = [...all].sort(orders[order](state));
  const at = pageNumber(asked.page, Math.ceil(sorted.length / pageSize));
  return [
    p(
      'Sort by ',
      ...orderLinks.flatMap(([name, text], k) => [
        k > 0 && ' ',
        link(`${path}?${query({ ...kept, sort: name })}`, text),
      ]),
    ),
    el(
      'ul',
      { class: 'posts' },
      ...sorted.slice((at - 1) * pageSize, at * pageSize).map((post) => el('li', {}, line(state, post))),
    ),
    pager(sorted.length, pageSize, at, (number) => `${path}?${query({ ...kept, sort: order, page: number })}`),
  ];
}

function forumPage(data: ForumData, state: ForumState, name: string, asked: SiteRequest['query']): Answer {
  const found = data.forums.find((one) => one.name === name);
  if (!found) return missing(data, state);
  const subscribed = state.subscriptions.includes(name);
  return show(
    data,
    state,
    name,
    p(found.about),
    act(`/f/${name}/subscribe`, subscribed ? 'Unsubscribe' : 'Subscribe'),
    p(link(`/submit?forum=${name}`, 'Submit a post')),
    posts(
      state,
      state.posts.filter(({ forum }) => forum === name),
      `/f/${name}`,
      asked,
    ),
  );
}

function postPage(data: ForumData, state: ForumState, id: string): Answer {
  const post = state.posts.find((one) => String(one.id) === id);
  if (!post) return missing(data, state);
  const vote = state.votes[post.id] ?? 0;
  const own = post.author === data.owner.user;
  const comments = commentsOf(state, post);
  return show(
    data,
    state,
    post.title,
    p(
      'By ',
      link(`/user/${post.author}`, post.author),
      ' in ',
      link(`/f/${post.forum}`, post.forum),
      ` on ${dateText(post.day)}`,
    ),
    el('p', { class: 'body' }, post.body),
    el('p', { class: 'votes' }, `${votesOf(state, post)} votes`),
    act(`/posts/${id}/vote`, vote > 0 ? 'Take back upvote' : 'Upvote', { vote: vote > 0 ? '0' : '1' }),
    act(`/posts/${id}/vote`, vote < 0 ? 'Take back downvote' : 'Downvote', { vote: vote < 0 ? '0' : '-1' }),
    own && p(link(`/posts/${id}/edit`, 'Edit')),
    own && act(`/posts/${id}/delete`, 'Delete'),
    h2(`Comments (${comments.length})`),
    ...comments.map(({ author, text }) =>
      el('article', { class: 'comment' }, p(link(`/user/${author}`, author)), p(text)),
    ),
    form('post', `/posts/${id}/comment`, area('Your comment', 'text'), submit('Post comment')),
  );
}

function userPage(data: ForumData, state: ForumState, user: string): Answer {
  const person = data.people.find((one) => one.user === user);
  if (!person) return missing(data, state);
  const own = state.posts.filter(({ author }) => author === user);
  const comments = state.comments.filter(({ author }) => author === user);
  const isOwner = user === data.owner.user;
  const bio = isOwner ? state.bio : person.bio;
  return show(
    data,
    state,
    user,
    facts(
      [
        ['Name', person.name],
        ['About', el('span', { class: 'bio' }, bio)],
        ['Posts', `${own.length} posts`],
        ['Comments', `${comments.length} comments`],
      ],
      { class: 'facts' },
    ),
    isOwner && form('post', '/bio', field('New text about you', 'bio'), submit('Save')),
    !isOwner && p(link(`/message?to=${user}`, 'Send a message')),
    h2('Posts'),
    list(own.map((post) => line(state, post))),
  );
}

function addPost(data: ForumData, state: ForumState, sent: SiteRequest['form']): Answer {
  const { forum = '', title = '', body = '' } = sent;
  const name = forum.trim();
  if (!data.forums.some((one) => one.name === name) || !title.trim())
    return go('/submit', { ...state, notice: 'A post needs a forum that exists and a title.' });
  const post = {
    id: Math.max(...state.posts.map(({ id }) => id)) + 1,
    forum: name,
    author: data.owner.user,
    title: title.trim(),
    body: body.trim(),
    votes: 1,
    day: data.today,
    slug: 'post',
  };
  return go(postPath(post), { ...state, posts: [...state.posts, post], notice: 'Your post was submitted.' });
}

function editPost(data: ForumData, state: ForumState, id: string, body: string): Answer {
  const post = state.posts.find((one) => String(one.id) === id && one.author === data.owner.user);
  if (!post) return missing(data, state);
  const changed = state.posts.map((one) => (one === post ? { ...one, body: body.trim() } : one));
  return go(postPath(post), { ...state, posts: changed, notice: 'Saved.' });
}

function vote(data: ForumData, state: ForumState, id: string, value: string): Answer {
  const post = state.posts.find((one) => String(one.id) === id);
  if (!post || !['-1', '0', '1'].includes(value)) return missing(data, state);
  return go(postPath(post), { ...state, votes: { ...state.votes, [post.id]: Number(value) } });
}

function comment(data: ForumData, state: ForumState, id: string, text: string): Answer {
  const post = state.posts.find((one) => String(one.id) === id);
  if (!post) return missing(data, state);
  if (!text.trim()) return go(postPath(post), { ...state, notice: 'The comment is empty.' });
  const comments = [...state.comments, { post: post.id, author: data.owner.user, text: text.trim() }];
  return go(postPath(post), { ...state, comments, notice: 'Your comment was posted.' });
}

function search(data: ForumData, state: ForumState, asked: SiteRequest['query']): Answer {
  const words = (asked.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const hits = state.posts.filter(({ title, body, author }) => {
    const text = `${title} ${body} ${author}`.toLowerCase();
    return words.length > 0 && words.every((word) => text.includes(word));
  });
  const content = hits.length ? posts(state, hits, '/search', asked, { q: asked.q ?? '' }) : p('Nothing was found.');
  return show(data, state, `Search: ${asked.q ?? ''}`, content);
}

const routes: readonly ForumRoute[] = [
  {
    method: 'GET',
    pattern: '/',
    answer: ({ data, state, request }) => {
      const own = state.posts.filter(({ forum }) => state.subscriptions.includes(forum));
      return show(data, state, 'Talk Forum', posts(state, own.length ? own : state.posts, '/', request.query));
    },
  },
  {
    method: 'GET',
    pattern: '/forums',
    answer: ({ data, state }) =>
      show(data, state, 'Forums', list(data.forums.map(({ name, about }) => [link(`/f/${name}`, name), ` ${about}`]))),
  },
  {
    method: 'GET',
    pattern: '/f/:name',
    answer: ({ data, state, request, params }) => forumPage(data, state, params.name, request.query),
  },
  {
    method: 'POST',
    pattern: '/f/:name/subscribe',
    answer: ({ state, params: { name } }) => {
      const has = state.subscriptions.includes(name);
      const subscriptions = has ? state.subscriptions.filter((one) => one !== name) : [...state.subscriptions, name];
      return go(`/f/${name}`, { ...state, subscriptions, notice: has ? 'Unsubscribed.' : 'Subscribed.' });
    },
  },
  { method: 'GET', pattern: '/f/:name/:id', answer: ({ data, state, params }) => postPage(data, state, params.id) },
  {
    method: 'GET',
    pattern: '/f/:name/:id/:slug',
    answer: ({ data, state, params }) => postPage(data, state, params.id),
  },
  {
    method: 'POST',
    pattern: '/posts/:id/vote',
    answer: ({ data, state, params, request }) => vote(data, state, params.id, request.form.vote ?? ''),
  },
  {
    method: 'POST',
    pattern: '/posts/:id/comment',
    answer: ({ data, state, params, request }) => comment(data, state, params.id, request.form.text ?? ''),
  },
  {
    method: 'GET',
    pattern: '/posts/:id/edit',
    answer: ({ data, state, params: { id } }) => {
      const post = state.posts.find((one) => String(one.id) === id && one.author === data.owner.user);
      if (!post) return missing(data, state);
      return show(
        data,
        state,
        `Edit ${post.title}`,
        p(post.body),
        form('post', `/posts/${id}/edit`, area('New text', 'body'), submit('Save')),
      );
    },
  },
  {
    method: 'POST',
    pattern: '/posts/:id/edit',
    answer: ({ data, state, params, request }) => editPost(data, state, params.id, request.form.body ?? ''),
  },
  {
    method: 'POST',
    pattern: '/posts/:id/delete',
    answer: ({ data, state, params: { id } }) => {
      const post = state.posts.find((one) => String(one.id) === id && one.author === data.owner.user);
      if (!post) return missing(data, state);
      return go(`/f/${post.forum}`, {
        ...state,
        posts: state.posts.filter((one) => one !== post),
        notice: 'The post was deleted.',
      });
    },
  },
  { method: 'GET', pattern: '/user/:user', answer: ({ data, state, params }) => userPage(data, state, params.user) },
  {
    method: 'POST',
    pattern: '/bio',
    answer: ({ data, state, request }) =>
      go(`/user/${data.owner.user}`, { ...state, bio: (request.form.bio ?? '').trim(), notice: 'Saved.' }),
  },
  {
    method: 'GET',
    pattern: '/message',
    answer: ({ data, state, request }) =>
      show(
        data,
        state,
        `Message to ${request.query.to ?? ''}`,
        form(
          'post',
          '/message',
          el('input', { type: 'hidden', name: 'to', value: request.query.to ?? '' }),
          area('Message', 'text'),
          submit('Send'),
        ),
      ),
  },
  {
    method: 'POST',
    pattern: '/message',
    answer: ({ data, state, request: { form: sent } }) => {
      const { to = '', text = '' } = sent;
      if (!data.people.some(({ user }) => user === to) || !text.trim()) return missing(data, state);
      return go('/sent', {
        ...state,
        messages: [...state.messages, { to, text: text.trim() }],
        notice: 'Your message was sent.',
      });
    },
  },
  {
    method: 'GET',
    pattern: '/sent',
    answer: ({ data, state }) =>
      show(
        data,
        state,
        'Sent messages',
        list(state.messages.map(({ to, text }) => el('span', { class: 'message' }, `To ${to}: ${text}`))),
      ),
  },
  {
    method: 'GET',
    pattern: '/submit',
    answer: ({ data, state, request }) =>
      show(
        data,
        state,
        'Submit a post',
        form(
          'post',
          '/submit',
          request.query.forum
            ? el('input', { type: 'hidden', name: 'forum', value: request.query.forum })
            : field('Forum', 'forum'),
          field('Title', 'title'),
          area('Text', 'body'),
          submit('Submit post'),
        ),
      ),
  },
  { method: 'POST', pattern: '/submit', answer: ({ data, state, request }) => addPost(data, state, request.form) },
  { method: 'GET', pattern: '/search', answer: ({ data, state, request }) => search(data, state, request.query) },
];

export const forum: Site<ForumData, ForumState & Json> = {
  name: 'forum',
  host: 'forum.test',
  title: 'Talk Forum',
  backend: 'forum',
  open: openForum,
  start: (data) => startForum(data) as ForumState & Json,
  handle: ((data: ForumData, state: ForumState, request: SiteRequest) =>
    route(routes, data, state, request, () => missing(data, state))) as never,
};
