/** Tasks in the forum. */

import type { ForumData, ForumState, Post } from '../sites/forum/data.ts';
import { forum, postPath } from '../sites/forum/index.ts';
import type { Random } from '../sites/random.ts';
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

const home = 'http://forum.test/';

interface Here {
  data: ForumData;
  state: ForumState;
  random: Random;
}

const here = ({ net, random }: DrawContext): Here => {
  const data = net.dataOf<ForumData>(forum);
  return { data, state: forum.start(data) as ForumState, random };
};

const make = (
  name: string,
  turns: Template['turns'],
  draw: (here: Here) => Omit<MadeTask, 'start'> | null,
  more: Partial<Template> = {},
): Template => ({
  name: `forum-${name}`,
  sites: ['forum'],
  turns,
  feasible: true,
  ...more,
  draw: (context) => {
    const made = draw(here(context));
    return made && { start: [home], ...made };
  },
});

/** Steps to a post by searching for its title. */
const toPost = (post: Post): PlanStep[] => [
  { submit: '/search', fields: { q: post.title } },
  { visit: postPath(post) },
];
const otherPost = ({ data, state, random }: Here) =>
  random.pick(state.posts.filter(({ author }) => author !== data.owner.user));
const count = (state: ForumState, post: Post) => state.comments.filter((comment) => comment.post === post.id).length;

export const forumTemplates: readonly Template[] = [
  make('open-forum', 'medium', ({ data, random }) => {
    const { name } = random.pick(data.forums);
    return {
      intent: `Open the forum ${name}.`,
      gaps: { name },
      evaluation: endsAt(`${home}f/${name}`),
      plan: [{ visit: '/forums' }, { visit: `/f/${name}` }, { stop: '' }],
    };
  }),
  make('newest', 'medium', ({ data, state, random }) => {
    const { name } = random.pick(data.forums);
    const [newest] = state.posts.filter((post) => post.forum === name).sort((a, b) => b.day - a.day);
    return {
      intent: `What is the title of the newest post in the forum ${name}?`,
      gaps: { name },
      evaluation: answerIs(newest.title),
      plan: [{ visit: '/forums' }, { visit: `/f/${name}` }, { visit: `/f/${name}?sort=new` }, { stop: newest.title }],
    };
  }),
  make('hottest', 'medium', ({ data, state, random }) => {
    const { name } = random.pick(data.forums);
    const [hottest] = state.posts.filter((post) => post.forum === name).sort((a, b) => b.votes - a.votes);
    return {
      intent: `Who wrote the post with the most votes in the forum ${name}?`,
      gaps: { name },
      evaluation: answerIs(hottest.author),
      plan: [{ visit: '/forums' }, { visit: `/f/${name}` }, { stop: hottest.author }],
    };
  }),
  make('open-post', 'medium', (all) => {
    const post = otherPost(all);
    return {
      intent: `Open the post "${post.title}".`,
      gaps: { title: post.title },
      evaluation: endsAt(home + postPath(post).slice(1)),
      plan: [...toPost(post), { stop: '' }],
    };
  }),
  make('search', 'short', ({ state, random }) => {
    const word = random.pick(state.posts).title.split(' ').at(-1)!;
    return {
      intent: `Search the forum for "${word}".`,
      gaps: { word },
      evaluation: endsAt(`${home}search?q=${word}`),
      plan: [{ submit: '/search', fields: { q: word } }, { stop: '' }],
    };
  }),
  make('upvote', 'medium', (all) => {
    const post = otherPost(all);
    return {
      intent: `Upvote the post "${post.title}".`,
      gaps: { title: post.title },
      evaluation: shows({ url: home + postPath(post).slice(1), at: '.votes', text: `${post.votes + 1} votes` }),
      plan: [...toPost(post), { submit: `/posts/${post.id}/vote`, fields: { vote: '1' } }, { stop: '' }],
    };
  }),
  make('downvote', 'medium', (all) => {
    const post = otherPost(all);
    return {
      intent: `Downvote the post "${post.title}".`,
      gaps: { title: post.title },
      evaluation: shows({ url: home + postPath(post).slice(1), at: '.votes', text: `${post.votes - 1} votes` }),
      plan: [...toPost(post), { submit: `/posts/${post.id}/vote`, fields: { vote: '-1' } }, { stop: '' }],
    };
  }),
  make('comment', 'long', (all) => {
    const post = otherPost(all);
    const text = all.random.pick(['Well said', 'Tell us more', 'I doubt it', 'Same here']);
    return {
      intent: `Comment "${text}" on the post "${post.title}".`,
      gaps: { title: post.title, text },
      evaluation: shows({
        url: home + postPath(post).slice(1),
        at: 'article:last-of-type',
        text: [text, all.data.owner.user],
      }),
      plan: [...toPost(post), { submit: `/posts/${post.id}/comment`, fields: { text } }, { stop: '' }],
    };
  }),
  make('subscribe', 'medium', ({ data, random }) => {
    const { name } = random.pick(data.forums);
    return {
      intent: `Subscribe to the forum ${name}.`,
      gaps: { name },
      evaluation: shows({ url: `${home}f/${name}`, at: 'main form button', text: 'Unsubscribe' }),
      plan: [{ visit: '/forums' }, { visit: `/f/${name}` }, { submit: `/f/${name}/subscribe` }, { stop: '' }],
    };
  }),
  make('submit', 'long', ({ data, state, random }) => {
    const { name } = random.pick(data.forums);
    const title = random.pick(['Meeting on Sunday', 'Book swap', 'Who has a spare one?', 'Thank you all']);
    const body = random.pick(['Bring a friend', 'Answer here', 'More soon']);
    const id = Math.max(...state.posts.map((post) => post.id)) + 1;
    return {
      intent: `Submit a post to the forum ${name} with the title "${title}" and the text "${body}".`,
      gaps: { name, title, body },
      evaluation: shows({ url: `${home}f/${name}/${id}/post`, at: 'main', text: [title, body] }),
      plan: [
        { visit: '/forums' },
        { visit: `/f/${name}` },
        { visit: `/submit?forum=${name}` },
        { submit: '/submit', fields: { title, body } },
        { stop: '' },
      ],
    };
  }),
  make('about-me', 'medium', ({ data, random }) => {
    const bio = random.pick(['On holiday', 'Likes long walks', 'Learning to bake', 'Back in May']);
    return {
      intent: `Set the text about me to "${bio}".`,
      gaps: { bio },
      evaluation: shows({ url: `${home}user/${data.owner.user}`, at: '.bio', text: bio }),
      plan: [{ visit: `/user/${data.owner.user}` }, { submit: '/bio', fields: { bio } }, { stop: '' }],
    };
  }),
  make('about-author', 'long', (all) => {
    const post = otherPost(all);
    const { bio } = all.data.people.find(({ user }) => user === post.author)!;
    return {
      intent: `What does the author of "${post.title}" say about themselves?`,
      gaps: { title: post.title },
      evaluation: answerIs(bio),
      plan: [...toPost(post), { visit: `/user/${post.author}` }, { stop: bio }],
    };
  }),
  make('message', 'long', (all) => {
    const post = otherPost(all);
    const text = all.random.pick(['Is it still there?', 'May I quote you?', 'Thank you']);
    return {
      intent: `Send the author of "${post.title}" the message "${text}".`,
      gaps: { title: post.title, text },
      evaluation: shows({ url: `${home}sent`, at: '.message', text: `To ${post.author}: ${text}` }),
      plan: [
        ...toPost(post),
        { visit: `/user/${post.author}` },
        { visit: `/message?to=${post.author}` },
        { submit: '/message', fields: { text } },
        { stop: '' },
      ],
    };
  }),
  make(
    'delete-own',
    'long',
    ({ data, state, random }) => {
      const own = state.posts.filter(({ author }) => author === data.owner.user);
      if (!own.length) return null;
      const post = random.pick(own);
      return {
        intent: `Delete my post "${post.title}".`,
        gaps: { title: post.title },
        evaluation: shows({ url: home + postPath(post).slice(1), at: 'h1', text: 'Page not found' }),
        plan: [
          { visit: `/user/${data.owner.user}` },
          { visit: postPath(post) },
          { submit: `/posts/${post.id}/delete` },
          { stop: '' },
        ],
      };
    },
    { heldOut: true },
  ),
  make(
    'edit-own',
    'long',
    ({ data, state, random }) => {
      const own = state.posts.filter(({ author }) => author === data.owner.user);
      if (!own.length) return null;
      const post = random.pick(own);
      const body = random.pick(['Solved, thank you', 'No longer needed', 'See my newer post']);
      return {
        intent: `Change the text of my post "${post.title}" to "${body}".`,
        gaps: { title: post.title, body },
        evaluation: shows({ url: home + postPath(post).slice(1), at: '.body', text: body }),
        plan: [
          { visit: `/user/${data.owner.user}` },
          { visit: postPath(post) },
          { visit: `/posts/${post.id}/edit` },
          { submit: `/posts/${post.id}/edit`, fields: { body } },
          { stop: '' },
        ],
      };
    },
    { heldOut: true },
  ),
  make(
    'most-commented',
    'medium',
    ({ data, state, random }) => {
      const { name } = random.pick(data.forums);
      const [first, second] = state.posts
        .filter((post) => post.forum === name)
        .sort((a, b) => count(state, b) - count(state, a));
      if (count(state, first) === count(state, second)) return null;
      return {
        intent: `Which post of the forum ${name} has the most comments?`,
        gaps: { name },
        evaluation: answerIs(first.title),
        plan: [
          { visit: '/forums' },
          { visit: `/f/${name}` },
          { visit: `/f/${name}?sort=comments` },
          { stop: first.title },
        ],
      };
    },
    { heldOut: true },
  ),
  make(
    'no-such-forum',
    'medium',
    ({ random }) => {
      const name = random.pick(['chess', 'sailing', 'painting', 'cinema']);
      return {
        intent: `Subscribe to the forum ${name}. If there is none, answer N/A.`,
        gaps: { name },
        evaluation: notPossible,
        plan: [{ visit: '/forums' }, { stop: 'N/A' }],
      };
    },
    { feasible: false },
  ),
];
