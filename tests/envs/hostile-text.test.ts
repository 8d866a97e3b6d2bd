// Texts on which a regular expression of more than linear time does not end: at these lengths a quadratic one takes
// hours, and an exponential one never ends. So no test needs to measure a time.
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/envs/random.ts';
import { isCallText } from '../../src/envs/tools.ts';
import { parseLiteral } from '../../src/python/literal.ts';
import { functionsIn } from '../../src/rl/rewards/proposals.ts';
import { faultOf } from '../../src/session/api/fault.ts';
import { hasNoRoom } from '../../src/session/api/fault-kinds.ts';
import { protectedNumbers } from '../../src/trajectories/files/big-numbers.ts';
import { type Action, parseAction } from '../../src/webarena/actions.ts';
import { extractAction } from '../../src/webarena/replies.ts';
import { plainAction } from '../../src/worlds/babyai/wasm.ts';
import { trimmed } from '../../src/worlds/sciworld/simulator.ts';
import { ownRules } from '../../src/worlds/search/rules/own.ts';
import { readTags } from '../../src/worlds/search/rules/rules.ts';
import { lastAnswer } from '../../src/worlds/search/rules/score.ts';
import { pairsOf, replacePairs } from '../../src/worlds/search/rules/tags.ts';
import { readCommand } from '../../src/worlds/shop/browser.ts';
import { backticks } from '../../src/worlds/web/backticks.ts';

const times = 1_000_000;

describe('a reply of a language model', () => {
  it('with a block that nothing closes is refused at once', () => {
    expect(() => extractAction(`\`\`\`${'\n`'.repeat(5000)}`, 'direct')).toThrow(/Cannot parse action/);
    expect(extractAction('a ```click [1]\n``` b ```c```', 'direct')).toBe('click [1]');
  });

  it('with a block of lines that nothing closes has no action of the web', () => {
    expect(backticks(`\`\`\`${'\n'.repeat(times)}`).action).toBe('');
    expect(backticks('a ```\nclick [1]\n``` b ```c```').action).toBe('click [1]');
  });

  it('with calls that nothing closes is no call', () => {
    expect(isCallText('<tool_call>'.repeat(times))).toBe(false);
    expect(isCallText('</tool_call><tool_call>')).toBe(false);
    expect(isCallText('a <tool_call>{"name": "b"}</tool_call> c')).toBe(true);
  });

  it('with tags that nothing closes has no action and no answer', () => {
    expect(readTags('<answer>r'.repeat(times))).toEqual({ kind: 'invalid' });
    expect(lastAnswer('<answer>'.repeat(times), 1)).toBeNull();
    expect(ownRules.read('<think>'.repeat(times))).toEqual({ kind: 'invalid' });
  });

  it('is read as the expressions read it', () => {
    const parts = ['<answer>', '</answer>', '<search>', '</search>', '<think>', '</think>', 'a', '\n'];
    for (let n = 0; n < 4000; n++) {
      const text = Array.from(
        { length: 7 },
        (_, k) => parts[Math.floor(Math.imul(n + 1, 2654435761 + k * 40503) >>> 7) % 8],
      ).join('');
      const found = /<(search|answer)>(.*?)<\/\1>/s.exec(text);
      const read = readTags(text);
      expect(read.kind).toBe(found ? found[1] : 'invalid');
      if (found) expect('query' in read ? read.query : 'text' in read && read.text).toBe(found[2].trim());
      expect([...pairsOf(text, 'answer')].map(({ content }) => content)).toEqual(
        [...text.matchAll(/<answer>(.*?)<\/answer>/gs)].map(([, content]) => content),
      );
      expect(replacePairs(text, 'think', ' ')).toBe(text.replace(/<think>.*?<\/think>/gs, ' '));
    }
  });

  it('of a thousand fences has no function', () => {
    expect(functionsIn('```'.repeat(times), 5)).toEqual([]);
    expect(functionsIn('```js\nfunction reward() {}\n```', 5)).toHaveLength(1);
  });
});

it('a record with a string that nothing ends is passed over in one go', () => {
  const text = `"1234567890123456${'\\"\\E'.repeat(times)}`;
  expect(protectedNumbers(text)).toBe(text);
  for (const wrong of ['[01e999]', '[-09007199254740993]', '[1.e999]'])
    expect(() => JSON.parse(protectedNumbers(wrong)), wrong).toThrow(SyntaxError);
  expect(protectedNumbers('["9007199254740993", 9007199254740993]')).toBe(
    '["9007199254740993", "\\u0000int:9007199254740993"]',
  );
});

it('comments and blanks of a literal of Python are passed over in one go', () => {
  expect(parseLiteral(`${'# \n #'.repeat(times)}\n 5`)).toBe(5n);
  expect(() => parseLiteral(`${'# #'.repeat(times)}`)).toThrow();
});

it('an answer of a server is searched up to a bound', () => {
  for (const body of [
    '<'.repeat(times),
    '<title'.repeat(times),
    JSON.stringify({ error: { message: 'prompt is'.repeat(times) } }),
  ]) {
    const fault = faultOf(400, body);
    expect(hasNoRoom(fault)).toBe(false);
    expect(fault.text.length).toBeLessThan(25_000);
  }
});

describe('an action', () => {
  it('with blanks in its middle is read in one go', () => {
    const blanks = '\t'.repeat(times);
    expect(plainAction(`x${blanks}x`)).toBe('?');
    expect(trimmed(` x${blanks}x\0`)).toBe(`x${blanks}x`);
    expect(ownRules.read(`x${blanks}x`)).toEqual({ kind: 'invalid' });
    expect(readCommand('click['.repeat(times))).toBeNull();
  });

  it('is read as the expressions read it', () => {
    const parts = ['search', 'click', '[', '[', ']', ']', 'a', '\n', '\0', ' ', '\u2028', '\u00a0'];
    for (let n = 0; n < 4000; n++) {
      const text = Array.from(
        { length: 7 },
        (_, k) => parts[Math.floor(Math.imul(n + 1, 2654435761 + k * 40503) >>> 7) % 12],
      ).join('');
      const found = /^(.+)\[(.+)\]/.exec(text);
      const isCommand = found && (found[1] === 'search' || found[1] === 'click');
      expect(readCommand(text)).toEqual(isCommand ? { name: found[1], argument: found[2].toLowerCase() } : null);
      expect(trimmed(text)).toBe(text.replace(/^[\0- ]+|[\0- ]+$/g, ''));
    }
  });

  it('of the web with arguments that nothing closes is read in one go', () => {
    for (const open of ['press [', 'goto[', 'type [1] [', 'click [1', 'tab_focus [1'])
      expect(() => parseAction(open.repeat(times))).toThrow(/^Invalid (press|goto|type|click|tab_focus) action /);
    expect(parseAction('stop ['.repeat(times))).toEqual({ kind: 'stop', answer: '' });
    expect(() => parseAction(`type [1] [${'] ['.repeat(times)}`)).toThrow(/^Invalid type action /);
  });

  it('of the web is read as the expressions of the original read it', () => {
    const parts = ['goto', 'type', 'stop', 'press', ' ', ' [', '[', ']', '] [', '12', '٣', 'a', '\n', '[1]', '😀'];
    const random = new Random(11);
    const read = (text: string): Action | null => {
      try {
        return parseAction(text);
      } catch {
        return null;
      }
    };
    const original = (verb: string, text: string): Action | null => {
      const one = new RegExp(`${verb} ?\\[([^\\n]+)\\]`).exec(text);
      if (verb === 'stop') return { kind: 'stop', answer: one?.[1] ?? '' };
      if (verb === 'goto') return one && { kind: 'goto', url: one[1] };
      if (verb === 'press') return one && { kind: 'press', keys: one[1] };
      const ends = text.endsWith('[0]') || text.endsWith('[1]') ? text : `${text} [1]`;
      const three = /type ?\[(\p{Nd}+)\] ?\[([^\n]+)\] ?\[(\p{Nd}+)\]/u.exec(ends);
      // Neither a key of the original's.
      if (!three || /[😀٣]/u.test(three[2])) return null;
      return { kind: 'type', element: three[1], text: `${three[2]}${three[3] === '1' ? '\n' : ''}` };
    };
    let found = 0;
    for (let n = 0; n < 12_000; n++) {
      const verb = random.pick(['goto', 'stop', 'press', 'type']);
      const begin = verb === 'type' ? random.pick(['type [', 'type [1', 'type [1] [']) : `${verb} [`;
      const text = `${begin}${Array.from({ length: 9 }, () => random.pick(parts)).join('')}]`;
      const expected = original(verb, text);
      if (expected) found++;
      const is = JSON.stringify(read(text));
      if (is !== JSON.stringify(expected)) expect(is, text).toBe(JSON.stringify(expected));
    }
    expect(found).toBeGreaterThan(4000);
  });
});
