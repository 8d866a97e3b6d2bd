// Conversations in which a language model calls tools by its chat template: the tokens that the template renders, and
// worlds that read the calls.
import { describe, expect, it } from 'vitest';
import { promptRulesOf } from '../../src/envs/env.ts';
import type { CallRules } from '../../src/envs/tools.ts';
import { ChatTemplate } from '../../src/policy/text/chat-template.ts';
import { chatFamilies } from '../../src/policy/text/chat-templates.ts';
import { conversationOf } from '../../src/rl/episode/conversation-files.ts';
import { TokenSource } from '../../src/rl/episode/trajectory.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { bpeTokenizer } from '../policy/bpe-fixture.ts';
import { exampleTools, toolTemplate } from '../policy/tool-template.ts';
import { rowsHere } from '../worlds.ts';

const { specialTokens, config } = chatFamilies.qwen2;
const tokenizer = bpeTokenizer(specialTokens, ['<tool_call>', '</tool_call>']);
const withTemplate = (chat_template: string) =>
  conversationOf(tokenizer, { tokenizerConfig: { ...config, chat_template } });

const statement = { sql: 'SELECT "é" < 1' };
const calls: CallRules = {
  tools: exampleTools,
  callOf: (action) => (action === 'dance' ? null : { name: 'query', arguments: { sql: action } }),
};

const render = async (messages: Parameters<ChatTemplate['render']>[0]) => {
  const template = await ChatTemplate.open(toolTemplate);
  return [...tokenizer.encode(template.render(messages, { addGenerationPrompt: true, tools: exampleTools }))];
};

describe('a conversation with calls', () => {
  it('has the tokens that the template renders', async () => {
    const conversation = await withTemplate(toolTemplate);
    const call = (content: string) => ({
      role: 'assistant' as const,
      content,
      tool_calls: [{ type: 'function' as const, function: { name: 'query', arguments: statement } }],
    });
    const opening = { role: 'user' as const, content: 'Ask the database.\n\n How many? ' };
    const { tokens } = conversation.prompt(' How many? ', 'Ask the database.\n', 'unused', calls);
    expect([...tokens]).toEqual(await render([opening]));
    const said = [...tokens];
    for (const [thought, answer] of [
      ['', '3 rows\n'],
      ['I count.', 'error'],
    ]) {
      const reply = conversation.reply(statement.sql, undefined, thought, calls);
      said.push(...conversation.action(reply), ...conversation.observation(answer, calls).tokens);
    }
    const results = ['3 rows\n', 'error'].map((content) => ({ role: 'tool' as const, content }));
    // Without a token that ends thoughts, a thought is the text before the call.
    expect(said).toEqual(await render([opening, call(''), results[0], call('I count.'), results[1]]));
  });

  it('has the template named tool_use, where there are several', async () => {
    const one = await withTemplate(toolTemplate);
    for (const chat_template of [
      { default: config.chat_template, tool_use: toolTemplate },
      [
        { name: 'default', template: 'no' },
        { name: 'tool_use', template: toolTemplate },
        { name: 'default', template: config.chat_template },
      ],
    ]) {
      const several = await conversationOf(tokenizer, { tokenizerConfig: { ...config, chat_template } });
      expect(several.prompt('Goal', 'Do it.', '', calls).tokens).toEqual(
        one.prompt('Goal', 'Do it.', '', calls).tokens,
      );
      expect(several.observation('Goal').tokens).toEqual(
        (await withTemplate(config.chat_template)).observation('Goal').tokens,
      );
    }
    const unnamed = { tokenizerConfig: { ...config, chat_template: { rag: 'x', tool_use: toolTemplate } } };
    await expect(conversationOf(tokenizer, unnamed)).rejects.toThrow(
      'chat templates rag, tool_use and none named default',
    );
  });

  it('may be written in the form of another family', async () => {
    const conversation = await withTemplate(
      toolTemplate
        .replace('\\n<tool_call>\\n{"name": "', '\\n<tool_call>\\n<function=')
        .replace('\'", "arguments": \'', "'>'")
        .replace("'}\\n</tool_call>'", "'</function>\\n</tool_call>'"),
    );
    const reply = conversation.reply(statement.sql, undefined, '', calls);
    expect(reply).toContain('<function=query>{"sql": ');
  });

  it('marks the texts of the world alone as such', async () => {
    const conversation = await withTemplate(toolTemplate);
    for (const { tokens, source } of [
      conversation.prompt('Goal', 'Do it.', '', calls),
      conversation.observation('Goal', calls),
    ]) {
      const world = tokens.filter((_, i) => source[i] === TokenSource.world);
      expect(tokenizer.exactText(world, { special: true })).toBe('Goal');
    }
  });

  it('writes an action that is no call as it is', async () => {
    const conversation = await withTemplate(toolTemplate);
    expect(conversation.reply('dance', undefined, '', calls)).toBe('dance');
  });

  it('leaves conversations without calls as they are', async () => {
    const [own, plain] = [await withTemplate(toolTemplate), await withTemplate(config.chat_template)];
    expect(own.observation('Goal').tokens).toEqual(plain.observation('Goal').tokens);
    expect(own.reply('look')).toBe(plain.reply('look'));
  });

  it.each([
    ['lists no tools', config.chat_template, /does not write|instead of once|not list/],
    [
      'writes calls in another form',
      toolTemplate.replace('<tool_call>\\n{"name": "', '<call name="').replace('", "arguments": ', '">'),
      /worlds read calls as JSON/,
    ],
    [
      'changes results',
      toolTemplate.replace(
        "message.content + '\\n</tool_response>",
        "(message.content | tojson) + '\\n</tool_response>",
      ),
      /changes the whitespace/,
    ],
  ])('is refused for a template that %s', async (_, template, reason) => {
    const conversation = await withTemplate(template);
    expect(() => conversation.prompt('Goal', 'Do it.', '', calls)).toThrow(reason);
  });
});

it.each(
  rowsHere([
    ['tools-todo', 8],
    ['tools-table', 8],
    ['sql', 4],
  ] as const),
)('%s reads the calls of its oracle', async (name, count) => {
  const world = await openWorld(name);
  const options = { calls: true, instances: 1, testInstances: 1 };
  const tasks = (await world.tasks(options, 'train')).slice(0, count);
  const conversation = await withTemplate(toolTemplate);
  for (const task of tasks) {
    const { reply = (text) => ({ action: text }), calls: own, ...rules } = promptRulesOf(world.describe(), task);
    await world.reset([0], [task]);
    let reward = 0;
    for (const action of (await world.oracle([0]))[0]!) {
      const said = conversation.reply(action, rules.writeReply, '', own);
      expect(said).toContain('<tool_call>');
      const [answer] = await world.step([0], [reply(said).action]);
      expect(answer.valid).toBe(true);
      reward = answer.reward;
    }
    expect(reward).toBe(rules.successReward);
  }
  await world.close();
});
