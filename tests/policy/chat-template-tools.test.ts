// Chat templates that know tools: prompts with a list of tools, calls and results, as transformers renders them.
import { expect, it } from 'vitest';
import { type ChatMessage, ChatTemplate } from '../../src/policy/text/chat-template.ts';

// A template of this project's own in the form of Qwen2.5's: tools as JSON in the system message, calls and results in
// tags, results of one turn together.
const source = [
  '{%- if tools %}',
  "{{- '<|im_start|>system\\n' }}",
  "{%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] }}{%- else %}{{- 'You help.' }}{%- endif %}",
  '{{- "\\n\\n# Tools\\n\\n<tools>" }}',
  '{%- for tool in tools %}',
  '{{- "\\n" }}',
  '{{- tool | tojson }}',
  '{%- endfor %}',
  '{{- "\\n</tools><|im_end|>\\n" }}',
  "{%- elif messages[0]['role'] == 'system' %}",
  "{{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}",
  '{%- endif %}',
  '{%- for message in messages %}',
  '{%- if message.role == "user" or (message.role == "assistant" and not message.tool_calls) %}',
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
  '{%- elif message.role == "assistant" %}',
  "{{- '<|im_start|>' + message.role }}",
  "{%- if message.content %}{{- '\\n' + message.content }}{%- endif %}",
  '{%- for tool_call in message.tool_calls %}',
  '{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}',
  '{{- \'\\n<tool_call>\\n{"name": "\' }}',
  '{{- tool_call.name }}',
  '{{- \'", "arguments": \' }}',
  '{{- tool_call.arguments | tojson }}',
  "{{- '}\\n</tool_call>' }}",
  '{%- endfor %}',
  "{{- '<|im_end|>\\n' }}",
  '{%- elif message.role == "tool" %}',
  '{%- if loop.index0 == 0 or messages[loop.index0 - 1].role != "tool" %}{{- \'<|im_start|>user\' }}{%- endif %}',
  "{{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}",
  '{%- if loop.last or messages[loop.index0 + 1].role != "tool" %}{{- \'<|im_end|>\\n\' }}{%- endif %}',
  '{%- endif %}',
  '{%- endfor %}',
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join('\n');

const tools = [
  {
    type: 'function',
    function: {
      name: 'query',
      description: 'Runs a statement: é, <b>, "quoted".',
      parameters: {
        type: 'object',
        properties: { sql: { type: 'string', description: 'The statement.' } },
        required: ['sql'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'tables',
      description: 'Lists the tables.',
      parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
    },
  },
];

const call = (name: string, given: object) => ({ type: 'function' as const, function: { name, arguments: given } });
const statement = { sql: 'SELECT COUNT(*) FROM "member" WHERE a < \'é\'', limit: 1.5, all: true, none: null };
const messages: ChatMessage[] = [
  { role: 'user', content: 'How many?' },
  { role: 'assistant', content: '', tool_calls: [call('tables', {})] },
  { role: 'tool', content: 'member (3 rows)' },
  { role: 'assistant', content: 'I count.', tool_calls: [call('query', statement), call('tables', {})] },
  { role: 'tool', content: '3' },
  { role: 'tool', content: 'member (3 rows)' },
  { role: 'assistant', content: 'Three.' },
  { role: 'user', content: 'Thanks' },
];

// Printed by transformers 5.24.0: `render_jinja_template(conversations=[messages], tools=tools, chat_template=source,
// add_generation_prompt=True)`, and with `tools=None` for the first message alone.
const withTools = [
  '<|im_start|>system',
  'You help.',
  '',
  '# Tools',
  '',
  '<tools>',
  '{"type": "function", "function": {"name": "query", "description": "Runs a statement: é, <b>, \\"quoted\\".", "parameters": {"type": "object", "properties": {"sql": {"type": "string", "description": "The statement."}}, "required": ["sql"], "additionalProperties": false}}}',
  '{"type": "function", "function": {"name": "tables", "description": "Lists the tables.", "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}}}',
  '</tools><|im_end|>',
  '<|im_start|>user',
  'How many?<|im_end|>',
  '<|im_start|>assistant',
  '<tool_call>',
  '{"name": "tables", "arguments": {}}',
  '</tool_call><|im_end|>',
  '<|im_start|>user',
  '<tool_response>',
  'member (3 rows)',
  '</tool_response><|im_end|>',
  '<|im_start|>assistant',
  'I count.',
  '<tool_call>',
  '{"name": "query", "arguments": {"sql": "SELECT COUNT(*) FROM \\"member\\" WHERE a < \'é\'", "limit": 1.5, "all": true, "none": null}}',
  '</tool_call>',
  '<tool_call>',
  '{"name": "tables", "arguments": {}}',
  '</tool_call><|im_end|>',
  '<|im_start|>user',
  '<tool_response>',
  '3',
  '</tool_response>',
  '<tool_response>',
  'member (3 rows)',
  '</tool_response><|im_end|>',
  '<|im_start|>assistant',
  'Three.<|im_end|>',
  '<|im_start|>user',
  'Thanks<|im_end|>',
  '<|im_start|>assistant',
  '',
].join('\n');
const without = '<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n';

it('renders tools, calls and results as transformers does', async () => {
  const template = await ChatTemplate.open(source);
  expect(template.render(messages, { addGenerationPrompt: true, tools })).toBe(withTools);
});

it.each([undefined, []])('renders no list without tools (%j)', async (none) => {
  const template = await ChatTemplate.open(source);
  expect(template.render(messages.slice(0, 1), { addGenerationPrompt: true, tools: none })).toBe(without);
});
