// Four lamps: press switches until the right ones are on. There is no oracle, so only the reward teaches.
const colours = ['red', 'blue', 'green', 'white'];
let on, wanted;

export function tasks() {
  const all = [];
  for (let from = 0; from < 16; from++) for (let to = 0; to < 16; to++) if (from !== to) all.push({ from, to });
  return all;
}

const text = () => `wrong: ${colours.filter((_, k) => on[k] !== wanted[k]).join(' ')}`;
const bits = (n) => colours.map((_, k) => (n >> k) & 1);

export function reset(task) {
  on = bits(task.from);
  wanted = bits(task.to);
  return text();
}

export function step(action) {
  const k = colours.indexOf(action.replace('press ', ''));
  if (k < 0) return { text: text(), valid: false };
  on[k] = 1 - on[k];
  const right = String(on) === String(wanted);
  return { text: right ? 'all right' : text(), reward: right ? 1 : 0, done: right };
}

export const validActions = () => colours.map((colour) => `press ${colour}`);
