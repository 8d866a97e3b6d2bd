/** The tracker's people, projects, issues and merge requests, made from a seed, and the state that its pages change. */
import { slugOf } from '../html.ts';
import { type Person, people } from '../names.ts';
import { Random } from '../random.ts';

export const roles = ['Guest', 'Reporter', 'Developer', 'Maintainer'] as const;
type Role = (typeof roles)[number];
export const labels = ['bug', 'docs', 'feature', 'help wanted'] as const;

export interface Issue {
  project: string;
  /** Number within its project. */
  number: number;
  title: string;
  text: string;
  author: string;
  label: string;
  open: boolean;
  assignee: string;
  day: number;
  comments: { author: string; text: string }[];
}

export interface MergeRequest {
  project: string;
  number: number;
  title: string;
  branch: string;
  author: string;
  reviewer: string;
  status: 'Open' | 'Merged' | 'Closed';
  approvedBy: string[];
  /** Result of the pipeline. */
  pipeline: 'passed' | 'failed';
  files: { name: string; added: number; removed: number }[];
  comments: { author: string; text: string }[];
}

export interface Project {
  slug: string;
  name: string;
  about: string;
  stars: number;
  /** Number of commits of each person. */
  commits: { author: string; count: number }[];
  license: string;
}

export interface TrackerData {
  seed: number;
  people: Person[];
  owner: Person;
  today: number;
}

export interface TrackerState {
  projects: Project[];
  members: { project: string; user: string; role: Role }[];
  issues: Issue[];
  requests: MergeRequest[];
  starred: string[];
  status: string;
  notice: string;
}

const names = ['Atlas', 'Beacon', 'Compass', 'Drift', 'Ember', 'Fable'];
const abouts = [
  'A parser for old maps',
  'A tool that watches files',
  'A library of charts',
  'A game of tiles',
  'A mail reader',
  'A planner for trips',
];
const parts = [
  'search box',
  'settings page',
  'export',
  'log-in form',
  'cache',
  'date picker',
  'sidebar',
  'test runner',
  'start script',
  'help text',
];
const troubles = [
  'is slow',
  'loses input',
  'shows the wrong date',
  'needs a test',
  'has no keyboard focus',
  'fails on Windows',
];
const works = ['Speed up the', 'Rewrite the', 'Add tests for the', 'Translate the', 'Remove the old'];
const files = ['src/main.c', 'src/search.c', 'src/cache.c', 'docs/guide.md', 'tests/run.sh', 'README.md'];
const licenses = ['MIT', 'Apache-2.0', 'BSD-3-Clause', 'GPL-3.0'];

function makeIssues(random: Random, members: readonly Person[], project: string, today: number): Issue[] {
  const chosen = random.some(parts, 7);
  return chosen.map((part, k) => ({
    project,
    number: k + 1,
    title: `The ${part} ${random.pick(troubles)}`,
    text: `Seen in the ${part} on every start.`,
    author: random.pick(members).user,
    label: random.pick(labels),
    open: k === 0 || random.below(3) > 0,
    assignee: random.below(2) ? random.pick(members).user : '',
    day: today - 200 + 20 * k + random.below(20),
    comments: random.below(2) ? [{ author: random.pick(members).user, text: 'I can see this too.' }] : [],
  }));
}

function makeRequests(random: Random, members: readonly Person[], project: string): MergeRequest[] {
  const chosen = random.some(parts, 5);
  return chosen.map((part, k) => {
    const title = `${random.pick(works)} ${part}`;
    return {
      project,
      number: k + 1,
      title,
      branch: slugOf(title),
      author: members[1 + random.below(members.length - 1)].user,
      reviewer: k < 2 ? members[0].user : random.pick(members).user,
      status: k < 3 ? 'Open' : random.pick(['Merged', 'Closed'] as const),
      approvedBy: [],
      pipeline: random.below(3) ? 'passed' : 'failed',
      files: random.some(files, random.between(1, 3)).map((name) => ({
        name,
        added: random.between(1, 60),
        removed: random.between(0, 30),
      })),
      comments: random.below(2) ? [{ author: random.pick(members).user, text: 'Please have a look.' }] : [],
    };
  });
}

export function openTracker(seed: number): TrackerData {
  const members = people(new Random(seed, 'tracker'), 7);
  return { seed, people: members, owner: members[0], today: 1300 };
}

export function startTracker({ seed, people: all, today }: TrackerData): TrackerState {
  const random = new Random(seed, 'tracker projects');
  const stars = random.shuffle([3, 11, 26, 48, 75, 120, 260]);
  const counts = random.shuffle(Array.from({ length: 24 }, (_, k) => 2 + 5 * k));
  const projects = random.some(names, 4).map((name, k) => ({
    slug: slugOf(name),
    name,
    about: abouts[names.indexOf(name)],
    stars: stars[k],
    license: random.pick(licenses),
    commits: random.some(all, 4).map(({ user }, m) => ({ author: user, count: counts[4 * k + m] })),
  }));
  return {
    projects,
    members: projects.flatMap(({ slug }) => [
      { project: slug, user: all[0].user, role: 'Maintainer' as const },
      ...random.some(all.slice(1), 3).map(({ user }) => ({ project: slug, user, role: random.pick(roles) })),
    ]),
    issues: projects.flatMap(({ slug }) => makeIssues(random, all, slug, today)),
    requests: projects.flatMap(({ slug }) => makeRequests(random, all, slug)),
    starred: [],
    status: '',
    notice: '',
  };
}
