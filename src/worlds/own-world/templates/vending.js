// A vending machine: pay the exact price, then press the button of the drink.
const drinks = ['tea', 'cola', 'milk'];
const coins = [1, 2, 5];
let prices, wanted, paid;

export function tasks(seed) {
  return Array.from({ length: 300 }, () => {
    const prices = drinks.map(() => 1 + Math.floor(Math.random() * 9));
    return { prices, wanted: Math.floor(Math.random() * drinks.length) };
  });
}

export function reset(task) {
  ({ prices, wanted } = task);
  paid = 0;
  return state();
}

function state() {
  const list = drinks.map((drink, k) => `${drink} ${prices[k]}`).join(', ');
  return `${list}, want ${drinks[wanted]}, paid ${paid}`;
}

export function step(action) {
  const [verb, what] = action.split(' ');
  if (verb === 'pay' && coins.includes(Number(what))) {
    paid += Number(what);
    if (paid > prices[wanted]) return { text: 'too much, the machine keeps it', done: true };
    return { text: state() };
  }
  if (verb === 'press' && drinks.includes(what)) {
    const right = what === drinks[wanted] && paid === prices[wanted];
    return { text: right ? `here is your ${what}` : 'nothing comes', reward: right ? 1 : 0, done: true };
  }
  return { text: `there is no such button. ${state()}`, valid: false };
}

export function validActions() {
  return [...coins.map((coin) => `pay ${coin}`), ...drinks.map((drink) => `press ${drink}`)];
}

export function oracle() {
  const left = prices[wanted] - paid;
  const coin = coins.filter((each) => each <= left).at(-1);
  return coin ? `pay ${coin}` : `press ${drinks[wanted]}`;
}

export function view() {
  return { table: { columns: ['drink', 'price'], rows: drinks.map((drink, k) => [drink, prices[k]]) } };
}
