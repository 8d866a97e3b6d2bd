// Bodies as FastAPI 0.92 with pydantic 1.10 reads them. The expected answers are those of a FastAPI application with
// AgentGym's models (TextCraft's StepRequestBody: id int, action str), and of CPython 3.11's json.loads.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JsonDecodeError, JsonLimitError, MOST_DEPTH, parseJson } from '../../src/server/agentgym/json.ts';
import { jsonText } from '../../src/server/agentgym/json-bytes.ts';
import type { Server } from '../../src/server/server.ts';
import { startServer } from './helpers.ts';

const step = '{"id":0,"action":"inventory"}';
const littleEndian = (text: string) => Buffer.from(text, 'utf16le');
const bigEndian = (text: string) => littleEndian(text).swap16();
const utf32 = (text: string) => Buffer.from(Uint32Array.from([...text], (each) => each.codePointAt(0)!).buffer);

describe('the text of the bytes', () => {
  it.each([
    ['utf-8', Buffer.from(step)],
    ['utf-8 with a mark', Buffer.from(`\ufeff${step}`)],
    ['utf-16-le', littleEndian(step)],
    ['utf-16-le with a mark', littleEndian(`\ufeff${step}`)],
    ['utf-16-be', bigEndian(step)],
    ['utf-16-be with a mark', bigEndian(`\ufeff${step}`)],
    ['utf-32-le', utf32(step)],
    ['utf-32-le with a mark', utf32(`\ufeff${step}`)],
    ['utf-32-be', utf32(step).swap32()],
  ])('is found in %s', (_, bytes) => {
    expect(jsonText(bytes)).toBe(step);
  });
  it('may contain surrogates, and nothing else that is not text', () => {
    expect(jsonText(Buffer.from('22eda08022', 'hex'))).toBe('"\ud800"');
    for (const wrong of ['22e922', '22c08022', '22ff', '005b002200', '0000005b00110000'])
      expect(() => jsonText(Buffer.from(wrong, 'hex'))).toThrow(TypeError);
  });
});

describe('errors of JSON', () => {
  // python3.11: json.loads(text), str(error)
  it.each([
    ['', 'Expecting value: line 1 column 1 (char 0)'],
    ['{"id":0,}', 'Expecting property name enclosed in double quotes: line 1 column 9 (char 8)'],
    ['{"a"}', "Expecting ':' delimiter: line 1 column 5 (char 4)"],
    ['{"a":}', 'Expecting value: line 1 column 6 (char 5)'],
    ['[1 2]', "Expecting ',' delimiter: line 1 column 4 (char 3)"],
    ['{"id":00}', "Expecting ',' delimiter: line 1 column 8 (char 7)"],
    ['{"a":1}x', 'Extra data: line 1 column 8 (char 7)'],
    ['"abc', 'Unterminated string starting at: line 1 column 1 (char 0)'],
    ['"a\tb"', 'Invalid control character at: line 1 column 3 (char 2)'],
    ['["\\x"]', 'Invalid \\escape: line 1 column 3 (char 2)'],
    ['["\\u12g4"]', 'Invalid \\uXXXX escape: line 1 column 4 (char 3)'],
    ['"\\ud800', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
    ['[1\n,\n2\n x]', "Expecting ',' delimiter: line 4 column 2 (char 8)"],
    ['"é😀"I', 'Extra data: line 1 column 5 (char 4)'],
  ])('%j', (text, message) => {
    const read = () => parseJson(text);
    expect(read).toThrow(JsonDecodeError);
    expect(read).toThrow(expect.objectContaining({ message }));
  });
  it('are limits for depth and digits', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(MOST_DEPTH + 1))).toHaveLength(1);
    for (const text of [nested(MOST_DEPTH + 2), nested(400_000), '1'.repeat(4301), `-${'1'.repeat(4301)}`])
      expect(() => parseJson(text)).toThrow(JsonLimitError);
    expect(parseJson('1'.repeat(4300))).toBeDefined();
    expect(parseJson(`${'1'.repeat(4301)}.0`)).toBeDefined();
  });
});

describe('a served world', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer(['textcraft']);
    await send('{}', 'application/json', '/textcraft/create');
  });
  afterAll(() => server.close());

  async function send(payload: string | Buffer, type: string | null = 'application/json', url = '/textcraft/step') {
    const headers: { [name: string]: string } = type === null ? {} : { 'content-type': type };
    const { statusCode, body } = await server.app.inject({ method: 'POST', url, headers, payload });
    return { status: statusCode, json: JSON.parse(body) };
  }
  const detail = (loc: unknown[], msg: string, type: string, more: object = {}) => ({
    status: 422,
    json: { detail: [{ loc, msg, type, ...more }] },
  });
  const noObject = detail(['body'], 'value is not a valid dict', 'type_error.dict');
  const noInteger = detail(['body', 'id'], 'value is not a valid integer', 'type_error.integer');
  const noText = { status: 400, json: { detail: 'There was an error parsing the body' } };

  it.each([
    ['utf-16', littleEndian(`\ufeff${step}`)],
    ['utf-32', utf32(step)],
  ])('reads %s', async (_, body) => {
    expect((await send(body)).status).toBe(200);
  });
  it.each([
    [null, 200],
    ['', 200],
    ['application/json;', 200],
    ['application/vnd.api+json', 200],
    ['APPLICATION/JSON', 200],
    ['application', 422],
    ['application/json/x', 422],
    ['text/json', 422],
    [';', 422],
  ])('with the content type %j answers %d', async (type, status) => {
    const answer = await send(step, type);
    expect(answer.status).toBe(status);
    if (status === 422) expect(answer).toEqual(noObject);
  });
  it.each([
    ['{"id":0,"action":"inventory \xe9"}', noText, 'latin1'],
    [`{"id":${'1'.repeat(4301)},"action":"x"}`, noText],
    [`{"id":"${'1'.repeat(4301)}","action":"x"}`, noInteger],
    ['{"id":"\\ufeff0","action":"x"}', noInteger],
    ['{"id":"\\u001c0","action":"x"}', noInteger],
    ['{"id":"\\u00a00\\u001c","action":"x"}', noInteger],
    ['[[1,2]]', detail(['body'], 'keywords must be strings', 'type_error')],
    ['[[[1],2]]', noObject],
    ['"ab"', noObject],
    [
      '{"id":0,}',
      detail(
        ['body', 8],
        'Expecting property name enclosed in double quotes: line 1 column 9 (char 8)',
        'value_error.jsondecode',
        {
          ctx: {
            msg: 'Expecting property name enclosed in double quotes',
            doc: '{"id":0,}',
            pos: 8,
            lineno: 1,
            colno: 9,
          },
        },
      ),
    ],
  ])('answers %j as the original', async (body, answer, encoding = 'utf8') => {
    expect(await send(Buffer.from(body, encoding as BufferEncoding))).toEqual(answer);
  });
  it('reads pairs as dict() does', async () => {
    expect((await send('[["id",0],["action","inventory"]]')).status).toBe(200);
    const missing = (name: string) => ({ loc: ['body', name], msg: 'field required', type: 'value_error.missing' });
    expect((await send('["id","ac"]')).json).toEqual({ detail: [missing('id'), missing('action')] });
  });
  it('repeats at most 10,000 characters of a body', async () => {
    const { detail: problems } = (await send(`{"id":${' '.repeat(500_000)}`)).json as {
      detail: { ctx: { doc: string } }[];
    };
    expect(problems[0].ctx.doc).toBe(`{"id":${' '.repeat(9994)} [cut: it has 500006 characters]`);
  });
});
