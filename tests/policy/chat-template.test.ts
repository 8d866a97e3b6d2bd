// Chat templates and their pieces: the behaviour of the four families, templates that must be refused, text of
// byte-level tokens.
import { describe, expect, it } from 'vitest';
import { type ChatMessage, ChatTemplate, derivePieces } from '../../src/policy/text/chat-template.ts';
import { type ChatFamily, chatFamilies } from '../../src/policy/text/chat-templates.ts';
import { Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { tokenTextsOf } from '../../src/session/text/token-texts.ts';
import { bpeTokenizer, bpeTokenizerJson } from './bpe-fixture.ts';

const families = Object.keys(chatFamilies) as ChatFamily[];

const open = (family: ChatFamily) => {
  const { chat_template, bos_token } = chatFamilies[family].config;
  return ChatTemplate.open(chat_template, bos_token === null ? {} : { bos_token });
};

const talk = (...contents: string[]): ChatMessage[] =>
  contents.map((content, i) => ({ role: i % 2 ? 'assistant' : 'user', content }));
const generation = { addGenerationPrompt: true };

describe('a family’s template', () => {
  it('Qwen2.5: ChatML, with a default system message', async () => {
    const template = await open('qwen2');
    expect(template.render(talk('hi'), generation)).toBe(
      '<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n' +
        '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n',
    );
    const withSystem = template.render([{ role: 'system', content: 'Be brief.' }, ...talk('hi')], generation);
    expect(withSystem).toBe(
      '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  it('SmolLM2: ChatML, with another default system message', async () => {
    expect((await open('smollm2')).render(talk('hi'), generation)).toMatch(
      /^<\|im_start\|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<\|im_end\|>\n<\|im_start\|>user/,
    );
  });

  it('Qwen3: no system message, an empty think block if thinking is off, earlier thoughts dropped', async () => {
    const template = await open('qwen3');
    expect(template.render(talk('hi'), generation)).toBe(
      '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
    );
    expect(template.render(talk('hi'), { ...generation, thinking: true })).toMatch(/assistant\n$/);
    const thought = '<think>\nwell\n</think>\n\nhello';
    expect(template.render(talk('hi', thought, 'so'), generation)).toContain(
      '<|im_start|>assistant\nhello<|im_end|>\n',
    );
    expect(template.render(talk('hi', thought), { addGenerationPrompt: false })).toContain(
      '<think>\nwell\n</think>\n\nhello',
    );
    expect(template.render(talk('hi', 'hello'), { addGenerationPrompt: false })).toContain(
      '<think>\n\n</think>\n\nhello',
    );
  });

  it('Llama 3.2: headers, the start token once, and always the same day', async () => {
    const template = await open('llama3');
    const text = template.render(talk(' hi \n', 'yes', 'so'), generation);
    expect(text.split('<|begin_of_text|>')).toHaveLength(2);
    expect(text).toContain('Today Date: 26 Jul 2024\n');
    expect(text).toContain('<|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant');
    const given = await ChatTemplate.open('{{ documents is none }} {{ tools is none }}');
    expect(given.render([], { addGenerationPrompt: true })).toBe('True True');
    const dated = await ChatTemplate.open("{{ strftime_now('%d %b %Y, %B %m, %H') }}");
    expect(dated.render([], generation)).toBe('26 Jul 2024, July 07, 00');
    // Python 3.11 with glibc.
    const all = await ChatTemplate.open("{{ strftime_now('%-d %y %e|%j %I%p %A %a %u %w %D %F %T %R[%Z]%-m/%-j') }}");
    const date = '26 24 26|208 12AM Friday Fri 5 5 07/26/24 2024-07-26 00:00:00 00:00[]7/208';
    expect(all.render([], generation)).toBe(date);
    const other = await ChatTemplate.open("{{ strftime_now('%G') }}");
    expect(() => other.render([], generation)).toThrow('the date format %G is not read');
  });
});

describe('pieces', () => {
  it.each(families)('of %s add up to its whole rendering', async (family) => {
    const template = await open(family);
    const pieces = derivePieces(template);
    const turnTexts = ['Rules.', 'OK.', 'Goal: one', 'get 1', 'Got 1'];
    const whole = template.render(talk(...turnTexts), generation);
    const { beforeFirstUser, beforeShownReply, betweenTurns, beforeReply } = pieces;
    const [rules, ok, goal, reply, answer] = turnTexts;
    expect(
      beforeFirstUser +
        rules +
        beforeShownReply +
        ok +
        betweenTurns +
        goal +
        beforeShownReply +
        reply +
        betweenTurns +
        answer +
        beforeReply,
    ).toBe(whole);
    // If a shown reply opens like a sampled one, following a conversation gives the same tokens as rendering it.
    expect(beforeReply === beforeShownReply).toBe(family !== 'qwen3');
    expect(pieces.trimsUser).toBe(family === 'llama3');
  });

  it('keep Qwen3’s thinking off unless it is requested', async () => {
    const template = await open('qwen3');
    expect(derivePieces(template).beforeReply).toMatch(/<think>\n\n<\/think>\n\n$/);
    expect(derivePieces(template, { thinking: true }).beforeReply).not.toContain('think');
  });

  const refused = async (source: string) => derivePieces(await ChatTemplate.open(source));
  const loop = (body: string) => `{% for message in messages %}${body}{% endfor %}>`;

  it('are refused if a turn looks different once another follows', async () => {
    const lastIsMarked = loop("{{ '[' + message.content + (' (latest)' if loop.last else '') + ']' }}");
    await expect(refused(lastIsMarked)).rejects.toThrow(/the prompt of a reply would differ/);
    const counted = loop("{{ '[' + loop.index|string + ' ' + message.content + ']' }}");
    await expect(refused(counted)).rejects.toThrow(/depends on other turns: it is .* in one place/);
  });

  it('are refused if earlier turns are dropped or a message appears twice', async () => {
    await expect(refused("{{ messages[-1]['content'] }}")).rejects.toThrow(
      /leaves out a message of the user in a conversation of 3: .*take messages in parts/,
    );
    await expect(refused(loop('{{ message.content + message.content }}'))).rejects.toThrow(
      /repeats a message of the user 2 times/,
    );
  });

  it('are refused if a reply is requested in one way and shown in another', async () => {
    const source = `${loop("{{ message.role + ':' + message.content + '|' }}")}{% if add_generation_prompt %}bot:{% endif %}`;
    await expect(refused(source)).rejects.toThrow(/opens a reply with "\|>bot:", but shows an earlier one after/);
  });

  it('are refused if the user’s text is changed', async () => {
    const source = `${loop("{{ message.role + ':' + message.content.replace('\\n', ' ') + '|' }}").slice(0, -1)}{% if add_generation_prompt %}assistant:{% endif %}`;
    await expect(refused(source)).rejects.toThrow(/changes the whitespace/);
  });

  it('a malformed template, or one that raises, is reported', async () => {
    await expect(ChatTemplate.open('{% for %}')).rejects.toThrow(/cannot be read/);
    await expect(refused("{{ raise_exception('no tools, no talk') }}")).rejects.toThrow(
      /refuses a conversation: no tools, no talk/,
    );
  });
});

describe('byte-level tokens', () => {
  const tokenizer = bpeTokenizer(['<|im_start|>', '<|im_end|>'], ['<think>']);
  const text = 'get the 🧪 and 😀 — naïve 水\n\nok!\n';

  it('decode to the original text byte for byte', () => {
    const tokens = tokenizer.encode(text);
    expect(tokens.length).toBeGreaterThan(text.length / 3);
    expect(tokenizer.exactText(tokens, { special: true })).toBe(text);
  });

  it('show a partial text only by whole characters, and only ever more of it', () => {
    const tokens = tokenizer.encode(text);
    let before = '';
    let held = 0;
    for (let n = 0; n <= tokens.length; n++) {
      const shown = tokenizer.partialText(tokens.subarray(0, n));
      expect(shown).not.toContain('\uFFFD');
      expect(text.startsWith(shown)).toBe(true);
      expect(shown.startsWith(before)).toBe(true);
      if (shown === before) held += 1;
      before = shown;
    }
    expect(before).toBe(text);
    expect(held).toBeGreaterThan(5);
  });

  it('leave special tokens out of the text, but not plain added tokens', () => {
    const ids = tokenizer.encode('<think>ok<|im_end|>');
    expect(ids).toHaveLength(3);
    expect(tokenizer.exactText(ids, { special: false })).toBe('<think>ok');
    expect(tokenizer.exactText(ids, { special: true })).toBe('<think>ok<|im_end|>');
    expect(tokenizer.isAdded(ids[0]) && tokenizer.isAdded(ids[2]) && !tokenizer.isAdded(ids[1])).toBe(true);
  });

  it('leave out ids without a token, which a wide model may sample', () => {
    expect(tokenizer.decode([tokenizer.vocabSize + 5, ...tokenizer.encode('ok'), 9_999_999])).toBe('ok');
    expect(tokenizer.decode([9_999_999])).toBe('');
  });

  it('are shown one by one as text, or as bytes if they end within a character', () => {
    const texts = tokenTextsOf(new TextEncoder().encode(JSON.stringify(tokenizer.json)));
    expect(Array.from(tokenizer.encode('get the ok!\n<|im_end|>'), (id) => texts[id])).toEqual([
      'get',
      ' t',
      'he',
      ' ',
      'ok',
      '!\n',
      '<|im_end|>',
    ]);
    expect(Array.from(tokenizer.encode('🧪水'), (id) => texts[id])).toEqual([
      '\\xF0\\x9F',
      '\\xA7',
      '\\xAA',
      '\\xE6',
      '\\xB0',
      '\\xB4',
    ]);
  });

  it('may be as many as in a language model', () => {
    const json = bpeTokenizerJson([]);
    const vocab = json.model.vocab as { [token: string]: number };
    for (let id = Object.keys(vocab).length; id < 150_000; id++) vocab[`<${id}>`] = id;
    expect(new Tokenizer(json).vocabSize).toBe(150_000);
  });
});
