/**
 * Jinja templates as jinja2 3.1.6 renders them in transformers' environment (immutable sandbox, `trim_blocks`,
 * `lstrip_blocks`, loop controls, its own `tojson`). The fixture holds templates with the text or, if jinja2 refuses them,
 * null, written by `tools/interop/text/templates.py`.
 */
import { describe, expect, it } from 'vitest';
import { JinjaTemplate } from '../../src/policy/text/jinja/template.ts';
import { floatText } from '../../src/python/text.ts';
import golden from '../fixtures/jinja.golden.json' with { type: 'json' };

const render = (template: string) => new JinjaTemplate(template).render(golden.values);

it.each(golden.cases as [string, string | null][])('%j is rendered as by jinja2', (template, text) => {
  if (text === null) expect(() => render(template)).toThrow();
  else expect(render(template)).toBe(text);
});

describe('a template', () => {
  it('is refused with the reason', () => {
    expect(() => render('{{ missing.attr }}')).toThrow("'missing' is undefined");
    expect(() => render("{{ raise_exception('Only user roles') }}")).toThrow('Only user roles');
    expect(() => render('{{ l.append(4) }}')).toThrow('list.append would change a value');
    expect(() => render('{% include "x" %}')).toThrow('the statement {% include %} is not read');
    expect(() => render('{{ 1|nofilter }}')).toThrow("No filter named 'nofilter'");
    expect(() => render('{{ "a" + 1 }}')).toThrow("unsupported operand type(s) for +: 'str' and 'int'");
    expect(() => render('{% for x in l %}')).toThrow('the template ends before {% else %} or {% endfor %}');
  });

  it('writes the assistant’s text between its marks, as transformers does', () => {
    expect(render('{% generation %}out{% endgeneration %}!')).toBe('out!');
  });
});

// Texts of jinja2 3.1.6; null: it refuses the template.
it.each([
  ["{% if l|select('gt', 9) %}true{% endif %}", 'true'],
  ["{% if ms|selectattr('role', 'eq', 'tool') %}true{% endif %}{% if [] | reverse %}true{% endif %}", 'truetrue'],
  ["{% set r = ms|map(attribute='role') %}{{ r|join(',') }};{{ r|join(',') }}", 'user,assistant,user;'],
  [
    "{% set r = ms|rejectattr('k', 'eq', 2) %}{% for m in r %}{{ m.k }}{% endfor %}{% for m in r %}again{% endfor %}",
    '11',
  ],
  ["{% set r = l|map('string') %}{{ r|first }}{{ r|list }}", "3['1', '2']"],
  [
    "{{ (l|map('string'))[0] is defined }} {{ l|map('string') is iterable }} {{ l|map('string') is sequence }}",
    'False True False',
  ],
  ['{{ l|batch(2) is sequence }} {{ l|unique is sequence }} {{ d|items is sequence }}', 'False False False'],
  ["{{ l|map('string')|reverse is sequence }} {{ l|reverse is sequence }}", 'True False'],
  ['{{ l|select|length }}', null],
  ['{{ l|select|last }}', null],
  ["{{ ms[0]|attr('role') }}|{{ 'a'|attr('upper') is callable }}|{{ missing is callable }}", '|True|True'],
  ['{% if false %}{{ 1|nofilter }}{{ 1 is notest }}{% endif %}x', 'x'],
])('%j goes over what it selects once, as in jinja2', (template, text) => {
  if (text === null) expect(() => render(template)).toThrow();
  else expect(render(template)).toBe(text);
});

// Texts of jinja2 3.1.6 and markupsafe 3.0.4; null: it refuses the template.
it.each([
  [
    "{{ 'Use '|safe + 'a < \"b\"' }}|{{ 'x & y' + '<b>'|safe }}|{{ 'a<' ~ '<b>'|safe }}",
    'Use a &lt; &#34;b&#34;|x &amp; y<b>|a<<b>',
  ],
  [
    "{{ ('<b>'|safe + '<')|upper }}|{{ ('<b>'|safe).replace('b', '<') }}|{{ ('<b>'|safe) == '<b>' }}",
    '<B>&LT;|<&lt;>|True',
  ],
  [
    "{{ '%s %d'|safe % ('<', 3) }}|{{ ('<i>'|safe).join(['<', 'a']) }}|{{ ['<b>'|safe] }}",
    "&lt; 3|&lt;<i>a|[Markup('<b>')]",
  ],
  [
    "{{ '<'|e|e }}|{{ '<'|e is escaped }}|{{ ('a<b'|safe).split('<')[0] + '&' }}|{{ {'k': '<'|safe}|tojson }}",
    '&lt;|True|a&amp;|{"k": "<"}',
  ],
  [
    "{{ missing|selectattr('a')|list }}{{ none|map('upper')|list }}{{ none|selectattr('type', 'eq', 'x')|list|length }}{{ 0|reject|list }}",
    '[][]0[]',
  ],
  [
    '{{ 9007199254740993 }} {{ 12345678901234567890|tojson }} {{ 2 ** 64 }} {{ 9007199254740992 + 1 }}',
    '9007199254740993 12345678901234567890 18446744073709551616 9007199254740993',
  ],
  [
    '{{ 9007199254740993 == 9007199254740992 }} {{ 9007199254740993 is odd }} {{ 9007199254740993 // 2 }} {{ -9007199254740993 % 10 }}',
    'False True 4503599627370496 7',
  ],
  [
    "{{ '12345678901234567890'|int + 1 }} {{ 1e20|int }} {{ '%d' % 12345678901234567890 }} {{ 10 ** 20 > 1e19 }} {{ -(2 ** 63) }} {{ (-(2 ** 63))|abs }}",
    '12345678901234567891 100000000000000000000 12345678901234567890 True -9223372036854775808 9223372036854775808',
  ],
  ['{{ 10 ** 5000 }}', null],
  [
    "{{ '12xyz'|int(0, 8) }} {{ 'ff'|int(0, 16) }} {{ '0x1f'|int(0, 16) }} {{ '0b11'|int(7, 0) }} {{ '12'|int(0, 2) }} {{ 'zz'|int(3, 16) }} {{ '-1_0'|int(0, 16) }}",
    '0 255 31 3 12 3 -16',
  ],
  ['{{ 17|round(-1) }} {{ 7.5|round(-1) }} {{ 5|round(2) }}', '20 10.0 5'],
  [
    '{% for x in l %}{{ x }}{% break %}{% else %}none{% endfor %}|{% for x in l %}{% if loop.first %}{% continue %}{% endif %}{{ x }}{% else %}none{% endfor %}',
    '3none|12',
  ],
  ['{{ "a!b\'(c)*/d"|urlencode }}', 'a%21b%27%28c%29%2A/d'],
])('%j has marked text, large integers, None and loops as in jinja2', (template, text) => {
  if (text === null) expect(() => render(template)).toThrow();
  else expect(render(template)).toBe(text);
});

// Texts of jinja2 3.1.6 with Python 3.11; null: it refuses the template.
it.each([
  [
    '{{ d.keys() }} {{ d.items() }} {{ range(4) }} {{ range(1, 9, 2)[1:] }} {{ range(9)[2:8:3] }}',
    "dict_keys(['x', 'a', 'items']) dict_items([('x', 1), ('a', 'two'), ('items', [1])]) range(0, 4) range(3, 9, 2) range(2, 8, 3)",
  ],
  [
    '{{ d.keys() is sequence }} {{ d.values() is iterable }} {{ range(3) is sequence }} {{ range(3)[1] }} {{ range(3) == [0, 1, 2] }} {{ d.keys()[0] is defined }}',
    'False True True 1 False False',
  ],
  [
    "{{ d.keys()|list|length }} {{ d.values()|length }} {{ range(2, 5)|join(',') }} {{ 3 in range(5) }} {{ range(3)|list }}",
    '3 3 2,3,4 True [0, 1, 2]',
  ],
  ['{{ d.keys()|tojson }}', null],
  ["{{ d.keys() + ['x'] }}", null],
  ['{{ d.values()[1:] }}', null],
  ['{{ l[0][1:] }}', null],
  ['{{ d[1:] }}', null],
  ['{{ none|indent(2) }}', null],
  ['{{ missing|int }}', null],
  ['{{ missing|float(1) }}', null],
  ['{{ l|urlencode }}', null],
  ['{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, 2) }}', null],
  ['{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, z=2) }}', null],
  ['{% macro f(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, z=3) }}', "1(2,){'z': 3}"],
  ['{% macro f() %}x{% endmacro %}{% call f() %}y{% endcall %}', null],
  ["{{ ' a b '|trim.split(' ') }}", null],
  ["{{ (' a b '|trim).split(' ') }}", "['a', 'b']"],
])('%j has views, ranges and macros as in jinja2', (template, text) => {
  if (text === null) expect(() => render(template)).toThrow();
  else expect(render(template)).toBe(text);
});

it('refuses characters that are given by their names', () => {
  expect(() => render("{{ '\\N{BULLET}' }}")).toThrow('\\N{BULLET}');
});

it('writes floats as Python does', () => {
  const texts = {
    1: '1.0',
    0.1: '0.1',
    1e16: '1e+16',
    123456789012345.6: '123456789012345.6',
    1e-5: '1e-05',
    0.0001: '0.0001',
  };
  for (const [value, text] of Object.entries(texts)) expect(floatText(Number(value))).toBe(text);
  expect(floatText(-0)).toBe('-0.0');
});
