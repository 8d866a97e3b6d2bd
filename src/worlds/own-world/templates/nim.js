// A game for two: take 1 to 3 sticks in turn; who takes the last one wins. The opponent never changes its play.
let sticks, last;

export function tasks(seed) {
  const all = [];
  for (let sticks = 5; sticks <= 30; sticks++) all.push({ sticks });
  return all;
}

export function reset(task) {
  sticks = task.sticks;
  last = '';
  return `${sticks} sticks`;
}

// Takes the last sticks if it can, or else one.
function opponent() {
  const taken = sticks <= 3 ? sticks : 1;
  sticks -= taken;
  last = `i take ${taken}`;
}

export function step(action) {
  const taken = Number(/^take ([123])$/.exec(action)?.[1]);
  if (!taken || taken > sticks) return { text: `you cannot take that, ${sticks} sticks`, valid: false };
  sticks -= taken;
  if (sticks === 0) return { text: 'you win', reward: 1, done: true };
  opponent();
  if (sticks === 0) return { text: `${last} and win`, reward: 0, done: true };
  return { text: `${last}, ${sticks} sticks` };
}

export function validActions() {
  return [1, 2, 3].filter((taken) => taken <= sticks).map((taken) => `take ${taken}`);
}

export function oracle() {
  return `take ${sticks % 4 || 1}`;
}

export function view() {
  const shapes = Array.from({ length: sticks }, (_, k) => {
    const x = 1 + (k % 10);
    const y = 1 + 2 * Math.floor(k / 10);
    return { kind: 'line', x, y, x2: x, y2: y + 1.4, size: 0.3, colour: 'orange' };
  });
  return [{ picture: { width: 12, height: 8, shapes, text: `${sticks} sticks` } }, last || 'Your turn.'];
}
