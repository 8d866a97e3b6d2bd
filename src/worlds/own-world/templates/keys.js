// A grid: fetch the key, then go to the door.
const size = 5;
const moves = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };
let you, key, door, hasKey;

export function tasks(seed) {
  const cell = () => [Math.floor(Math.random() * size), Math.floor(Math.random() * size)];
  const all = Array.from({ length: 400 }, () => ({ you: cell(), key: cell(), door: cell() }));
  return all.filter(({ you, key, door }) => new Set([you, key, door].map(String)).size === 3);
}

export function reset(task) {
  ({ key, door } = task);
  you = [...task.you];
  hasKey = false;
  return text();
}

// Where something lies, seen from here.
function seen([x, y]) {
  const across = x < you[0] ? 'left' : x > you[0] ? 'right' : '';
  const along = y < you[1] ? 'up' : y > you[1] ? 'down' : '';
  return [across, along].filter(Boolean).join(' and ') || 'here';
}

function text() {
  return hasKey ? `you have the key, door ${seen(door)}` : `key ${seen(key)}, door ${seen(door)}`;
}

export function step(action) {
  const move = moves[action.replace('go ', '')];
  if (!move) return { text: `you cannot do that, ${text()}`, valid: false };
  you = you.map((n, k) => Math.min(size - 1, Math.max(0, n + move[k])));
  if (!hasKey && String(you) === String(key)) hasKey = true;
  const open = hasKey && String(you) === String(door);
  return { text: open ? 'the door opens' : text(), reward: open ? 1 : hasKey ? 0.5 : 0, done: open };
}

export function validActions() {
  return Object.keys(moves).map((way) => `go ${way}`);
}

export function oracle() {
  return `go ${seen(hasKey ? door : key).split(' ')[0]}`;
}

export function view() {
  const grid = Array.from({ length: size }, () => Array(size).fill('·'));
  const put = ([x, y], symbol) => {
    grid[y][x] = symbol;
  };
  put(door, '▯');
  if (!hasKey) put(key, '⚷');
  put(you, '@');
  return [{ grid }, '@ you   ⚷ key   ▯ door'];
}
