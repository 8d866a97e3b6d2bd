// A vending machine: press the button of the drink that is wanted, then pay the exact price.
const drinks = ['tea', 'cola', 'milk'];
const coins = [1, 2, 5];
let prices, wanted, chosen, left;

export function tasks(seed) {
  return Array.from({ length: 300 }, () => {
    const prices = drinks.map(() => 1 + Math.floor(Math.random() * 9));
    return { prices, wanted: drinks[Math.floor(Math.random() * drinks.length)] };
  });
}

export function reset(task) {
  ({ prices, wanted } = task);
  chosen = null;
  left = 0;
  const list = drinks.map((drink, k) => `${drink} ${prices[k]}`).join(', ');
  return `${list}. you want ${wanted}`;
}

export function step(action) {
  const [verb, what] = action.split(' ');
  if (verb === 'press' && drinks.includes(what)) {
    chosen = what;
    left = prices[drinks.indexOf(what)];
  } else if (verb === 'pay' && coins.includes(Number(what))) {
    if (chosen) left -= Number(what);
  } else return { text: 'there is no such button', valid: false };
  if (!chosen) return { text: 'press a button first' };
  if (left < 0) return { text: 'too much, the machine keeps it', done: true };
  if (left > 0) return { text: `${left} to pay for ${chosen}` };
  return { text: `here is your ${chosen}`, reward: chosen === wanted ? 1 : 0, done: true };
}

export function validActions() {
  return [...drinks.map((drink) => `press ${drink}`), ...coins.map((coin) => `pay ${coin}`)];
}

export function oracle() {
  if (chosen !== wanted) return `press ${wanted}`;
  return `pay ${coins.filter((coin) => coin <= left).at(-1)}`;
}

export function view() {
  const rows = drinks.map((drink, k) => [drink, prices[k]]);
  return [
    { table: { columns: ['drink', 'price'], rows } },
    chosen ? `${left} to pay for ${chosen}` : `You want ${wanted}.`,
  ];
}
