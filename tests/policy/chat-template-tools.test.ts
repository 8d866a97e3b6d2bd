// Chat templates that know tools: prompts with a list of tools, calls and results, as transformers renders them.
import { expect, it } from 'vitest';
import { type ChatMessage, ChatTemplate } from '../../src/policy/text/chat-template.ts';
import { exampleTools, toolTemplate } from './tool-template.ts';

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

// Printed by transformers 5.24.0: `render_jinja_template(conversations=[messages], tools=exampleTools, chat_template=toolTemplate,
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
  const template = await ChatTemplate.open(toolTemplate);
  expect(template.render(messages, { addGenerationPrompt: true, tools: exampleTools })).toBe(withTools);
});

it.each([undefined, []])('renders no list without tools (%j)', async (none) => {
  const template = await ChatTemplate.open(toolTemplate);
  expect(template.render(messages.slice(0, 1), { addGenerationPrompt: true, tools: none })).toBe(without);
});
