/**
 * Data of the to-do family: projects with tasks, drawn from word lists. Names are pairs of words; the pairs of training
 * and of held-out tasks are apart, so that no held-out name occurs in training, while every word does.
 */
import type { Random } from '../../../envs/random.ts';
import { addDays } from '../dates.ts';
import { distinct, drawPairs } from '../draws.ts';
import type { Draw } from '../family.ts';

export interface Project {
  id: string;
  order: number;
  color: string;
  name: string;
  favourite: boolean;
}

export interface TodoTask {
  id: string;
  project: string;
  order: number;
  content: string;
  place: string;
  contact: string;
  priority: number;
  due: string;
  /** In minutes. */
  duration: number;
  state: 'open' | 'completed' | 'deleted';
}

export interface TodoData {
  today: string;
  town: string;
  projects: Project[];
  tasks: TodoTask[];
}

export const words = {
  projectFirst: [
    'Spring',
    'Blue',
    'Old',
    'Green',
    'Night',
    'Summer',
    'North',
    'Little',
    'Winter',
    'Quiet',
    'Bright',
    'Harbour',
  ],
  projectLast: [
    'Garden',
    'Kitchen',
    'Office',
    'School',
    'Travel',
    'Music',
    'Fitness',
    'Family',
    'Library',
    'Workshop',
    'Market',
    'Studio',
  ],
  verbs: [
    'Paint',
    'Order',
    'Clean',
    'Repair',
    'Sort',
    'Plan',
    'Measure',
    'Pack',
    'Print',
    'Review',
    'Label',
    'Move',
    'Count',
    'Check',
    'Borrow',
    'Photograph',
  ],
  objects: [
    'fence',
    'lamps',
    'boxes',
    'letters',
    'shelves',
    'tickets',
    'maps',
    'tools',
    'chairs',
    'seeds',
    'posters',
    'recipes',
    'windows',
    'costumes',
    'books',
    'cables',
    'curtains',
    'bottles',
    'invoices',
    'bicycles',
    'plates',
    'songs',
    'tents',
    'signs',
  ],
  places: [
    'attic',
    'courtyard',
    'town hall',
    'cellar',
    'boathouse',
    'greenhouse',
    'reading room',
    'back yard',
    'station',
    'print shop',
  ],
  contacts: ['Ada Lind', 'Bo Marek', 'Carla Nunez', 'Dev Rao', 'Elif Aydin', 'Finn Holm', 'Gita Shah', 'Hugo Weber'],
  towns: ['Alderby', 'Brookwick', 'Cresthaven', 'Dunmere', 'Eastvale', 'Fernley'],
  colors: ['charcoal', 'berry_red', 'olive_green', 'sky_blue', 'grape', 'salmon'],
} as const;

const withArticle = (pair: string) => pair.replace(' ', ' the ');

/** Minimum and maximum number of days until a task is due; negative: overdue. */
const [earliestDue, latestDue] = [-6, 40];
/** Durations are multiples of this many minutes, up to sixteen of them. */
const durationStep = 15;

/** Ids that are different, in random order: two digits, or ten as Todoist's in the original. */
function drawIds(count: number, random: Random, long: boolean): string[] {
  const numbers = Array.from({ length: 90 }, (_, k) => String(10 + k));
  const short = random.shuffle(numbers).slice(0, count);
  return long ? short.map((id) => `22${id}${String(random.below(1_000_000)).padStart(6, '0')}`) : short;
}

/** Draws an account. Due dates and durations within a project are different from each other. */
export function drawTodo(draw: Draw): TodoData {
  const { random, options } = draw;
  const [projectCount, most] = [Number(options.projects), Number(options.tasks)];
  const counts = Array.from({ length: projectCount }, () => random.between(2, most));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const ids = drawIds(projectCount + total, random, options.upstream);
  const today = addDays('2031-01-01', random.below(1200));
  const projects = drawPairs(words.projectFirst, words.projectLast, projectCount, draw).map((name, k) => ({
    ...{ id: ids.pop()!, order: k + 1, color: random.pick(words.colors), name, favourite: false },
  }));
  const contents = drawPairs(words.verbs, words.objects, total, draw).map(withArticle);
  const tasks = projects.flatMap((project, k) => {
    const dues = distinct(earliestDue, latestDue, counts[k], random);
    const durations = distinct(1, 16, counts[k], random);
    return dues.map(
      (due, order): TodoTask => ({
        id: ids.pop()!,
        project: project.id,
        order: order + 1,
        content: contents.pop()!,
        place: random.pick(words.places),
        contact: random.pick(words.contacts),
        priority: random.between(1, 4),
        due: addDays(today, due),
        duration: durationStep * durations[order],
        state: 'open',
      }),
    );
  });
  return { today, town: random.pick(words.towns), projects, tasks };
}

/** A pair of the split that the account does not contain. */
export function drawAbsent(draw: Draw, kind: 'project' | 'task', { projects, tasks }: TodoData): string {
  const [first, last] = kind === 'project' ? [words.projectFirst, words.projectLast] : [words.verbs, words.objects];
  const taken = new Set([...projects.map(({ name }) => name), ...tasks.map(({ content }) => content)]);
  const pairs = drawPairs(first, last, first.length * last.length, draw);
  const names = kind === 'project' ? pairs : pairs.map(withArticle);
  return names.find((name) => !taken.has(name))!;
}

export const copyOf = ({ projects, tasks, ...rest }: TodoData): TodoData => ({
  ...rest,
  projects: projects.map((project) => ({ ...project })),
  tasks: tasks.map((task) => ({ ...task })),
});
