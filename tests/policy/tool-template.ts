// A chat template with tools, and two tools.
import type { FunctionTool } from '../../src/envs/tools.ts';

// A template of this project's own in the form of Qwen2.5's: tools as JSON in the system message, calls and results in
// tags, results of one turn together.
export const toolTemplate = [
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

export const exampleTools: FunctionTool[] = [
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
