/**
 * The main tasks by keyboard alone, the linked selection, the announced effect of a change in the setup, and the speed
 * of a long run.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasWorlds } from '../worlds.ts';
import { launch, open, serveMock } from './harness.ts';
import { opened } from './state.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveMock>>;

beforeAll(async () => {
  [site, browser] = await Promise.all([serveMock(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const hash = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
const place = (page: Page, key: string) => hash(page).get(key);
const tabNamed = (page: Page, name: string) => page.getByRole('tab', { name, selected: true }).waitFor();

test('a newcomer trains, pauses and steps with the keyboard', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
  await page.getByLabel('Preset').waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page
    .getByText(/^Step [3-9]/)
    .first()
    .waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Train', exact: true }).first().waitFor();
  const step = () =>
    page
      .locator('tabgym-transport .steps strong')
      .textContent()
      .then((text) => Number(/\d+/.exec(text ?? '')));
  const before = await step();
  await page.keyboard.press('s');
  await expect.poll(step).toBe(before + 1);
  await expect
    .poll(() => page.getByRole('status').allTextContents())
    .toContainEqual(expect.stringMatching(/Paused at step/));
  expect(errors).toEqual([]);
  await close();
});

test('from a point on the curve to a token, and back by the URL', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  const curve = page.locator('[role=slider][aria-label^="Success by step"]');
  await curve.focus();
  await page.keyboard.press('ArrowLeft');
  await tabNamed(page, 'Group');
  expect(place(page, 'step')).toBe('41');
  await page.keyboard.press('PageDown');
  expect(place(page, 'step')).toBe('31');
  await page.getByRole('tab', { name: 'Group' }).focus();
  // The keys move among the episodes that are shown.
  await page.getByRole('heading', { name: /^Group 1: / }).waitFor();
  await page.keyboard.press('}');
  await page.keyboard.press(']');
  expect([place(page, 'group'), place(page, 'member')]).toEqual(['1', '1']);
  await page.keyboard.press('t');
  await page.getByText('Group 2, episode 2').waitFor();
  await page.locator('tabgym-stage').focus();
  await page.keyboard.press('j');
  expect(place(page, 'turn')).toBe('1');
  await page.getByRole('listbox', { name: 'Tokens of the policy' }).nth(1).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const token = Number(place(page, 'token'));
  expect(token).toBeGreaterThan(50);
  await page.getByText(`Token ${token + 1}`).waitFor();
  await page.locator('tabgym-token-details').getByText('Probability').waitFor();

  const again = await open(browser, page.url());
  await again.page.getByText('Group 2, episode 2').waitFor();
  await again.page.getByText(`Token ${token + 1}`).waitFor();
  expect([...errors, ...again.errors]).toEqual([]);
  await again.close();
  await close();
});

test('a click on a curve selects its step, and every chart shows the line', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused`);
  const over = page.locator('tabgym-chart .u-over').first();
  const box = (await over.boundingBox())!;
  await over.click({ position: { x: box.width / 2, y: box.height / 2 } });
  await tabNamed(page, 'Group');
  const step = Number(place(page, 'step'));
  expect(step).toBeGreaterThan(15);
  expect(step).toBeLessThan(27);
  const values = await page
    .locator('tabgym-chart [role=slider]')
    .evaluateAll((all) => all.map((each) => each.getAttribute('aria-valuenow')));
  expect(new Set(values)).toEqual(new Set([String(step)]));
  await close();
});

test('typing in a field triggers no shortcut', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused`);
  const name = page.getByLabel('Name', { exact: true });
  await opened(page);
  await name.fill('');
  await name.pressSequentially('go t? s');
  expect(await name.inputValue()).toBe('go t? s');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await tabNamed(page, 'Watch');
  await close();
});

test('a value out of range is refused next to its field, with the bound', async () => {
  const { page, close } = await open(browser, `${site.url}?mock=empty`);
  const groups = page.getByLabel('Groups', { exact: true });
  await groups.fill('1000');
  await groups.press('Enter');
  expect(await groups.getAttribute('aria-invalid')).toBe('true');
  await page.locator('tabgym-knob[path="algorithm.groups"]').getByText(/256/).waitFor();
  await page.getByText('algorithm.groups:').or(page.getByText('algorithm.groups')).first().waitFor();
  await page.getByRole('button', { name: 'Train', exact: true }).first().click();
  await page
    .getByText(/The setup has a value out of range: Groups: must be at most 256/)
    .first()
    .waitFor();
  await close();
});

test('a change during a run announces a fork, and forks', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  const rate = page.getByLabel('Learning rate', { exact: true });
  await opened(page);
  await rate.fill('0.001');
  await rate.press('Enter');
  await page.getByText('Changing Learning rate forks the run at step 42.').waitFor();
  await page.getByRole('button', { name: 'Fork and train' }).waitFor();
  await page.getByRole('button', { name: 'Fork at step 42' }).click();
  await page.getByText(/^i Forked at step 42/).waitFor();
  const layers = page.getByLabel('Layers', { exact: true });
  await layers.fill('3');
  await layers.press('Enter');
  await page.getByText('Changing Layers forks the run at step 42.').waitFor();
  await layers.fill('1');
  await layers.press('Enter');
  await page.getByText('Changing Layers needs a new run, from random weights.').waitFor();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect.poll(() => layers.inputValue()).toBe('2');
  expect(errors).toEqual([]);
  await close();
});

test('runs: rename, duplicate, delete and undo, export, import, and a refused file', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  await page.keyboard.press('r');
  const runs = page.getByRole('list', { name: 'Runs' });
  await page.getByRole('button', { name: 'Edit: textcraft-first' }).click();
  await page.getByLabel('New name').fill('my run');
  await page.keyboard.press('Enter');
  await runs.getByText('my run', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Duplicate: my run' }).click();
  await runs.getByText('my run, copy', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete: my run, copy' }).click();
  await expect.poll(() => runs.getByText('my run, copy', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await runs.getByText('my run, copy', { exact: true }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export: my run', exact: true }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('my-run.tabgym');
  await page.getByLabel('File to import').setInputFiles(await file.path());
  await page
    .getByText(/was imported/)
    .first()
    .waitFor();
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'cat.tabgym', mimeType: 'image/png', buffer: Buffer.from('no run') });
  await page
    .getByText(/is not an exported run/)
    .first()
    .waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('a file dropped on the page is imported', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=empty`);
  await page.getByLabel('Preset').waitFor();
  await page.locator('tabgym-app').evaluate((app) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['tabgym-run'], 'dropped.tabgym'));
    app.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await page.getByText('“dropped” was imported.').first().waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('without WebGPU an exported run can be imported and read', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=unsupported`);
  await page.getByRole('button', { name: 'Open an exported run' }).click();
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'shown.tabgym', mimeType: 'application/zip', buffer: Buffer.from('tabgym-run') });
  await page.getByRole('button', { name: 'Read this episode' }).click();
  await page.getByText('Group 1, episode').waitFor();
  await page.keyboard.press('g');
  await page.getByRole('heading', { name: /^Group 1: craft lever TextCraft task 31/ }).waitFor();
  expect(await page.getByRole('button', { name: 'Train', exact: true }).isDisabled()).toBe(true);
  expect(errors).toEqual([]);
  await close();
});

test('a run owned by another tab can be taken over', { tags: 'slow' }, async () => {
  const { page, close } = await open(browser, `${site.url}?mock=read-only`);
  await page.getByRole('button', { name: 'Take over' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'Train', exact: true }).isEnabled()).toBe(true);
  await close();
});

/** Elements of the page, those in shadow roots included. */
const elements = (page: Page) =>
  page.evaluate(() => {
    const count = (root: ParentNode): number =>
      [...root.querySelectorAll('*')].reduce(
        (sum, { shadowRoot }) => sum + 1 + (shadowRoot ? count(shadowRoot) : 0),
        0,
      );
    return count(document);
  });

test('ten thousand steps and ten thousand tokens have hardly more elements than forty steps', {
  tags: 'slow',
}, async () => {
  const at = (mock: string, turn: number) =>
    `?mock=${mock}#run=run-1&step=30&group=0&member=0&tab=trajectory&turn=${turn}`;
  const short = await open(browser, `${site.url}${at('paused', 1)}`);
  await short.page
    .getByText(/\d tokens/)
    .first()
    .waitFor();
  const few = await elements(short.page);
  await short.close();
  const { page, errors, close } = await open(browser, `${site.url}${at('long', 600)}`);
  await page.getByText(/11\d\d\d tokens|12\d\d\d tokens/).waitFor();
  // A window of the tokens is shown; the curves are drawn on canvases.
  expect(await page.locator('tabgym-trajectory [role=option]').count()).toBeLessThan(1500);
  expect(await elements(page)).toBeLessThan(few + 3000);
  expect(errors).toEqual([]);
  await close();
});

/** Label of the focused element within all shadow roots. */
const focusedLabel = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim() ?? '';
  });

test('the focus returns when its element is disabled or gone', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  const press = (name: string, key = 'Enter') => page.getByRole('button', { name, exact: true }).first().press(key);
  const returnsTo = (label: string) => expect.poll(() => focusedLabel(page)).toBe(label);
  // The focus is noticed once the code of this is loaded.
  await page.getByLabel('Preset').waitFor();
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.getByRole('button', { name: 'Step', exact: true }).isEnabled()).toBe(true);
  await press('Step', ' ');
  await page.getByText('Step 43').first().waitFor();
  await returnsTo('Step');
  await press('Runs');
  await press('Close the drawer');
  await returnsTo('Runs');
  await page.keyboard.press('Enter');
  await press('Edit: half the learning rate');
  await page.keyboard.press('Escape');
  await returnsTo('Edit: half the learning rate');
  // The copy is listed above.
  await press('Duplicate: half the learning rate');
  await page.getByText('half the learning rate, copy').first().waitFor();
  await returnsTo('Duplicate: half the learning rate');
  await page.keyboard.press('Escape');
  await returnsTo('Runs');
  const language = page.getByLabel('Language / 语言');
  await language.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('button', { name: '运行', exact: true }).first().waitFor();
  await returnsTo('Language / 语言');
  expect(errors).toEqual([]);
  await close();
});

test('the focus stays in the list when a click came before and Enter deletes', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused`);
  await page.getByLabel('Preset').waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Runs', exact: true }).first().click();
  const gone = page.getByRole('button', { name: 'Delete: half the learning rate' });
  await expect.poll(() => gone.isEnabled()).toBe(true);
  await gone.focus();
  await page.mouse.click(700, 400);
  // The page is drawn again, and the focus looked after.
  await page.evaluate(() => {
    const { app } = document.querySelector('tabgym-app') as unknown as {
      app: { notifier: { announce(text: string): void } };
    };
    app.notifier.announce('drawn again');
    return new Promise((resolve) => setTimeout(resolve, 100));
  });
  await gone.press('Enter');
  await page.getByText('“half the learning rate” is in the bin.').first().waitFor();
  await expect.poll(() => focusedLabel(page)).toBe('Delete: textcraft-first');
  expect(errors).toEqual([]);
  await close();
});

test('single keys can be switched off', { tags: 'slow' }, async () => {
  const { page, close } = await open(browser, `${site.url}?mock=paused`);
  await page.getByLabel('Preset').waitFor();
  await page.keyboard.press('?');
  await page.getByLabel('Use single keys').click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await tabNamed(page, 'Watch');
  await close();
});

test.skipIf(!hasWorlds('babyai'))('a person plays the world by keyboard alone', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=babyai`);
  await page.getByText('Step 42').first().waitFor();
  await page.keyboard.press('p');
  await tabNamed(page, 'Play');
  const start = page.locator('tabgym-play').getByRole('button', { name: 'Play' });
  await start.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: /facing right/ }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('img', { name: /facing down/ }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('img', { name: /facing right/ }).waitFor();
  // Keys for the world do not trigger the page's shortcuts, and an action that is not offered is ignored.
  await page.keyboard.press('Space');
  expect(await page.getByRole('log').locator('.you').allTextContents()).toEqual(['> turn right', '> turn left']);
  await page.getByLabel('Action', { exact: true }).focus();
  await page.keyboard.type('go');
  await page.keyboard.press('Tab');
  expect(await page.getByLabel('Action', { exact: true }).inputValue()).toBe('go to red ball 1');
  await page.keyboard.press('Enter');
  await page.getByText('✓ Done').waitFor();
  await page.getByText(/You: 1 of 1/).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test.skipIf(!hasWorlds('wordle'))('a person plays Wordle on its tiles, and loses', { tags: 'slow' }, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=wordle`);
  await page.getByText('Step 42').first().waitFor();
  await page.keyboard.press('p');
  await tabNamed(page, 'Play');
  await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'Try 6, empty' }).waitFor();
  // The tiles have the focus, so letters are no shortcuts.
  await page.keyboard.type('zzzz');
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('not in the word list').waitFor();
  await page.keyboard.type('aboutx');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: /^Guess 1: a / }).waitFor();
  // A click on the keyboard types a letter; its label names the colour of the letter.
  for (const letter of 'about')
    await page.getByRole('button', { name: new RegExp(`^${letter}, (in|not in) `) }).click();
  await page.getByRole('button', { name: 'Guess', exact: true }).click();
  await page.getByRole('img', { name: /^Guess 2: a / }).waitFor();
  for (let k = 3; k <= 6; k++) {
    await page.keyboard.type('about');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: new RegExp(`^Guess ${k}: `) }).waitFor();
  }
  await page.getByText(/✕ The word was [a-z]{5}/).waitFor();
  await page.getByText(/You: 0 of 1/).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test.skipIf(!hasWorlds('sciworld'))(
  'a person does an experiment in ScienceWorld by keyboard alone: completion, a question, subgoals, the score',
  { tags: 'slow' },
  async () => {
    const { page, errors, close } = await open(browser, `${site.url}?mock=sciworld`);
    await page.getByText('Step 42').first().waitFor();
    await page.keyboard.press('p');
    await tabNamed(page, 'Play');
    await page.locator('tabgym-play').getByRole('button', { name: 'Play' }).focus();
    await page.keyboard.press('Enter');
    const line = page.getByRole('combobox', { name: 'Action', exact: true });
    const options = page.getByRole('listbox', { name: 'Valid actions' }).getByRole('option');
    const plan = (room: string) => page.getByRole('img', { name: new RegExp(`The agent is in the ${room}`) }).waitFor();
    const took = (action: string) => page.getByRole('log').locator('.you', { hasText: action }).last().waitFor();
    await line.waitFor();
    await page.getByText(/^Matching: (?:[12]\d{3} of [12]\d{3}|\d{3} of \d{3}) actions\./).waitFor();
    await page.getByText('Score 0 of 100').waitFor();

    // The line has the focus; a few letters of each word narrow the list, arrow keys choose, Enter acts.
    await page.keyboard.type('tele kitch');
    expect(await options.allTextContents()).toEqual(['teleport to kitchen']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await took('teleport to kitchen');
    await plan('kitchen');

    // A question lists its possible meanings; part of an answer finds it.
    await page.keyboard.type('close door');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Which one' }).waitFor();
    await page.keyboard.type('kitchen hallway');
    expect(await options.allTextContents()).toEqual([
      expect.stringMatching(/^\d: close door between kitchen and hallway/),
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /Closed doors: .*kitchen – hallway/ }).waitFor();

    // Tab fills in the common part; focusing on the orange reaches a subgoal.
    const before = await page.getByText(/Subgoals, in order: 0 of 2 reached/).count();
    expect(before).toBe(1);
    await page.keyboard.type('focus on orange in inv');
    await page.keyboard.press('Tab');
    expect(await line.inputValue()).toBe('focus on orange in inventory');
    await page.keyboard.press('Enter');
    await page.getByText(/Subgoals, in order: 1 of 2 reached/).waitFor();
    expect(Number(/\d+/.exec(await page.getByText(/^Score \d+ of 100/).innerText()))).toBeGreaterThanOrEqual(33);

    // The box of the task, in whatever room.
    const [, box, room] = /move it to the (\w+ box) in the ([\w ]+)\./.exec(
      await page.locator('tabgym-sciworld-view .head p').first().innerText(),
    )!;
    await page.keyboard.type(`teleport to ${room}`);
    await page.keyboard.press('Enter');
    await plan(room);
    await page.keyboard.type(`move orange in inventory to ${box}`);
    await page.keyboard.press('Enter');
    await page.getByText('✓ Done').waitFor();
    await page.getByText('Score 100 of 100').waitFor();
    await page.getByText(/You: 1 of 1, mean score 1.00; the agent: \d+%, mean score \d/).waitFor();
    expect(errors).toEqual([]);
    await close();
  },
);

test('Escape closes the dialog of links while a run trains, and no key reaches the page behind it', {
  tags: 'slow',
}, async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=running#run=run-1`);
  const dialog = page.getByRole('dialog', { name: 'Share' });
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Runs', exact: true }).click();
  for (const focusOn of ['Close', 'Link', null]) {
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await dialog.getByLabel('Link', { exact: true }).waitFor();
    if (focusOn) await dialog.getByLabel(focusOn, { exact: true }).focus();
    else await dialog.getByRole('heading', { name: 'Share' }).click();
    if (focusOn !== 'Link') await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    // Only the dialog on top was closed; the drawer behind it is still open.
    await page.getByRole('tab', { name: 'Runs', selected: true }).waitFor();
    expect(await page.locator('tabgym-learn').count()).toBe(0);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Runs' }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test('controls hidden by a teacher’s link have no button and no key', { tags: 'slow' }, async () => {
  const { page, close } = await open(browser, `${site.url}?mock=empty#hide=learn,drawer,share,reset,algorithm.clipLow`);
  await page.getByLabel('Preset').waitFor();
  for (const name of ['Learn', 'Lessons', 'Runs', 'More', 'Share', 'Open a trained agent', 'Reset'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
  expect(await page.getByLabel('Clip low').count()).toBe(0);
  expect(await page.getByLabel('Clip high', { exact: true }).count()).toBe(1);
  await page.keyboard.press('n');
  await page.keyboard.press('r');
  await page.waitForTimeout(100);
  expect(await page.locator('tabgym-learn, tabgym-drawer').count()).toBe(0);
  await close();
});

test('an observation of an episode is a stop of Tab only if it scrolls', async () => {
  const { page, errors, close } = await open(browser, `${site.url}?mock=paused#run=run-1`);
  const observations = page.locator('tabgym-watch .observation');
  await observations.first().waitFor();
  await page.evaluate(() => {
    const { app } = document.querySelector('tabgym-app') as unknown as {
      app: { recorded: { stop(): void }; store: { state: { live: object[] }; set(patch: object): void } };
    };
    app.recorded.stop();
    const [first] = app.store.state.live;
    const long = 'One line of many.\n'.repeat(20);
    app.store.set({
      live: [
        { ...first, observation: long },
        { ...first, turn: 1, observation: 'You see a door.' },
      ],
    });
  });
  await expect.poll(() => observations.count()).toBe(2);
  await expect.poll(() => observations.nth(1).getAttribute('tabindex')).toBe('0');
  expect(await observations.nth(0).getAttribute('tabindex')).toBe(null);
  expect(errors).toEqual([]);
  await close();
});
