/** WebArena's prompt as text for tiny policies: the same content as the world Web gives for the same page. */
import { describe, expect, it } from 'vitest';
import { readPrompt } from '../../src/worlds/agentgym/kinds/webarena-prompt.ts';
import { idOf, templates } from '../../src/worlds/web/tasks/index.ts';
import { Web } from '../../src/worlds/web/world.ts';

const options = { screenLines: 0, verbs: ['click'] };
const ids = templates.map((_, index) => idOf(index, 3)).filter((_, index) => index % 4 === 0);

/** First observation of a task in full and in terse form, and the ones after the oracle's first action. */
async function pagesOf(id: number): Promise<{ full: string; terse: string; actions: readonly string[] }[]> {
  const world = await Web.open();
  const tasks = ['full', 'terse'].map((observation) => ({
    world: 'web',
    id,
    options: { ...options, observation },
    strata: {},
  }));
  const started = await world.reset([0, 1], tasks);
  const [plan] = await world.oracle([0]);
  const next = await world.step([0, 1], [plan![0], plan![0]]);
  await world.close();
  return [started, ...(next[0].done ? [] : [next])].map(([full, terse]) => ({
    full: full.observation,
    terse: terse.observation,
    actions: terse.validActions ?? [],
  }));
}

describe('a prompt of WebArena', () => {
  it('gives the same page as the world Web, and offers no fewer actions', async () => {
    const other: string[] = [];
    let pages = 0;
    for (const id of ids)
      for (const { full, terse, actions } of await pagesOf(id)) {
        pages++;
        const read = readPrompt(full, true, ['click']);
        if (read.observation !== terse) other.push(`${id}:\n${read.observation}\nnot\n${terse}`);
        expect(read.validActions).toEqual(expect.arrayContaining([...actions]));
      }
    expect(other).toEqual([]);
    expect(pages).toBeGreaterThan(ids.length);
  });
  it('is read with its quotes and escapes, and several tabs', () => {
    const tree = String.raw`[1] RootWebArea "It's" focused: True
	[2] link 'a\'b\u2014c'
	[3] button 'Go' disabled: True
	[4] textbox '' required: False`;
    const promptText = `OBSERVATION:\nTab 0 (current): A | Tab 1: B\n\n${tree}\nURL: http://x\nOBJECTIVE: Do\nit\nPREVIOUS ACTION: None`;
    const { observation, validActions } = readPrompt(promptText, true, ['click', 'stop']);
    expect(observation).toBe("Do\nit\nTab 0 (current): A | Tab 1: B\n- It's\n2 a'b—c\n- Go\n4 textbox");
    expect(validActions).toEqual([
      'click [2]',
      'click [4]',
      'stop []',
      'stop [N/A]',
      "stop [It's]",
      "stop [a'b—c]",
      'stop [Go]',
    ]);
  });
  it('in another form is passed on unchanged', () => {
    expect(readPrompt('Invalid action x', true, ['click'])).toEqual({ observation: 'Invalid action x' });
  });
});
