// Regular expressions of PEFT's configs match as in Python's re.
import { expect, it } from 'vitest';
import { PythonRegexError, pythonRegex } from '../../src/policy/formats/python-regex.ts';

const texts = ['model.layers.12.self_attn.q_proj', 'model.layers.0.mlp.down_proj', 'lm_head', '-]x', 'aaab', ''];

// One character per text: f if re.fullmatch finds a match, m if only re.match does, a point if neither does. Python
// 3.11: ''.join('f' if re.fullmatch(p, t) else 'm' if re.match(p, t) else '.' for t in texts)
it.each([
  [String.raw`model\.layers\.\d+\.(self_attn|mlp)\.(q|k|v|o|gate|up|down)_proj`, 'ff....'],
  [String.raw`(?:.*?(?:vision|text).*?)|(?:\bmodel\.layers\.[\d]{1,}\.(?:self_attn)\.(?:q_proj))`, 'f.....'],
  ['^(?!.*mlp).*_proj$', 'f.....'],
  [String.raw`.*(?<!mlp)\.\w+`, 'fm....'],
  ['(?i)LM_H(?-i:ead)', '..f...'],
  ['(?P<x>model).*', 'ff....'],
  ['a{,3}b', '....f.'],
  ['a{2}', '....m.'],
  [String.raw`[]a-c\-]+.`, '...ff.'],
  [String.raw`.*\Z`, 'ffffff'],
  ['(a+)+b', '....f.'],
  ['(?s:.*)', 'ffffff'],
  ['[^]]*', 'fffmff'],
  ['a|', 'mmmmmf'],
  ['(|a)+b?', 'mmmmff'],
  ['a{}', '......'],
  ['(a{1,2}){2}b', '....f.'],
  [String.raw`.*\B_proj`, 'ff....'],
])('%s matches as in Python', (pattern, expected) => {
  const regex = pythonRegex(pattern);
  const letter = (text: string) => (regex.fullmatch(text) ? 'f' : regex.match(text) ? 'm' : '.');
  expect(texts.map(letter).join('')).toBe(expected);
});

it.each([
  ['(a', /a "\(" without "\)" at character 3/],
  ['a)', /a "\)" without "\("/],
  ['[a', /unexpected end/],
  ['*a', /a repeat of nothing/],
  ['a**', /a repeat of a repeat/],
  ['^*', /a repeat of an assertion/],
  ['a{3,1}', /at least 3 and at most 1/],
  ['[b-a]', /an invalid range of characters/],
  [String.raw`\q`, /the unknown escape \\q/],
  [String.raw`(a)\1`, /a back-reference/],
  ['a++', /a possessive repeat/],
  ['(?>a)', /a kind of group that is not supported/],
  ['(?x)a', /the flag "x"/],
  ['a'.repeat(20_001), /longer than the 20000/],
  ['('.repeat(200), /more than 100 groups/],
])('refuses %s', (pattern, message) => {
  expect(() => pythonRegex(pattern)).toThrow(PythonRegexError);
  expect(() => pythonRegex(pattern)).toThrow(message);
});

it('a pattern that backtracks for ever in Python is evaluated at once', () => {
  expect(pythonRegex('(a|a|aa)*(a+)+(.*)*x').fullmatch('a'.repeat(60))).toBe(false);
  expect(() => pythonRegex('(.*,)*'.repeat(2000)).fullmatch(','.repeat(2000))).toThrow('takes too long');
  // Also if each of many texts takes a part of the bound.
  const regex = pythonRegex('(.*,)*'.repeat(20));
  expect(() => {
    for (let n = 0; n < 10_000; n++) regex.match(','.repeat(200));
  }).toThrow('takes too long');
});
