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
