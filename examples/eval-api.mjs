// Evaluates a model behind an API: node eval-api.mjs ADDRESS/v1 MODEL [TASKS]. It plays held-out tasks of TextCraft by chat
// completions; TABGYM_API_KEY is the key. `npx tabgym eval` does the same with suites, retries and reports.
import { createWorld, worlds } from 'tabgym/worlds';

const [address, model, count = '20'] = process.argv.slice(2);
if (!model) throw new Error('Name an address and a model: node eval-api.mjs http://127.0.0.1:8000/v1 NAME');
const { TABGYM_API_KEY: key } = process.env;
const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };

async function reply(messages) {
  const body = JSON.stringify({ model, messages, temperature: 0, max_tokens: 64 });
  const answer = await fetch(`${address}/chat/completions`, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`The model answered with status ${answer.status}: ${await answer.text()}`);
  return (await answer.json()).choices[0].message.content ?? '';
}

const { instruction } = worlds.find(({ name }) => name === 'textcraft');
const world = await createWorld('textcraft', { options: { depths: [1], distractors: 3 } });

/** Plays one task in at most 6 turns. */
async function play(task) {
  let { observation, done, reward } = await world.reset({ split: 'test', task });
  const messages = [{ role: 'system', content: `${instruction}\nAnswer with one action and nothing else.` }];
  for (let turn = 0; turn < 6 && !done; turn++) {
    messages.push({ role: 'user', content: observation });
    const content = (await reply(messages)).trim();
    messages.push({ role: 'assistant', content });
    ({ observation, done, reward } = await world.step(content.split('\n')[0]));
  }
  return reward === 1;
}

let successes = 0;
for (let task = 0; task < Number(count); task++) if (await play(task)) successes++;
await world.close();

// Wilson's 95% interval.
const [n, z] = [Number(count), 1.96];
const rate = successes / n;
const middle = (rate + (z * z) / (2 * n)) / (1 + (z * z) / n);
const half = (z * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))) / (1 + (z * z) / n);
const [low, high] = [Math.max(0, middle - half), Math.min(1, middle + half)];
console.log(`${model}: ${successes} of ${n}, 95% interval ${low.toFixed(2)} to ${high.toFixed(2)}`);
console.log('done');
