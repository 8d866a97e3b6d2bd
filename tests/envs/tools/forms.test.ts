// Forms of a call, read as data: AgentGym's, OpenAI's and commands; Python literals; AgentGym's own reading.
import { describe, expect, it } from 'vitest';
import { literalText, parseLiteral } from '../../../src/python/literal.ts';
import { agentGymAction, commandOf, readCall } from '../../../src/worlds/tools/calls.ts';
import { extract, parseAction } from '../../../src/worlds/tools/original-text.ts';
import { sorted } from '../../../src/worlds/tools/original-values.ts';
import { todoTools } from '../../../src/worlds/tools/todo/tools.ts';
import type { Call } from '../../../src/worlds/tools/tool.ts';

const read = (text: string) => readCall(text, todoTools);
const tasks = { name: 'get_tasks', arguments: { project_id: '31' } };

describe('a call', () => {
  it.each([
    'get_tasks 31',
    'Action: get_tasks 31',
    'Thought: I look.\n\nAction: get_tasks with Action Input: {"project_id": "31"}',
    "Action: get_tasks with Action Input:\n{'project_id': 31,}",
    '{"name": "get_tasks", "arguments": {"project_id": "31"}}',
    '<tool_call>\n{"name": "get_tasks", "arguments": {"project_id": "31"}}\n</tool_call>',
    '{"tool_calls": [{"type": "function", "function": {"name": "get_tasks", "arguments": "{\\"project_id\\": \\"31\\"}"}}]}',
    // Llama's, Mistral's, DeepSeek's, Kimi's, Qwen3-Coder's, GLM's and MiniMax's.
    '<|python_tag|>{"name": "get_tasks", "parameters": {"project_id": "31"}}',
    '[TOOL_CALLS] [{"name": "get_tasks", "arguments": {"project_id": "31"}}]</s>',
    'Sure.[TOOL_CALLS]get_tasks[CALL_ID]aB3dE5gH7[ARGS]{"project_id": "31"}',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_tasks\n```json\n{"project_id": "31"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_tasks<｜tool▁sep｜>{"project_id": "31"}<｜tool▁call▁end｜>',
    '<|tool_call_begin|>functions.get_tasks:0<|tool_call_argument_begin|>{"project_id": "31"}<|tool_call_end|>',
    'I "look".\n<tool_call>\n<function=get_tasks>\n<parameter=project_id>\n31\n</parameter>\n</function>\n</tool_call>',
    '<function=get_tasks>{"project_id": "31"}</function>',
    '<tool_call>get_tasks\n<arg_key>project_id</arg_key>\n<arg_value>31</arg_value>\n</tool_call>',
    '<invoke name="get_tasks">\n<parameter name="project_id">31</parameter>\n</invoke>',
    '<function_call> {"name": "get_tasks", "arguments": {"project_id": "31"}}</function_call>',
    '```json\n{"name": "get_tasks", "arguments": {"project_id": "31"}}\n```',
    '[{"name": "get_tasks", "arguments": {"project_id": "31"}}]',
  ])('is read from %j', (text) => expect(read(text)).toEqual(tasks));

  it.each(['<function=x>{}', '[TOOL_CALLS]', '```json\n{}'])('keeps %j in an argument', (text) => {
    const call = { name: 'get_tasks', arguments: { project_id: text } };
    for (const written of [JSON.stringify(call), agentGymAction(call)]) expect(read(written)).toEqual(call);
  });

  it.each([
    ['dance 31', /no tool "dance"/],
    ['get_tasks', /needs the argument "project_id"/],
    ['{"name": "get_tasks", "arguments": {"project_id": "31", "x": 1}}', /no argument "x"/],
    ['{"name": "get_tasks", "arguments": {"project_id": ["31"]}}', /must be a string/],
    ['{"name": "update_project", "arguments": {"project_id": "31", "is_favorite": 3}}', /one of true, false/],
    [
      '{"name": "update_project", "arguments": {"project_id": "31", "is_favorite": "constructor"}}',
      /one of true, false/,
    ],
    ['[TOOL_CALLS]get_projects[ARGS]{}[TOOL_CALLS]get_projects[ARGS]{}', /exactly one/],
    ['Action: get_tasks with Action Input: __import__("os")', /one JSON object/],
    ['<tool_call>{"name": "get_projects"}</tool_call><tool_call>{"name": "get_projects"}</tool_call>', /exactly one/],
    ['', /no tool ""/],
  ])('is refused for %j', (text, reason) => expect(() => read(text)).toThrow(reason));

  it('is written so that it is read again', () => {
    const calls: Call[] = [
      tasks,
      { name: 'update_project', arguments: { project_id: 'a b', is_favorite: true } },
      { name: 'finish', arguments: { answer: ['Paint the fence', 'Sort the maps'] } },
      { name: 'finish', arguments: { answer: 'a town' } },
    ];
    for (const call of calls) {
      expect(read(commandOf(call))).toEqual(call);
      expect(read(agentGymAction(call))).toEqual(call);
    }
  });
});

// Values printed by CPython 3.11: `str(ast.literal_eval(text))`.
describe('a Python literal', () => {
  it.each([
    ["{'a': (1,), \"b\": [2.50, -0x1F, 1_000], 'a': None}", "{'a': None, 'b': [2.5, -31, 1000]}"],
    ["{1: 'a', True: 'b', 1.0: 'c'}", "{1: 'c'}"],
    ["'\\x41\\n\\q' \"b\" r'\\n'", 'A\n\\qb\\n'],
    ['1e20', '1e+20'],
    ['()', '()'],
    ['1, 2', '(1, 2)'],
    ["''' a'b '''", " a'b "],
    ['{1, 1.0}', '{1}'],
  ])('%j prints as Python prints it', (text, printed) => expect(literalText(parseLiteral(text))).toBe(printed));

  it.each([
    '',
    '1 + 1',
    'true',
    '[1',
    '012',
    '{[]: 1}',
    "'a\nb'",
    'f(1)',
    "b'a'",
    `${'['.repeat(200)}${']'.repeat(200)}`,
  ])('%j is none', (text) => expect(() => parseLiteral(text)).toThrow(SyntaxError));
});

// Results of the same calls in CPython 3.11 of upstream's regular expressions and sort.
describe('AgentGym’s reading', () => {
  it('takes the last line, after the first mark on it', () => {
    expect(extract('Thought: a\nAction: f with Action Input: {} \n')).toEqual({ action: 'Action: f', input: '{} ' });
    expect(extract('Action: f with Action Input: {}\nmore')).toBeNull();
    expect(extract('Action: f with Action Input: \n\n{}')).toEqual({ action: 'Action: f', input: '{}' });
    expect(extract('Action: f\nwith Action Input: {}')).toEqual({ action: 'Action: f', input: '{}' });
    expect(extract('nothing')).toBeNull();
  });

  it('throws what upstream prints', () => {
    expect(() => parseAction({ action: 'f', input: '{}' })).toThrow('cannot unpack non-iterable NoneType object');
    expect(() => parseAction({ action: 'Action: f', input: '{' })).toThrow('Parameters in action input are not valid');
    expect(() => sorted([1n, 'a'])).toThrow("'<' not supported between instances of 'str' and 'int'");
    expect(sorted([3n, 1n, 2n, 1.5])).toEqual([1n, 1.5, 2n, 3n]);
  });
});
