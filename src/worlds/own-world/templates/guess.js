// Guess a number: each answer leaves a smaller range.
const most = 20;
let secret, low, high;

// The tasks: any JSON values. Some are set aside for evaluations.
export function tasks(seed) {
  const all = [];
  for (let low = 1; low <= most; low++)
    for (let high = low + 2; high <= Math.min(most, low + 6); high++)
      for (let secret = low; secret <= high; secret++) all.push({ low, high, secret });
  return all;
}

// Begins an episode; returns its first text.
export function reset(task) {
  ({ secret, low, high } = task);
  return `the number is from ${low} to ${high}`;
}

// Takes an action. The last reward counts: 1 is success.
export function step(action) {
  const guess = Number(/^guess (\d+)$/.exec(action)?.[1]);
  if (!guess) return { text: 'say guess and a number', valid: false };
  if (guess === secret) return { text: 'yes', reward: 1, done: true };
  if (guess < secret) low = Math.max(low, guess + 1);
  else high = Math.min(high, guess - 1);
  return { text: `no, it is from ${low} to ${high}` };
}

// The actions that the agent chooses from.
export function validActions() {
  return Array.from({ length: most }, (_, k) => `guess ${k + 1}`);
}

// A good player's next action.
export function oracle() {
  return `guess ${Math.floor((low + high) / 2)}`;
}

// A picture for people.
export function view() {
  const cells = Array.from({ length: most }, (_, k) => (k + 1 < low || k + 1 > high ? '·' : String(k + 1)));
  return { grid: [cells] };
}
