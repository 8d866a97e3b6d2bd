// Twenty questions over a table: ask for features until one animal is left, then name it.
const features = ['fur', 'wings', 'water', 'big', 'farm'];
const animals = {
  cat: '10000',
  dog: '10010',
  cow: '10011',
  hen: '01001',
  duck: '01101',
  owl: '01000',
  swan: '01110',
  seal: '10110',
  trout: '00100',
  whale: '00110',
  snake: '00000',
};
const kinds = Object.keys(animals);
let secret, left, asked;

export function tasks(seed) {
  return Array.from({ length: 300 }, () => {
    const rest = [...kinds];
    const left = Array.from({ length: 6 }, () => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]);
    return { left, secret: left[Math.floor(Math.random() * left.length)] };
  });
}

export function reset(task) {
  ({ secret, left } = task);
  asked = [];
  return `one of ${left.join(' ')}`;
}

export function step(action) {
  const [verb, what] = action.split(' ');
  if (verb === 'ask' && features.includes(what)) {
    const f = features.indexOf(what);
    const yes = animals[secret][f] === '1';
    asked.push(what);
    left = left.filter((name) => (animals[name][f] === '1') === yes);
    return { text: `${yes ? 'yes' : 'no'}, left ${left.join(' ')}` };
  }
  if (verb !== 'name' || !animals[what]) return { text: 'ask for a feature or name an animal', valid: false };
  return { text: what === secret ? 'right' : 'wrong', reward: what === secret ? 1 : 0, done: true };
}

export function validActions() {
  return [...features.map((each) => `ask ${each}`), ...kinds.map((name) => `name ${name}`)];
}

// The question that divides what is left most evenly.
export function oracle() {
  if (left.length === 1) return `name ${left[0]}`;
  const uneven = features.map((_, f) =>
    Math.abs(2 * left.filter((name) => animals[name][f] === '1').length - left.length),
  );
  return `ask ${features[uneven.indexOf(Math.min(...uneven))]}`;
}

export function view() {
  const rows = left.map((name) => [name, ...[...animals[name]].map((bit) => (bit === '1' ? 'yes' : 'no'))]);
  return { table: { columns: ['animal', ...features], rows } };
}
