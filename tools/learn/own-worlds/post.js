// A post office: read the address, find the box of its town, and put the letter there.
const towns = ['york', 'bath', 'leeds', 'dover', 'ely', 'derby'];
const names = ['anna', 'ben', 'cleo', 'dan'];
let boxes, town;

export function tasks() {
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  return Array.from({ length: 400 }, () => {
    const rest = [...towns];
    const boxes = Array.from({ length: 5 }, () => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]);
    return { boxes, town: pick(boxes), name: pick(names) };
  });
}

export function reset(task) {
  ({ boxes, town } = task);
  return `${boxes.map((each, k) => `${each} ${k + 1}`).join(', ')}. letter for ${task.name} in ${town}`;
}

export function step(action) {
  const right = action === `box ${boxes.indexOf(town) + 1}`;
  return { text: right ? 'thank you' : 'wrong box', reward: right ? 1 : 0, done: true };
}

export const validActions = () => boxes.map((_, k) => `box ${k + 1}`);

export const oracle = () => `box ${boxes.indexOf(town) + 1}`;
