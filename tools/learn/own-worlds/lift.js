// A lift: bring it to the floor that is wanted and open the door.
let floor, wanted;

export function tasks() {
  const floors = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  return floors.flatMap((from) => floors.filter((to) => to !== from).map((to) => ({ from, to })));
}

const text = () => `floor ${floor}, wanted ${wanted}`;

export function reset(task) {
  floor = task.from;
  wanted = task.to;
  return text();
}

export function step(action) {
  if (action === 'open') return { text: 'the door opens', reward: floor === wanted ? 1 : 0, done: true };
  if (action !== 'up' && action !== 'down') return { text: text(), valid: false };
  floor = Math.min(9, Math.max(1, floor + (action === 'up' ? 1 : -1)));
  return { text: text() };
}

export const validActions = () => ['up', 'down', 'open'];

export const oracle = () => (floor < wanted ? 'up' : floor > wanted ? 'down' : 'open');
