/** The forum's people, forums, posts and comments, made from a seed, and the state that its pages change. */
import { slugOf } from '../html.ts';
import { type Person, people } from '../names.ts';
import { Random } from '../random.ts';

export interface Post {
  id: number;
  forum: string;
  author: string;
  title: string;
  slug: string;
  body: string;
  votes: number;
  day: number;
}

interface Comment {
  post: number;
  author: string;
  text: string;
}

export interface ForumData {
  seed: number;
  forums: { name: string; about: string }[];
  people: (Person & { bio: string })[];
  owner: Person;
  today: number;
}

export interface ForumState {
  posts: Post[];
  comments: Comment[];
  /** Votes of the browser's user, by post. */
  votes: { [post: number]: number };
  subscriptions: string[];
  messages: { to: string; text: string }[];
  bio: string;
  notice: string;
}

const forums = [
  ['baking', 'Bread, cakes and pies'],
  ['books', 'What we read'],
  ['cycling', 'On two wheels'],
  ['gardens', 'Plants and plots'],
  ['music', 'Making and hearing it'],
] as const;
const subjects: { [forum: string]: readonly string[] } = {
  baking: ['sourdough', 'rye bread', 'apple pie', 'oven stones', 'flour mills', 'yeast', 'cheesecake', 'proofing'],
  books: [
    'short stories',
    'old maps',
    'sea novels',
    'detective series',
    'poetry',
    'library cards',
    'diaries',
    'translations',
  ],
  cycling: [
    'brake pads',
    'winter rides',
    'steel frames',
    'chain oil',
    'hill climbs',
    'saddle bags',
    'tyres',
    'night lights',
  ],
  gardens: ['tomatoes', 'compost', 'roses', 'raised beds', 'seed swaps', 'slugs', 'pruning', 'rain barrels'],
  music: ['fiddles', 'choir practice', 'vinyl', 'old pianos', 'drum kits', 'sheet music', 'street bands', 'tuning'],
};
const openings = ['A question about', 'My first steps with', 'What I learned about', 'In praise of', 'Help with'];
const bodies = [
  'I would like to hear what you think.',
  'It took me a year to get here.',
  'Is there a simple way?',
  'Photos will follow.',
];
const replies = [
  'I agree with this.',
  'This did not work for me.',
  'Thank you for sharing.',
  'Try again in spring.',
  'Where did you buy it?',
  'I do it the other way round.',
];
const bios = [
  'Baker by night.',
  'Reads on trains.',
  'Grows beans.',
  'Plays the fiddle.',
  'Rides in the rain.',
  'New here.',
  'Collects maps.',
  'Asks a lot.',
];

function makePosts(random: Random, members: readonly Person[]): Post[] {
  const posts: Post[] = [];
  const votes = random.shuffle(Array.from({ length: 40 }, (_, k) => 3 + 7 * k));
  for (const [forum] of forums)
    for (const subject of subjects[forum]) {
      const title = `${random.pick(openings)} ${subject}`;
      posts.push({
        id: 100 + posts.length,
        forum,
        author: members[posts.length % 11 === 4 ? 0 : 1 + random.below(members.length - 1)].user,
        title,
        slug: slugOf(title),
        body: random.pick(bodies),
        votes: votes[posts.length],
        day: 0,
      });
    }
  const days = random.shuffle(posts.map((_, k) => 900 + 9 * k));
  return posts.map((post, k) => ({ ...post, day: days[k] }));
}

function makeComments(random: Random, members: readonly Person[], posts: readonly Post[]): Comment[] {
  return posts.flatMap(({ id }) =>
    random
      .some(replies, random.below(5))
      .map((text) => ({ post: id, author: random.pick(members.slice(1)).user, text })),
  );
}

export function openForum(seed: number): ForumData {
  const random = new Random(seed, 'forum');
  const texts = random.shuffle(bios);
  const members = people(random, 8).map((person, k) => ({ ...person, bio: texts[k] }));
  return {
    seed,
    forums: forums.map(([name, about]) => ({ name, about })),
    people: members,
    owner: members[0],
    today: 1300,
  };
}

export function startForum({ seed, people: members }: ForumData): ForumState {
  const random = new Random(seed, 'forum posts');
  const posts = makePosts(random, members);
  return {
    posts,
    comments: makeComments(random, members, posts),
    votes: {},
    subscriptions: [],
    messages: [],
    bio: members[0].bio,
    notice: '',
  };
}
