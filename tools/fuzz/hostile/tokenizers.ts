/** Hostile values of a tokenizer.json and of the files beside it, each as a change of a whole folder. */
import { type Folder, goodFolder, tokenizerConfig, tokenizerJson } from './model-folder.ts';

export type Cases = Iterable<readonly [name: string, folder: () => Folder]>;

type Json = { [field: string]: unknown };

const withTokenizer = (change: (json: Json & { model: Json }) => unknown) => (): Folder => {
  const json = structuredClone(tokenizerJson) as unknown as Json & { model: Json };
  const changed = change(json);
  return { ...goodFolder(), 'tokenizer.json': typeof changed === 'string' ? changed : JSON.stringify(changed ?? json) };
};

const withConfig = (config: unknown) => (): Folder => ({
  ...goodFolder(),
  'tokenizer_config.json': typeof config === 'string' ? config : JSON.stringify(config),
});

/** JSON nested so deep that recursion ends. */
export const deep = (levels = 100_000) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
/** A sequence of sequences. */
const nested = (field: string, levels: number) =>
  `${`{"type":"Sequence","${field}":[`.repeat(levels)}${']}'.repeat(levels)}`;

/** Values that a field may be given in place of its own. */
export const oddValues: readonly unknown[] = [
  ...[null, true, 0, -1, 0.5, 1e9, 1e300, '', 'x', [], [null], [[]], {}, { constructor: 1 }, [1, 'x', null]],
  'toString',
  'constructor',
  '__proto__',
  'x'.repeat(1_000_000),
];

function replaced(text: string, mark: unknown, by: string): string {
  return text.replace(JSON.stringify(mark), () => by);
}

const setAt = (json: Json, path: readonly string[], value: unknown) => {
  const owner = path.slice(0, -1).reduce((at, key) => at[key] as Json, json);
  owner[path.at(-1)!] = value;
};

const paths: readonly (readonly string[])[] = [
  ...['added_tokens', 'normalizer', 'pre_tokenizer', 'decoder', 'model', 'post_processor', 'truncation'].map((name) => [
    name,
  ]),
  ...['type', 'vocab', 'merges', 'unk_token', 'continuing_subword_prefix', 'end_of_word_suffix', 'fuse_unk'].map(
    (name) => ['model', name],
  ),
  ...['byte_fallback', 'ignore_merges', 'dropout'].map((name) => ['model', name]),
  ...['id', 'content', 'single_word', 'lstrip', 'rstrip', 'normalized', 'special'].map((name) => [
    'added_tokens',
    '0',
    name,
  ]),
  ['pre_tokenizer', 'pretokenizers'],
  ['pre_tokenizer', 'pretokenizers', '0'],
  ['pre_tokenizer', 'pretokenizers', '0', 'type'],
  ['decoder', 'type'],
];

const parts: readonly [place: string, part: Json][] = [
  ...['Prepend', 'Replace', 'Strip', 'Sequence', 'BertNormalizer', 'constructor', 'toString', '__proto__', 'NFC'].map(
    (type): [string, Json] => ['normalizer', { type }],
  ),
  ...['Split', 'Metaspace', 'FixedLength', 'Punctuation', 'CharDelimiterSplit', 'Sequence', 'ByteLevel', 'valueOf'].map(
    (type): [string, Json] => ['pre_tokenizer', { type }],
  ),
  ...['Strip', 'Replace', 'WordPiece', 'Metaspace', 'BPEDecoder', 'Sequence', 'Fuse', 'toString'].map(
    (type): [string, Json] => ['decoder', { type }],
  ),
];
const partFields = [
  ...['prepend', 'content', 'pattern', 'replacement', 'prepend_scheme', 'split', 'length', 'behavior', 'delimiter'],
  ...['prefix', 'suffix', 'start', 'stop', 'normalizers', 'pretokenizers', 'decoders', 'invert', 'strip_left'],
];

const models: readonly Json[] = [
  { type: 'Unigram', vocab: [['a', -1]], unk_id: 1e9 },
  { type: 'Unigram', vocab: [['a', -1]], unk_id: -1 },
  { type: 'Unigram', vocab: [['a', -1]], unk_id: 'x' },
  { type: 'Unigram', vocab: [['a', -1]], unk_id: 0.5 },
  { type: 'Unigram', vocab: [] },
  { type: 'Unigram', vocab: [['a', null]] },
  { type: 'Unigram', vocab: [['x'.repeat(99_000), 1]], unk_id: 0 },
  { type: 'WordPiece', vocab: { a: 0 }, unk_token: 5 },
  { type: 'WordPiece', vocab: { a: 0 }, unk_token: 'a', max_input_chars_per_word: 1e9 },
  { type: 'WordPiece', vocab: { a: 0 }, unk_token: 'a', max_input_chars_per_word: 'x' },
  { type: 'WordPiece', vocab: { a: 0 }, unk_token: 'a', continuing_subword_prefix: 5 },
  { type: 'WordLevel', vocab: { a: 0 } },
  { type: 'BPE', vocab: { a: 0 } },
  { type: 'BPE', vocab: { a: 0 }, merges: 5 },
  { type: 'BPE', vocab: { a: 0 }, merges: [null] },
  { type: 'BPE', vocab: { a: 0 }, merges: [[5, {}]] },
  { type: 'BPE', vocab: { a: 0, aa: 1 }, merges: [['a', 'a', 'a']] },
  { type: 'BPE', vocab: { a: 0 }, merges: ['a b'] },
  { type: 'BPE', vocab: { a: 0 }, merges: [`${'x'.repeat(1e6)} b`] },
  { type: 'BPE', vocab: { a: 0, '': 0 }, merges: [['a', '']] },
  { type: 'BPE', vocab: { a: 0, b: 0, ab: 0 }, merges: ['a b', 'ab a', 'a ab'] },
  { type: 'BPE', vocab: { a: 1e308 }, merges: [] },
  { type: 'BPE', vocab: { a: -1 }, merges: [] },
  { type: 'BPE', vocab: { a: 10_000_000 }, merges: [] },
  { type: 'BPE', vocab: JSON.parse('{"__proto__": 0, "constructor": 1}'), merges: ['__proto__ constructor'] },
];

const slowPatterns = [
  '(a+)+$',
  '(a|a)*$',
  '(.*)*x',
  '([a-z]+)*!',
  '(?:a?){40}a{40}',
  '\\s+$|(\\w|\\w\\w)+;',
  'a*a*a*a*a*a*b',
];
const oddPatterns = [
  '(',
  '[',
  '(?<=a+)b',
  '(?>a)',
  '\\p{Nonsense}',
  '(?R)',
  '\\1',
  'a{99999999}',
  '\\K',
  'x'.repeat(1e6),
];

/** Tokenizers: 5 kinds of changes. */
export function* tokenizerCases(): Cases {
  for (const path of paths)
    for (const [k, value] of oddValues.entries())
      yield [`tokenizer.json ${path.join('.')} = odd value ${k}`, withTokenizer((json) => setAt(json, path, value))];
  for (const [place, part] of parts) {
    yield [`${place} ${part.type} without fields`, withTokenizer((json) => setAt(json, [place], part))];
    for (const field of partFields)
      for (const [k, value] of oddValues.entries())
        yield [
          `${place} ${part.type} ${field} = odd value ${k}`,
          withTokenizer((json) => setAt(json, [place], { ...part, [field]: value })),
        ];
  }
  for (const [k, model] of models.entries())
    yield [
      `tokenizer's model ${k} (${model.type})`,
      withTokenizer((json) => setAt(json, ['model'], { ...json.model, ...model })),
    ];
  for (const regex of [...slowPatterns, ...oddPatterns]) {
    const part = { type: 'Split', pattern: { Regex: regex }, behavior: 'Isolated', invert: false };
    const name = regex.slice(0, 30);
    yield [`pre_tokenizer with the pattern ${name}`, withTokenizer((json) => setAt(json, ['pre_tokenizer'], part))];
    yield [
      `normalizer with the pattern ${name}`,
      withTokenizer((json) => setAt(json, ['normalizer'], { type: 'Replace', pattern: part.pattern, content: '' })),
    ];
  }
  for (const [place, field] of [
    ['normalizer', 'normalizers'],
    ['pre_tokenizer', 'pretokenizers'],
    ['decoder', 'decoders'],
  ])
    yield [
      `${place} of 20,000 nested sequences`,
      withTokenizer((json) => replaced(JSON.stringify({ ...json, [place]: 'HERE' }), 'HERE', nested(field, 20_000))),
    ];
  const doubling = Array.from({ length: 60 }, () => ({ type: 'Replace', pattern: { String: 'a' }, content: 'aa' }));
  yield [
    'normalizer that doubles a text 60 times',
    withTokenizer((json) => setAt(json, ['normalizer'], { type: 'Sequence', normalizers: doubling })),
  ];
  yield [
    'normalizer that prepends a million characters',
    withTokenizer((json) => setAt(json, ['normalizer'], { type: 'Prepend', prepend: 'x'.repeat(1e6) })),
  ];
  yield [
    '200,000 added tokens',
    withTokenizer((json) => {
      json.added_tokens = Array.from({ length: 2e5 }, (_, k) => ({ id: 299, content: `token ${k}`, special: false }));
    }),
  ];
  yield [
    '90,000 added tokens that begin alike',
    withTokenizer((json) => {
      json.added_tokens = Array.from({ length: 9e4 }, (_, k) => ({ id: 299, content: `blanks ${k}`, special: true }));
    }),
  ];
  for (const text of [
    deep(),
    '',
    '5',
    'null',
    '[]',
    '"x"',
    '\ud800',
    `{"model":${deep()}}`,
    `{"added_tokens":${deep()}}`,
  ])
    yield [`tokenizer.json is ${text.slice(0, 24)}`, withTokenizer(() => text || ' ')];
}

/** tokenizer_config.json, generation_config.json and special_tokens_map.json. */
export function* besideTokenizer(): Cases {
  for (const text of [deep(), '5', 'null', '[]', '"x"', 'true', '{"a":1', '\u0000', '{"bos_token":'.repeat(1000)]) {
    for (const file of ['tokenizer_config.json', 'special_tokens_map.json', 'generation_config.json'])
      yield [`${file} is ${text.slice(0, 24)}`, () => ({ ...goodFolder(), [file]: text })];
  }
  for (const field of [
    'added_tokens_decoder',
    'bos_token',
    'eos_token',
    'pad_token',
    'tokenizer_class',
    'chat_template',
  ])
    for (const [k, value] of oddValues.entries())
      yield [`tokenizer_config.json ${field} = odd value ${k}`, withConfig({ ...tokenizerConfig, [field]: value })];
  for (const [k, value] of [
    null,
    5,
    'x',
    {},
    { content: 5 },
    { content: 'x'.repeat(1e6) },
    [],
    { content: '' },
  ].entries())
    for (const id of ['0', '-1', '1e9', '99999999999', 'x', '__proto__'])
      yield [
        `added_tokens_decoder ${id} = value ${k}`,
        withConfig(
          `{"chat_template":${JSON.stringify(tokenizerConfig.chat_template)},"added_tokens_decoder":{"${id}":${JSON.stringify(value)}}}`,
        ),
      ];
  yield [
    'added_tokens_decoder with 150,000 new tokens',
    withConfig({
      ...tokenizerConfig,
      added_tokens_decoder: Object.fromEntries(Array.from({ length: 1.5e5 }, (_, k) => [k, { content: `new ${k}` }])),
    }),
  ];
  for (const [k, value] of [...oddValues, [1e9], [-5], [299, 300], ['2'], Array(1e6).fill(2)].entries())
    yield [
      `generation_config.json eos_token_id = odd value ${k}`,
      () => ({ ...goodFolder(), 'generation_config.json': JSON.stringify({ eos_token_id: value }) }),
    ];
}
