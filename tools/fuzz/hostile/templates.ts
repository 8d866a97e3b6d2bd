/** Hostile chat templates: each takes for ever, grows without a bound, nests deep or is nonsense. */
import { goodFolder, tokenizerConfig } from './model-folder.ts';
import { type Cases, oddValues } from './tokenizers.ts';

const tenThousand = (open: string, inner: string, close: string) => open.repeat(10_000) + inner + close.repeat(10_000);
const loops = (count: number, body: string) =>
  `${Array.from({ length: count }, (_, k) => `{% for i${k} in range(99999) %}`).join('')}${body}${'{% endfor %}'.repeat(count)}`;

/** Texts of templates by what they do. */
export const templates: { readonly [what: string]: string } = {
  'two nested loops': loops(2, 'x'),
  'five nested loops that write nothing': loops(5, ''),
  'five nested loops over a condition': loops(5, '{% if false %}x{% endif %}'),
  'a long range': '{% for i in range(10**9) %}x{% endfor %}',
  'a range of 10**300': '{% for i in range(10**300) %}x{% endfor %}',
  'a text times 10**9': "{{ 'x' * 10**9 }}",
  'a text times 10**8 in a loop':
    "{% set ns = namespace(x='') %}{% for i in range(100) %}{% set ns.x = ns.x ~ 'x' * 10**8 %}{% endfor %}{{ ns.x }}",
  'a list times 10**9': '{{ ([0] * 10**9)|length }}',
  'a list times 10**7': '{{ ([0] * 10**7)|length }}',
  'lists times lists': '{{ ([0] * 10**4 * 10**4 * 10**4)|length }}',
  'a tuple times 10**8': '{{ ((0,) * 10**8)|length }}',
  'doubling of a text':
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
  'doubling of a list':
    '{% set ns = namespace(x=[0]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x|length }}',
  'doubling of a text by replace':
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x.replace('x', 'xx') %}{% endfor %}{{ ns.x }}",
  'doubling by join':
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x.join(['', ns.x, '']) %}{% endfor %}{{ ns.x }}",
  'doubling by format':
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = '%s%s' % (ns.x, ns.x) %}{% endfor %}{{ ns.x }}",
  'doubling by str.format':
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = '{0}{0}'.format(ns.x) %}{% endfor %}{{ ns.x }}",
  'doubling of a list by lists of lists':
    '{% set ns = namespace(x=[0]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}',
  'doubling as JSON':
    '{% set ns = namespace(x=[0]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}',
  'comparison of doubled lists':
    '{% set ns = namespace(x=[0], y=[0]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}',
  'a wide centre': "{{ 'x'|center(10**9) }}",
  'a wide zfill': "{{ 'x'.zfill(10**9) }}",
  'a wide ljust': "{{ 'x'.ljust(10**9) }}",
  'a wide indent': "{{ 'x\ny'|indent(10**9) }}",
  'indents of many lines': "{{ ('x\n' * 10**6)|indent(10**5) }}",
  'JSON with a wide indent': '{{ [[1]]|tojson(indent=10**9) }}',
  'a filled batch': '{{ [1]|batch(10**9, 0)|list|length }}',
  'batches of none': '{{ [1, 2]|batch(0)|list }}',
  'batches of -1': '{{ [1, 2]|batch(-1)|list }}',
  'a wide format': "{{ '%1000000000d' % 1 }}",
  'a precise format': "{{ '%.1000000000f' % 1 }}",
  'rounding to 10**9 places': '{{ 1.5|round(10**9) }}',
  'rounding to -400 places': '{{ 1.5|round(-400) }}',
  'an integer of base 99': "{{ '5'|int(0, 99) }}",
  'a huge power': '{{ 9**9**9**9 }}',
  'a huge whole number': `{{ ${'9'.repeat(1e6)} }}`,
  'a macro that calls itself': '{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}',
  'a macro that calls itself twice':
    '{% macro m(x) %}{% if x > 0 %}{{ m(x-1) }}{{ m(x-1) }}{% endif %}{% endmacro %}{{ m(60) }}',
  'two macros that call each other':
    '{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}',
  'a default that calls its macro': '{% macro m(x=m()) %}{{ x }}{% endmacro %}{{ m() }}',
  'a caller that calls its macro': '{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}',
  'a list that contains itself': '{% set x = [1] %}{% set _ = x.append(x) %}{{ x }}',
  'a namespace that contains itself': '{% set n = namespace() %}{% set n.n = n %}{{ n }}',
  'a namespace in itself, compared': '{% set n = namespace() %}{% set n.n = [n] %}{{ n.n == n.n }}{{ n|tojson }}',
  'filters of filters': `{{ 'x'${"|replace('x', 'xx')".repeat(60)} }}`,
  'a sum of lists': '{{ ([[0] * 1000] * 1000)|sum(start=[])|length }}',
  'sorting of many': '{{ range(99999)|sort|length }}',
  'unique of many': '{{ range(99999)|unique|list|length }}',
  'a search in many': '{% for i in range(99999) %}{% if i in range(99999) %}{% endif %}{% endfor %}',
  'splitting of a long text': "{{ ('x ' * 10**7).split()|length }}",
  'splitting into a million parts, twice': "{% for i in range(1000) %}{% set x = ('x ' * 10**6).split() %}{% endfor %}",
  'a long text, indexed': "{% set x = 'x' * 10**7 %}{% for i in range(99999) %}{% set y = x[i] %}{% endfor %}",
  'a long text, iterated':
    "{% set x = 'x' * 10**7 %}{% for i in range(99999) %}{% for c in x %}{% break %}{% endfor %}{% endfor %}",
  'a long text, compared':
    "{% set x = 'x' * 10**7 %}{% set y = x ~ 'y' %}{% for i in range(99999) %}{% if x < y %}{% endif %}{% endfor %}",
  'a long text, found': "{% set x = 'x' * 10**7 %}{% for i in range(99999) %}{% if 'y' in x %}{% endif %}{% endfor %}",
  'a long text, made small': "{% set x = 'X' * 10**7 %}{% for i in range(99999) %}{% set y = x|lower %}{% endfor %}",
  'a long text, counted': "{% set x = 'X' * 10**7 %}{% for i in range(99999) %}{% set y = x|length %}{% endfor %}",
  'a long text, tested':
    "{% set x = ' ' * 10**7 ~ 'x' %}{% for i in range(99999) %}{% if x.isspace() %}{% endif %}{% endfor %}",
  'a long text, stripped':
    "{% set x = ' ' * 10**7 %}{% for i in range(99999) %}{% if x.strip() %}{% endif %}{% endfor %}",
  'a long list, reversed':
    '{% set x = range(99999)|list %}{% for i in range(99999) %}{% set y = x|reverse %}{% endfor %}',
  'a long list, sliced': '{% set x = range(99999)|list %}{% for i in range(99999) %}{% set y = x[:-1] %}{% endfor %}',
  'a slice by a huge step': "{{ 'abc'[::10**300] }}{{ 'abc'[::-1] }}{{ 'abc'[10**300:] }}",
  '10,000 nested conditions': tenThousand('{% if true %}', 'x', '{% endif %}'),
  '10,000 nested loops': tenThousand('{% for i in [1] %}', 'x', '{% endfor %}'),
  '10,000 nested brackets': `{{ ${tenThousand('(', '1', ')')} }}`,
  '10,000 nested lists': `{{ ${tenThousand('[', '1', ']')} }}`,
  '10,000 nots': `{{ ${'not '.repeat(10_000)}1 }}`,
  '100,000 additions': `{{ 1${' + 1'.repeat(100_000)} }}`,
  '100,000 filters': `{{ 'x'${'|trim'.repeat(100_000)} }}`,
  '100,000 attributes': `{{ messages${'.x'.repeat(100_000)} }}`,
  '10,000 nested inline ifs': `{{ ${'1 if 1 else '.repeat(10_000)}1 }}`,
  '100,000 elifs': `{% if 0 %}${'{% elif 0 %}'.repeat(100_000)}{% endif %}`,
  'an unknown filter': "{{ 'x'|nonsense }}",
  'a filter of an object': "{{ 'x'|constructor }}{{ 'x'|toString }}",
  'a test of an object': "{{ 'x' is constructor }}{{ 'x' is __proto__ }}",
  'attributes of objects':
    "{{ messages.constructor }}{{ ''.__class__.__mro__ }}{{ messages.__proto__.x }}{{ range.constructor('return 1')() }}",
  'a method of an object': "{{ ''.constructor('x') }}{{ [].concat([1]) }}{{ {}.hasOwnProperty('x') }}",
  'a namespace with __proto__':
    "{% set n = namespace() %}{% set n.__proto__ = 5 %}{{ n.toString }}{{ {'__proto__': 1}.x }}",
  'an unknown statement': '{% include "/etc/passwd" %}',
  'an import': '{% import "os" as os %}',
  'a cycle of none': '{% for i in [1] %}{{ loop.cycle() }}{% endfor %}',
  'a loop that is printed': '{% for i in [1] %}{{ loop }}{% endfor %}',
  'an open tag': '{{ ',
  'an open comment': '{# ',
  'an open text': "{{ 'x }}",
  'many open tags': '{{ '.repeat(100_000),
  'many blanks': `{{ ${' '.repeat(1e6)} 1 }}${' '.repeat(1e6)}{% if 1 -%}x{% endif %}`,
  'blanks before a trimming tag': `${' '.repeat(1e6)}x{%- if 1 %}`.repeat(3),
  'a million texts': "{{ 'x' }}".repeat(200_000),
  'a long name': `{{ ${'x'.repeat(1e6)}.y }}`,
  'a long unknown filter': `{{ 1|${'x'.repeat(1e6)} }}`,
  'a raised message of a million characters': "{{ raise_exception('x' * 10**6) }}",
  'a raised message with control characters': "{{ raise_exception('\\x1b[2J\\u202e') }}",
  'an escape beyond Unicode': "{{ '\\U99999999' }}",
  'half a surrogate': "{{ '\\ud800' }}",
  nothing: '',
  'a NUL': '\u0000',
};

export function* templateCases(): Cases {
  for (const [what, template] of Object.entries(templates)) {
    yield [
      `chat template: ${what}`,
      () => ({
        ...goodFolder(),
        'tokenizer_config.json': JSON.stringify({ ...tokenizerConfig, chat_template: template }),
      }),
    ];
    // The same beside the whole template's own text, so that its pieces could be derived.
    yield [
      `chat template: ${what}, before a good one`,
      () => ({ ...goodFolder(), 'chat_template.jinja': `${template}${tokenizerConfig.chat_template}` }),
    ];
  }
  for (const [k, value] of [...oddValues, [{ name: 'default', template: 5 }], { default: 5 }].entries())
    yield [
      `chat_template = odd value ${k}`,
      () => ({
        ...goodFolder(),
        'tokenizer_config.json': JSON.stringify({ ...tokenizerConfig, chat_template: value }),
      }),
    ];
}
