"""jinja2's renderings, in the environment in which transformers renders chat templates.

templates.py cases OUT: small templates of every part of the language, as {values, cases: [{template, text | error}]}.
templates.py render JOBS OUT: each of [{template, values}] as {text | error}.
"""

import json
import re
import sys
from datetime import datetime

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment


def environment():
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = lambda form: datetime(2024, 7, 26).strftime(form)
    return made


ENVIRONMENT = environment()


VALUES={'s':"  Hello, World 42\n",'t':'abcba','u':'ΟΔΟΣ ß ﬁ 你好 🙂','n':7,'f':2.5,'g':3.5,'z':0,'neg':-7,'b':True,'nothing':None,'l':[3,1,2],'words':['b','A','c','a'],'e':[],'d':{'x':1,'a':'two','items':[1]},'ms':[{'role':'user','content':'hi','k':2},{'role':'assistant','content':'yo "x"\'s','k':1},{'role':'user','content':'<b>\u00e9\u2028&','k':1}],'csv':'a, b,,c','big':1.5e300,'small':0.00001,'nested':{'k':[1,2.5,None,True,'é',{'q':"it's"}]}}
EXPR=[l for l in r"""
{{ s.strip() }}|{{ t.strip('ab') }}|{{ t.lstrip('a') }}|{{ t.rstrip('a') }}|{{ s.lstrip('\n ') }}|{{ s.rstrip('\n') }}
{{ s|trim }}|{{ t|trim('a') }}|{{ '  x '|trim|length }}|{{ t.strip('') }}|{{ t.strip(none) }}
{{ csv.split(',') }}|{{ csv.split(', ') }}|{{ csv.split(',', 1) }}|{{ csv.rsplit(',', 1) }}|{{ ' a  b '.split() }}|{{ ' a  b c '.split(none, 1) }}|{{ ' a b  c '.rsplit(none,1) }}
{{ csv.split(',')[-1] }}|{{ csv.split(',')|last }}|{{ csv.split(',', maxsplit=1)[1] }}|{{ s.splitlines() }}|{{ 'a\nb\r\nc'.splitlines(true) }}
{{ d|tojson }}|{{ ms[2]|tojson }}|{{ nested|tojson }}|{{ nested|tojson(indent=2) }}|{{ nested|tojson(ensure_ascii=true) }}|{{ d|tojson(separators=(',',':')) }}|{{ d|tojson(sort_keys=true) }}
{{ [1,2]|tojson(indent=4) }}|{{ {}|tojson(indent=2) }}|{{ 'a/b<\u00e9>'|tojson }}|{{ (1,'x')|tojson }}|{{ f|tojson }}|{{ g|tojson }}|{{ none|tojson }}|{{ true|tojson }}|{{ {'a':1,'b':none}|tojson }}
{{ missing|default('d') }}|{{ none|default('d') }}|{{ none|default('d', true) }}|{{ ''|default('d', boolean=true) }}|{{ missing|d('x') }}|{{ z|default(3,true) }}|{{ missing|default }}
{{ '42'|int }}|{{ '4.7'|int }}|{{ 'x'|int }}|{{ 'x'|int(9) }}|{{ '12abc'|int }}|{{ 4.9|int }}|{{ -4.9|int }}|{{ true|int }}|{{ ' 5 '|int }}|{{ '0x1A'|int(0,16) }}|{{ '1_000'|int }}|{{ none|int }}|{{ '1e3'|int }}
{{ '4.5'|float }}|{{ '4'|float }}|{{ 3|float }}|{{ 'x'|float }}|{{ 'x'|float(1.5) }}|{{ 'inf'|float }}|{{ '1e400'|float }}|{{ '.5'|float }}
{{ l|sort }}|{{ words|sort }}|{{ words|sort(case_sensitive=true) }}|{{ l|sort(reverse=true) }}|{{ ms|sort(attribute='k')|map(attribute='content')|list|length }}|{{ ms|sort(attribute='k,content')|map(attribute='role')|join(',') }}
{{ l|sort|first }}|{{ l|max }}|{{ l|min }}|{{ words|max }}|{{ l|sum }}|{{ ms|sum(attribute='k') }}|{{ ms|map(attribute='k')|max }}
{{ none }}|{{ true }}|{{ false }}|{{ None }}|{{ True }}|{{ missing }}|{{ [none,true,1.0,'x'] }}|{{ d }}|{{ (1,) }}|{{ () }}|{{ (1,2) }}|{{ {'a':{'b':[1]}} }}
{{ 'a' ~ 1 ~ none ~ true ~ 2.0 }}|{{ 1 ~ 2 + 3 if false else 'q' }}|{{ 'ab' * 3 }}|{{ 3 * 'ab' }}|{{ [1]*2 }}|{{ 'x' + 'y' }}|{{ [1] + [2] }}
{{ 7 // 2 }}|{{ -7 // 2 }}|{{ -7 % 3 }}|{{ 7 % -3 }}|{{ 7 / 2 }}|{{ 6 / 2 }}|{{ 2 ** 3 }}|{{ 2 ** -1 }}|{{ 2 ** 3 ** 2 }}|{{ 1 + 2 * 3 }}|{{ 10 - 2 - 3 }}|{{ neg|abs }}|{{ -n }}|{{ 7.5 % 2 }}|{{ True + 1 }}
{{ f }}|{{ g }}|{{ big }}|{{ small }}|{{ 1e3 }}|{{ 0.1 + 0.2 }}|{{ 100.0 }}|{{ 1.5e-7 }}|{{ 123456789.123 }}|{{ 1e22 }}|{{ 0.0001 }}
{{ t[::-1] }}|{{ t[-2:] }}|{{ t[:-1] }}|{{ t[1:4:2] }}|{{ l[::-1] }}|{{ l[-1] }}|{{ l[5:] }}|{{ l[:100] }}|{{ t[-100:2] }}|{{ l[::-2] }}|{{ t[10:1:-1] }}|{{ l[-2::-1] }}|{{ u[-1] }}|{{ u[0:4] }}|{{ t[9] }}|{{ l[9] is defined }}
{% for k in d %}{{ k }},{% endfor %}|{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}|{% for k in d.keys() %}{{ k }}{% endfor %}|{% for v in d.values() %}{{ v }}{% endfor %}|{{ d|length }}|{{ d.x }}|{{ d['items'] }}|{{ d|list }}
{{ 'el' in 'hello' }}|{{ 'x' in d }}|{{ 1 in l }}|{{ 'x' not in d }}|{{ '' in 'a' }}|{{ 1.0 in l }}|{{ 'a' in missing }}|{{ not 1 in l }}|{{ true in [1] }}
{{ d.get('x') }}|{{ d.get('q') }}|{{ d.get('q', 5) }}|{{ d.q is defined }}|{{ d['q'] is undefined }}|{{ d.items()|list }}|{{ d|dictsort }}|{{ d.get('q') is none }}
{{ l|join(', ') }}|{{ l|join }}|{{ words|join('') }}|{{ 'abc'|join('-') }}|{{ ms|join(',', attribute='k') }}|{{ [1,none,true]|join('/') }}|{{ ', '.join(words) }}
{{ 'hello world'|title }}|{{ 'hello-world foo(bar'|title }}|{{ "it's x"|title }}|{{ "it's x".title() }}|{{ 'hELLO'|capitalize }}|{{ 'hELLO wORLD'.capitalize() }}|{{ u|upper }}|{{ u.lower() }}|{{ 'aB'.swapcase() }}
{{ 'a-b-c'.replace('-', '+') }}|{{ 'a-b-c'.replace('-', '+', 1) }}|{{ 'a-b'|replace('-', '$&') }}|{{ 'aaa'|replace('a','b',2) }}|{{ 'abc'.replace('', '.') }}|{{ 'x'.replace('x','$1') }}
{{ t.startswith('ab') }}|{{ t.startswith(('x','a')) }}|{{ t.endswith('ba') }}|{{ t.endswith('b') }}|{{ t.startswith('b', 1) }}|{{ t.find('c') }}|{{ t.rfind('b') }}|{{ t.find('z') }}|{{ t.index('b') }}|{{ t.count('a') }}|{{ u.find('好') }}
{{ '5'.zfill(3) }}|{{ '-5'.zfill(4) }}|{{ 'x'.ljust(3) }}|{{ 'x'.rjust(3,'.') }}|{{ 'x'.center(4,'*') }}|{{ 'xy'.center(5,'*') }}|{{ 'a=b=c'.partition('=') }}|{{ 'a=b=c'.rpartition('=') }}|{{ 'a'.partition('=') }}
{{ '12'.isdigit() }}|{{ 'x'.isalpha() }}|{{ ''.isdigit() }}|{{ ' '.isspace() }}|{{ 'AB'.isupper() }}|{{ 'A1'.isalnum() }}|{{ '½'.isnumeric() }}|{{ '²'.isdigit() }}|{{ '1'.isupper() }}|{{ 'prefix_x'.removeprefix('prefix_') }}|{{ 'x.py'.removesuffix('.py') }}
{% for x in l %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% if loop.last %}!{% endif %}{% endfor %}|{% for x in l %}{% if x == 1 %}{% break %}{% endif %}{{ x }}{% endfor %}|{% for x in e %}{% else %}none{% endfor %}
{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.cycle('a','b') }};{% endfor %}|{% for x in l if x > 1 %}{{ loop.index }}:{{ x }} {% endfor %}|{% for x in l %}{{ loop.previtem }}{{ loop.nextitem is defined }}{% endfor %}
{% set ns = namespace(i=0, found=false) %}{% for x in l %}{% set ns.i = ns.i + x %}{% endfor %}{{ ns.i }}{{ ns.found }}|{% set x = 1 %}{% for y in l %}{{ x }}{% set x = 5 %}{% endfor %}{{ x }}|{% if true %}{% set q = 3 %}{% endif %}{{ q }}
{% macro m(a, b=2) %}{{ a }}-{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1) }}|{{ m(1, 3) }}|{{ m(b=5, a=4) }}|{{ m(1,2,3,x=4) }}|{{ m() }}
{% macro w() %}<{{ caller() }}>{% endmacro %}{% call w() %}in{% endcall %}|{% set x %}a{{ n }}b{% endset %}{{ x }}{{ x|length }}|{% filter upper %}abc{{ n }}{% endfilter %}|{% set y | upper %}low{% endset %}{{ y }}|{% with a=1, b=2 %}{{ a + b }}{% endwith %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}|{% set t2 = (1, 2) %}{{ t2[1] }}|{% for a, b in [(1,2),(3,4)] %}{{ a*b }} {% endfor %}|{% for i in range(3) %}{{ i }}{% endfor %}|{{ range(1,7,2)|list }}|{{ range(3,0,-1)|list }}
{{ 1 < 2 < 3 }}|{{ 3 > 2 > 2 }}|{{ 1 == 1.0 }}|{{ true == 1 }}|{{ 'a' == 1 }}|{{ [1,2] == [1,2] }}|{{ none == false }}|{{ d == d }}|{{ missing == none }}|{{ 'b' > 'a' }}|{{ [1,2] < [1,3] }}
{{ n is odd }}|{{ n is even }}|{{ n is divisibleby(7) }}|{{ n is divisibleby 7 }}|{{ n is not none }}|{{ 'x' is string }}|{{ d is mapping }}|{{ l is iterable }}|{{ l is sequence }}|{{ n is number }}|{{ true is number }}|{{ true is integer }}|{{ f is float }}|{{ n is equalto 7 }}|{{ n is eq(7) }}|{{ 1 is in [1] }}|{{ n is gt 3 }}|{{ true is true }}|{{ none is none }}|{{ 'a' is lower }}|{{ 'A' is upper }}|{{ false is boolean }}|{{ n is sameas 7 }}|{{ d is iterable }}|{{ 's' is iterable }}
{{ ms|selectattr('role','equalto','user')|list|length }}|{{ ms|selectattr('k')|map(attribute='role')|list }}|{{ ms|rejectattr('role','eq','user')|map(attribute='content')|first }}|{{ l|select('odd')|list }}|{{ l|reject('gt', 1)|list }}|{{ words|map('upper')|join }}|{{ ms|map(attribute='q', default='-')|join }}|{{ ms|selectattr('role','in',['user'])|list|length }}
{{ words|unique|list }}|{{ words|reverse|list }}|{{ 'abc'|reverse }}|{{ words|first }}|{{ words|last }}|{{ e|first is defined }}|{{ 'abc'|first }}|{{ 'abc'|list }}|{{ [[1,2],[3]]|map('length')|list }}|{{ l|batch(2)|list }}|{% for g in ms|groupby('role') %}{{ g.grouper }}{{ g.list|length }}{{ g[0] }};{% endfor %}
{{ 'a\nb\n\nc'|indent }}|{{ 'a\nb'|indent(2, true) }}|{{ 'a\n\nb'|indent(2, blank=true) }}|{{ 'a\nb'|indent('>>') }}|{{ 'a\nb\n'|indent(1) }}
{{ 2.5|round }}|{{ 2.567|round(2) }}|{{ 3.5|round|int }}|{{ 2.1|round(0,'ceil') }}|{{ 2.9|round(method='floor') }}|{{ 7|round }}|{{ 1.005|round(2) }}
{{ '<a href="x">\'&'|e }}|{{ '<b>'|escape }}|{{ '<b>'|safe }}|{{ 'a b/c?'|urlencode }}|{{ 'a b c'|wordcount }}|{{ 'x'|string }}|{{ 5|string + '!' }}|{{ "%s is %d"|format('a', 3) }}|{{ '%05.1f|%-4s|' % (2.25, 'x') }}|{{ '{} {}'.format(1, 'b') }}|{{ '{a}'.format(a=2) }}
{{ 'yes' if n > 3 else 'no' }}|{{ 'yes' if n > 30 }}|{{ (1 if z else 2) }}|{{ 'a' if true else 'b' if true else 'c' }}|{{ z or 'x' }}|{{ n and 'y' }}|{{ '' or [] }}|{{ not z }}|{{ not not n }}|{{ n or missing.x }}
{{- ' x' -}}   |  {{ 'y' }}  |{%- if true -%}  z  {%- endif %} |{# comment #} q{#- c -#}   w
{% raw %}{{ raw }} {% if %}{% endraw %}|{{ '{{' }}|{{ "}}" }}|{{ '%}' }}|{{ {'a': {'b': 1}}['a']['b'] }}|{{ {'a':1}.a }}
{{ "a\tb\\n\x41\u00e9\'\"" }}|{{ 'it''s' }}|{{ 'multi' 'part' }}|{{ '\d' }}|{{ 'a\
b' }}
{{ strftime_now('%Y-%m-%d %B %b %A') }}|{{ strftime_now('%d %b %Y') }}|{{ namespace(a=1).a }}|{{ dict(a=1) }}|{{ s|length }}|{{ u|length }}|{{ missing|length }}
{{ d.missing.deep }}
{{ missing.attr }}
{{ missing + 1 }}
{{ 'a' + 1 }}
{{ raise_exception('stop here') }}
{{ l.append(4) }}
{{ 5|length }}
{{ ms[0].content.strip() | upper ~ '!' }}|{{ ms[-1].role }}|{{ ms[1:]|length }}|{{ ms[0]['content'] + '\n' }}|{{ (ms|length) - 1 }}|{{ ms|length - 1 }}
{{ [1,2,3,][1] }}|{{ {'a':1,}['a'] }}|{{ l.index(1) }}|{{ l.count(1) }}|{{ 10 - -2 }}|{{ -2 ** 2 }}|{{ -1|abs }}|{{ 3 -1 }}|{{ l[0]-1 }}
{%+ if true %} a{% endif +%}
 b|{{ 1 if 1 else 2 }}|{%- set j = joiner(', ') %}{% for i in l %}{{ j() }}{{ i }}{% endfor %}
   {% if true %}
 text
   {% endif %}
end
{{ nested.k[5].q }}|{{ nested }}|{{ "it's" }}|{{ ["it's", 'say "hi"', 'b\\n\n\x00\u2028é'] }}
{{ ''.join(['a','b']) }}|{{ ['a','b']|join|length }}|{{ none ~ '' }}|{{ true|string }}|{{ none|string }}|{{ 1.0|string }}
{{ 0 == false }}|{{ '' == false }}|{{ [] == false }}|{{ {} }}|{{ [] }}|{{ '1' == 1 }}|{{ none is none and not false }}|{{ 'ABC'|lower }}|{{ 12|upper }}
{{ u.split() }}|{{ '\u00a0x\u3000'.strip() }}|{{ '\ufeffx'.strip()|length }}|{{ '\x1cx'.strip() }}|{{ 'İ'.lower()|length }}|{{ u|tojson(ensure_ascii=True) }}|{{ '\x7f'|tojson }}
""".split('\n') if l]
EXTRA=["{% set t = none %}{{ t is none }}{{ t is defined }}{{ t }}", "{% set v = {'a': none} %}{{ v.a }}{{ v['a'] is none }}{{ v.get('a', 5) }}{{ v.a is defined }}", "{% macro f(a=none, b=none) %}{{ a }}{{ b is none }}{% endmacro %}{{ f() }}{{ f(none, 1) }}", "{{ missing|default(none) }}|{{ [none]|first }}|{{ [1, none]|last }}|{{ [none, 1][0] }}", "{% for x in [none, 1] %}{{ x }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}", "{% set ns = namespace(a=none) %}{{ ns.a is none }}{{ (none,)[0] }}", "{% if not nothing is defined %}a{% endif %}{{ nothing }}{{ nothing or 'x' }}", "a\r\nb{{ 1 }}\r\n", "{% if true %}\r\nx\r\n{% endif %}\r\ny", "line\n\n", "{{ 'a' }}\n", "\n{% if true %}\n\nx{% endif %}\n\n", "  {%- if true %} a {% endif -%}  b\n", "x {# c #}\ny", "{% for m in ms %}\n  {%- if m.role == 'user' %}\n<u>{{ m.content | trim }}\n  {%- else %}\n<a>{{ m.content }}\n  {%- endif %}\n{% endfor %}", "\t{% set x = 1 %}\n\t{{ x }}\n", "{% for x in [1,2] -%}\n  {{ x }}\n{%- endfor %}", "{%- macro f(x) -%} {{ x }} {%- endmacro -%}\n{{ f(1) }}{{ f(2) }}", "a {%+ if true %}b{%+ endif %} c", "{% include 'x' %}", "{{ x", "{% if %}", "{{ 1 | nofilter }}", "{{ 1 is notest }}", "{% for %}{% endfor %}", "{{ 'a' 'b' ~ 'c' * 2 }}", "{% set ns = namespace() %}{% set ns.x = 1 %}{{ ns.x }}{{ ns.y is defined }}", "{% for a in [[1,[2,3]]] %}{{ a[1][-1] }}{% endfor %}","{% for x in [1,1,2] %}{{ loop.changed(x) }}{% endfor %}", "{% set d2 = dict(d, y=2) %}{{ d2|length }}"]


def rendered(template, values):
    try:
        return {"text": ENVIRONMENT.from_string(template).render(**values)}
    except Exception as error:
        return {"error": str(error)}


def cases():
    """Each row, and each of its expressions alone."""
    for template in EXPR + EXTRA:
        rows = [template]
        if "|{{" in template:
            parts = re.split(r"\|(?=\{\{|\{%)", template)
            rows += [part for part in parts if part.startswith("{{") and part.endswith("}}")]
        for row in rows:
            yield {"template": row, **rendered(row, VALUES)}


def main(kind, *files):
    if kind == "cases":
        result = {"values": VALUES, "cases": list(cases())}
    else:
        result = [rendered(job["template"], job["values"]) for job in json.load(open(files[0]))]
    json.dump(result, open(files[-1], "w"), ensure_ascii=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
