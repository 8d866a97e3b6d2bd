// A trained policy behind OpenAI's protocol: any client of chat completions can ask it.
import { createRun, preset } from 'tabgym';
import { loadPolicy, serve } from 'tabgym/server';
import { createWorld } from 'tabgym/worlds';

const run = await createRun({ ...preset('micro'), steps: 2 }, { device: 'wasm' });
await run.train();
const policy = await loadPolicy(await run.export(), { device: 'wasm' });
const { options } = run.experiment.worlds[0];
await run.close();

const server = await serve({ port: 0, worlds: ['textcraft'], policies: { 'my-agent': policy } });
const ask = async (path, body) => {
  const json = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(`${server.address}/v1${path}`, json)).json();
};
const models = await ask('/models');
console.log('models:', models.data.map(({ id }) => id).join(', '));

const world = await createWorld('textcraft', { options });
const { observation, validActions } = await world.reset({ split: 'test', task: 0 });
const answer = await ask('/chat/completions', {
  model: 'my-agent',
  messages: [{ role: 'user', content: observation }],
  temperature: 0,
  guided_choice: validActions,
});
const [{ message }] = answer.choices;
console.log(`${observation}\n> ${message.content}`);
console.log(validActions.includes(message.content) ? 'a valid action' : 'an invalid action');
await world.close();
await server.close();
await policy.close();
console.log('done');
