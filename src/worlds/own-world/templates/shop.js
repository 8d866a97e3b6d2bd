// A shop assistant: ask the customer what is missing, then offer the right thing.
const things = ['hat', 'coat', 'scarf'];
const colours = ['red', 'blue', 'green'];
const sizes = ['small', 'large'];
let shelf, wish, asked, last;

const pick = (list) => list[Math.floor(Math.random() * list.length)];
const name = ({ size, colour, thing }) => `${size} ${colour} ${thing}`;

export function tasks(seed) {
  return Array.from({ length: 300 }, () => {
    const all = things.flatMap((thing) => colours.flatMap((colour) => sizes.map((size) => ({ thing, colour, size }))));
    const shelf = Array.from({ length: 5 }, () => all.splice(Math.floor(Math.random() * all.length), 1)[0]);
    return { shelf, wish: pick(shelf) };
  });
}

export function reset(task) {
  ({ shelf, wish } = task);
  asked = [];
  return say(`a ${wish.thing} please`);
}

// The customer's words, and all that is known.
function say(words) {
  last = words;
  return `customer: ${words}. wanted: ${[...asked.map((each) => wish[each]), wish.thing].join(' ')}`;
}

export function step(action) {
  const [verb, ...rest] = action.split(' ');
  if (verb === 'ask' && (rest[0] === 'size' || rest[0] === 'colour')) {
    if (!asked.includes(rest[0])) asked = ['size', 'colour'].filter((each) => each === rest[0] || asked.includes(each));
    return { text: say(`${wish[rest[0]]} please`) };
  }
  if (verb !== 'offer') return { text: say('pardon'), valid: false };
  const right = rest.join(' ') === name(wish);
  return { text: right ? 'customer: thank you' : 'customer: not that one', reward: right ? 1 : 0, done: true };
}

export function validActions() {
  return ['ask size', 'ask colour', ...shelf.map((each) => `offer ${name(each)}`)];
}

export function oracle() {
  const missing = ['size', 'colour'].find((each) => !asked.includes(each));
  return missing ? `ask ${missing}` : `offer ${name(wish)}`;
}

export function view() {
  const rows = shelf.map(({ thing, colour, size }) => [thing, colour, size]);
  return [`Customer: ${last}`, { table: { columns: ['on the shelf', 'colour', 'size'], rows } }];
}
