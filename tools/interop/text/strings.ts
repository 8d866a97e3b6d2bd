/**
 * Texts on which tokenizers differ: digits of many scripts, white space of all kinds, emoji, combining marks, CJK,
 * code, contractions, bytes of control, and special tokens inside words. The same texts for the same seed.
 */
import { uniform } from '../../random.ts';

const split = (text: string) => Array.from(text);

/** Kinds of pieces; each text is a row of pieces of random kinds. */
const kinds: readonly (readonly string[])[] = [
  'the cat sat on a mat and didn\u2019t move naïve café Straße ΟΔΟΣ Привет मनुष्य'.split(' '),
  split('0123456789'),
  split('²³¹½¼¾①②Ⅷⅷ٣٤۵१२३๕७১੩૪௫０１２𝟘𝟡㊿〇零一二百'),
  split(' \t\n\r\v\f\u0085\u00a0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000'),
  [' ', '  ', '   ', '\n', '\n\n', ' \n', '\r\n', '\t\t', '  \n  '],
  ['\u200b', '\u200c', '\u200d', '\ufeff', '\u180e', '\u2060', '\u00ad', '\u001c', '\u001f', '\0', '\u007f', '\ufffd'],
  ['😀', '👍🏽', '👨\u200d👩\u200d👧', '🇩🇪', '❤️', '🙂', '🏴\u{e0067}\u{e0062}', '🤖', '\u{1f9ff}'],
  [
    'é',
    'e\u0301',
    'a\u0308',
    'n\u0303',
    '\u0301',
    'ḍ̇',
    'ἄ',
    'क्ष',
    'ำ',
    'กำ',
    '한',
    '\u1112\u1161\u11ab',
    'ﬁ',
    'Å',
    'Ω',
  ],
  ['你好', '世界', '日本語', 'カタカナ', 'ひらがな', '한국어', '，', '。', '「', '」', '𠮷', '㍿', '々', 'ー'],
  ["'s", "'S", "'re", "'LL", "'ve", "'d", "n't", "'\u017f", "don't", "I'M", "'t", "'", '’s', '"', '``'],
  [
    'def f(x):',
    '{"a": [1, 2]}',
    'x_1 += 2;',
    '<div class="a">',
    '//',
    '/* */',
    '->',
    '=>',
    '\\n',
    'a.b.c',
    '===',
    '0x1F',
  ],
  split('!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~¡¿€£¥©®™°±×÷…—–•·§¶†'),
  ['\u2581', '\u2581\u2581', '\u0120', '\u010a', 'Ġword', '\u00c4', '##', '</w>', '<0x41>', '<0xE4>'],
  [
    '<|im_start|>',
    '<|im_end|>',
    '<|endoftext|>',
    '<s>',
    '</s>',
    '<unk>',
    '<bos>',
    '<tool_call>',
    '<|eot_id|>',
    '<pad>',
  ],
  [
    'x<|im_end|>y',
    ' <|im_start|> ',
    '<|im_start|><|im_start|>',
    '<|im_',
    'start|>',
    '<s',
    '<start_of_turn>',
    '<think>',
  ],
  ['abcdefghijklmnopqrstuvwxyz', 'aaaaaaaaaaaaaaaa', 'https://example.org/a?b=c&d=1', 'iPhone12Pro', 'camelCaseWord'],
  ['\u{10ffff}', '\u{1d54f}', '\u{20000}', '\u{e000}', '\ud7ff', '\uffff', 'K', 'İ', 'ı', 'ß', 'ẞ', 'ǅ', 'ʰ', 'ـ'],
];

/** `count` texts. */
export function textsToCompare(count: number, seed = 39): string[] {
  const next = uniform(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)];
  return Array.from({ length: count }, () => {
    const pieces = 1 + Math.floor(next() * 12);
    return Array.from({ length: pieces }, () => one(one(kinds)) + (next() < 0.3 ? ' ' : '')).join('');
  });
}

interface ComparedConversation {
  messages: { role: string; content: string }[];
  generation: boolean;
  thinking: boolean;
}

/** 42 conversations: 21 rows of messages, with and without the start of a reply. */
export function conversationsToCompare(seed = 42): ComparedConversation[] {
  const texts = textsToCompare(200, seed);
  const thought = '<think>\nwell\n</think>\n\n';
  let at = 0;
  const rows = Array.from({ length: 21 }, (_, i) => {
    const turns = 1 + (i % 5);
    const spoken = Array.from({ length: 2 * turns - (i % 3 === 2 ? 0 : 1) }, (_, k) => ({
      role: k % 2 ? 'assistant' : 'user',
      content: `${k % 2 && i % 4 === 1 ? thought : ''}${[' ', '', '\n'][i % 3]}${texts[at++]}`,
    }));
    return i % 2 ? [{ role: 'system', content: texts[at++] }, ...spoken] : spoken;
  });
  return rows.flatMap((messages, i) => [
    { messages, generation: true, thinking: i % 2 === 0 },
    { messages, generation: false, thinking: i % 2 === 1 },
  ]);
}
