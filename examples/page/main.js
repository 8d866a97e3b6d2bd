// Trains TextCraft in this page, then shows one episode of the agent.
import { createRun, preset } from 'tabgym';

const out = document.querySelector('#out');
const show = (line) => {
  out.textContent += `${line}\n`;
};

try {
  const steps = Number(new URLSearchParams(location.search).get('steps') ?? 20);
  const run = await createRun({ ...preset('micro'), steps }, { device: 'wasm' });
  run.on('step', ({ step }) => show(`step ${step} of ${steps}`));
  run.on('notice', ({ message }) => show(message));
  await run.train();
  for (const { action, observation } of await run.watch()) show(`> ${action}\n${observation}`);
  await run.close();
  show('done');
} catch (error) {
  show(`failed: ${error.message}`);
}
