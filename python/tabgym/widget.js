/**
 * Front end of `Widget` (widget.py): loads the element from the kernel, once in a page, passes the kernel's commands to it
 * and its events to the kernel.
 */

/** Files of the element. Each refers only to earlier ones. */
const files = ['helper', 'clock-worker', 'sandbox-worker', 'world-worker', 'library-worker', 'element'];

const unpacked = (bytes) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();

/** Calls `take` at each message of the kernel. Returns a function that ends this. */
function listen(model, take) {
  const listener = (message, buffers) => take(message, buffers ?? []);
  model.on('msg:custom', listener);
  return () => model.off('msg:custom', listener);
}

/** All files of the element, packed, in one message. */
const received = (model) =>
  new Promise((resolve, reject) => {
    const end = listen(model, (message, buffers) => {
      if (!message.files && !message.missing) return;
      end();
      if (message.missing) reject(new Error(message.missing));
      else resolve(buffers);
    });
    model.send({ want: 'files', names: files });
  });

async function defineElement(model) {
  const addresses = {};
  for (const [index, bytes] of (await received(model)).entries()) {
    const text = `globalThis.tabgymFiles = ${JSON.stringify(addresses)};\n${await unpacked(bytes)}`;
    addresses[files[index]] = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  }
  await import(/* @vite-ignore */ addresses.element);
}

/** Defines the element if no other widget of the page has. A failure is not kept. */
function defined(model) {
  globalThis.tabgymElement ??= defineElement(model).catch((error) => {
    globalThis.tabgymElement = undefined;
    throw error;
  });
  return globalThis.tabgymElement;
}

const plain = ({ world, item, step, reward, success, messages }) => ({
  ...{ world, item, step, reward, success },
  messages: (messages ?? []).map(({ role, content }) => ({ role, content })),
});

async function sendTrajectories(model, element, step) {
  const records = await element.trajectories(step);
  model.send({ trajectories: records.map(plain), step: records[0]?.step ?? step ?? null });
}

const commands = {
  start: (element) => element.train(),
  pause: (element) => element.pause(),
  play: (element) => element.playEpisode(),
  trajectories: (element, model, { step }) => sendTrajectories(model, element, step ?? undefined),
  file: async (element, model) => {
    const bytes = await element.export();
    if (bytes) model.send({ file: bytes.length }, undefined, [bytes.slice().buffer]);
  },
};

const attributes = ['view', 'theme', 'lang'];

function applySettings(element, model) {
  for (const name of attributes) {
    const value = model.get(name);
    if (value) element.setAttribute(name, value);
    else element.removeAttribute(name);
  }
  element.toggleAttribute('controls', model.get('controls'));
}

function save(model, values) {
  for (const [name, value] of Object.entries(values)) model.set(name, value);
  model.save_changes();
}

/** Passes the element's events to the kernel. */
function report(element, model) {
  element.addEventListener('tabgym-ready', () => model.send({ records: element.steps }));
  element.addEventListener('tabgym-step', ({ detail }) => model.send({ records: [detail] }));
  element.addEventListener('tabgym-error', ({ detail }) => save(model, { error: detail.message }));
  element.addEventListener('tabgym-status', ({ detail: { status } }) => {
    save(model, { status });
    if (status === 'paused' || status === 'finished')
      sendTrajectories(model, element).catch(({ message }) => save(model, { error: message }));
  });
}

/** The view of each model that follows the kernel's commands: the first that is shown. */
const leading = new WeakMap();

async function render({ model, el }) {
  try {
    await defined(model);
  } catch ({ message }) {
    el.textContent = message;
    save(model, { error: message });
    return undefined;
  }
  const element = document.createElement('tab-gym');
  if (!leading.has(model)) {
    leading.set(model, element);
    report(element, model);
  }
  applySettings(element, model);
  const source = URL.createObjectURL(new Blob([model.get('_source')]));
  element.setAttribute('src', source);
  el.append(element);
  const settings = () => applySettings(element, model);
  for (const name of [...attributes, 'controls']) model.on(`change:${name}`, settings);
  const end = listen(model, (message) => {
    if (leading.get(model) !== element || !commands[message.command]) return;
    commands[message.command](element, model, message).catch((error) => save(model, { error: error.message }));
  });
  if (leading.get(model) === element) model.send({ shown: true });
  return () => {
    end();
    for (const name of [...attributes, 'controls']) model.off(`change:${name}`, settings);
    if (leading.get(model) === element) leading.delete(model);
    URL.revokeObjectURL(source);
    element.remove();
  };
}

export default { render };
