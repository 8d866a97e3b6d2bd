/** A class in the local network: its board, its messages, its certificate, and the door of its server. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { Board, ClassFull, NotInClass, stuckOf } from '../../src/classroom/together/board.ts';
import {
  type ClassReport,
  codeOf,
  joinSchema,
  reportedSchema,
  thinned,
} from '../../src/classroom/together/messages.ts';
import { reportOf } from '../../src/classroom/together/report.ts';
import { keptCertificate, newCertificate } from '../../src/cli/classroom/certificate.ts';
import { type ClassServer, createClassServer } from '../../src/cli/classroom/class-server.ts';
import { plainPage } from '../../src/cli/classroom/plain-page.ts';

const curveOf = (...values: number[]) => values.map((value, k): [number, number] => [k + 1, value]);
const report: ClassReport = { run: 'Maze', step: 3, steps: 9, status: 'running', curve: [], heldOut: [] };

describe('board', () => {
  const boardAt = (clock: { now: number }) => {
    let secrets = 0;
    return new Board(
      () => `secret-${++secrets}`,
      () => clock.now,
    );
  };

  it('numbers equal names, shows reports, keeps the curve of who leaves and forgets who is removed', () => {
    const clock = { now: 0 };
    const board = boardAt(clock);
    const [li, other] = [board.join('Li'), board.join('Li')];
    expect([li.name, other.name]).toEqual(['Li', 'Li (2)']);
    board.report(li.secret, report);
    clock.now = 80_000;
    board.report(other.secret, null);
    clock.now = 100_000;
    expect(board.view().map(({ name, away, report: each }) => [name, away, each?.step])).toEqual([
      ['Li', true, 3],
      ['Li (2)', false, undefined],
    ]);
    board.leave(other.secret);
    expect(board.view()[1].away).toBe(true);
    board.remove(li.id);
    expect(() => board.report(li.secret, report)).toThrow(NotInClass);
    expect(board.size).toBe(1);
  });

  it('is full at 60; whoever left makes room', () => {
    const board = boardAt({ now: 0 });
    const joined = Array.from({ length: 60 }, (_, k) => board.join(`p${k}`));
    expect(() => board.join('one more')).toThrow(ClassFull);
    board.leave(joined[7].secret);
    board.join('one more');
    expect(board.view().some(({ name }) => name === 'p7')).toBe(false);
  });

  it('names runs that failed or do not rise', () => {
    const level = Array<number>(20).fill(0.3);
    expect(stuckOf({ ...report, curve: curveOf(...level) })).toBe('flat');
    expect(stuckOf({ ...report, curve: curveOf(...level.slice(1)) })).toBeNull();
    expect(stuckOf({ ...report, curve: curveOf(...level.map((value, k) => value + k / 50)) })).toBeNull();
    expect(stuckOf({ ...report, curve: curveOf(...level.map(() => 0.95)) })).toBeNull();
    expect(stuckOf({ ...report, status: 'failed' })).toBe('failed');
  });
});

describe('messages', () => {
  const secret = 'a'.repeat(32);
  it('are bounded', () => {
    const refused = [
      { ...report, step: -1 },
      { ...report, curve: [[1, 2]] },
      {
        ...report,
        curve: [
          [2, 0.5],
          [1, 0.5],
        ],
      },
      { ...report, curve: curveOf(...Array<number>(201).fill(0)) },
      { ...report, run: 'a\nb' },
      { ...report, more: 1 },
      { ...report, heldOut: [[1, Number.NaN, 0, 1]] },
    ];
    for (const each of refused) expect(v.safeParse(reportedSchema, { secret, report: each }).success).toBe(false);
    expect(v.safeParse(reportedSchema, { secret, report }).success).toBe(true);
    for (const name of ['', ' ', 'a'.repeat(41), 'a\u202Eb', 'a\u0000'])
      expect(v.safeParse(joinSchema, { name }).success, JSON.stringify(name)).toBe(false);
    expect(v.parse(joinSchema, { name: ' 李 ' }).name).toBe('李');
    expect(codeOf(' k7qm-3txr ')).toBe('K7QM3TXR');
  });

  it('of a long run hold 200 points, the last included, and pass the bounds', () => {
    expect(thinned(Array.from({ length: 1001 }, (_, k) => k)).at(-1)).toBe(1000);
    const test = { policy: { successes: 1, episodes: 4, rate: 0.25, low: 0.05, high: 0.7 } };
    const records = Array.from({ length: 1001 }, (_, step) => ({
      ...{ step, stage: 1, metrics: { success: step ? step / 1000 : Number.NaN } },
      ...(step % 3 === 0 && { evaluation: { train: test, test } as never }),
    }));
    const made = reportOf({ name: 'a\nb', steps: 1000, status: 'running' }, records);
    expect(v.safeParse(reportedSchema, { secret, report: made }).success).toBe(true);
    expect(made.curve.at(-1)).toEqual([1000, 1]);
    expect(made.heldOut.at(-1)).toEqual([999, 0.25, 0.05, 0.7]);
  });
});

describe('certificate', () => {
  it('is signed by its own key and holds for its names only', async () => {
    const { cert } = await newCertificate(['localhost', '192.0.2.2', 'fd00::2', '127.0.0.1']);
    const parsed = new X509Certificate(cert);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.ca).toBe(false);
    expect(parsed.subjectAltName).toBe(
      'DNS:localhost, IP Address:192.0.2.2, IP Address:FD00:0:0:0:0:0:0:2, IP Address:127.0.0.1',
    );
    expect(parsed.checkIP('192.0.2.3')).toBeUndefined();
    const days = (new Date(parsed.validTo).getTime() - new Date(parsed.validFrom).getTime()) / 86_400_000;
    expect(days).toBeLessThan(398);
  });

  it('is kept for the next class, and made anew for another address or when it ends', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'tabgym-')), 'kept');
    const first = await keptCertificate(folder, ['192.0.2.2']);
    expect(await keptCertificate(folder, ['192.0.2.2'])).toEqual(first);
    expect(statSync(join(folder, 'key.pem')).mode & 0o077).toBe(0);
    expect(await keptCertificate(folder, ['192.0.2.2'], new Date(Date.now() + 175 * 86_400_000))).not.toEqual(first);
    const other = await keptCertificate(folder, ['192.0.2.9']);
    expect(readFileSync(join(folder, 'certificate.pem'), 'utf8')).toBe(other.cert);
  });
});

describe('server of a class', () => {
  let server: ClassServer;
  afterEach(() => server?.close());
  const code = 'K7QM3TXR';
  const start = (more: object = {}) => {
    const options = { title: 'Class', code, teacherKey: 'teacher-key-of-the-class', page: null };
    const door = { host: '0.0.0.0', hosts: [] };
    server = createClassServer({ ...options, door, report: () => {}, ...more });
    return server;
  };
  const call = (method: 'GET' | 'POST', path: string, payload?: object, headers: object = {}) =>
    server.app.inject({
      ...{ method, url: `/class/${path}`, payload },
      headers: { host: 'localhost', authorization: `Bearer ${code}`, ...headers },
    });

  it('shows on the board what members report, and removes only for the teacher', async () => {
    start();
    const { secret, id, name } = (await call('POST', 'join', { name: 'Li' })).json();
    expect(name).toBe('Li');
    expect((await call('POST', 'report', { secret, report })).statusCode).toBe(200);
    const { members } = (await call('GET', 'board')).json();
    expect(members).toEqual([{ id, name: 'Li', away: false, stuck: null, report }]);
    expect((await call('GET', 'board')).body).not.toContain(secret);
    expect((await call('POST', 'remove', { id })).json().type).toBe('NotTheTeacher');
    const key = { 'x-teacher-key': 'teacher-key-of-the-class' };
    expect((await call('POST', 'remove', { id }, key)).statusCode).toBe(200);
    expect((await call('POST', 'report', { secret, report })).json().type).toBe('NotInClass');
  });

  it('refuses wrong codes, foreign hosts and pages, other types and large bodies by name', async () => {
    start();
    const own = { origin: 'https://localhost:7', host: 'localhost:7' };
    expect((await call('GET', 'board', undefined, own)).statusCode).toBe(200);
    expect((await call('GET', 'board', undefined, { authorization: '' })).json().type).toBe('WrongToken');
    expect((await call('GET', 'board', undefined, { authorization: 'Bearer K7QM3TXS' })).json().type).toBe(
      'WrongToken',
    );
    expect((await call('GET', 'board', undefined, { host: 'evil.example' })).json().type).toBe('ForeignHost');
    expect((await call('GET', 'board', undefined, { origin: 'https://evil.example' })).json().type).toBe('ForeignPage');
    const plain = { 'content-type': 'text/plain' };
    expect((await call('POST', 'join', undefined, { ...plain, 'content-length': '2' })).statusCode).toBe(415);
    expect((await call('POST', 'join', { name: 'a'.repeat(70_000) })).statusCode).toBe(413);
    expect((await call('POST', 'join', { name: '' })).json().type).toBe('BadMessage');
    expect((await call('GET', '../class/board', undefined, { authorization: '' })).statusCode).toBe(403);
    expect(server.board.size).toBe(0);
  });

  it('serves the page with the headers that isolate it, and nothing beside its files', async () => {
    const page = mkdtempSync(join(tmpdir(), 'tabgym-page-'));
    mkdirSync(join(page, 'assets'));
    writeFileSync(join(page, 'index.html'), '<p>page</p>');
    writeFileSync(join(page, 'assets', 'a.js'), '1');
    start({ page });
    const get = (url: string) => server.app.inject({ url, headers: { host: '127.0.0.1' } });
    const root = await get('/');
    expect(root.body).toBe('<p>page</p>');
    expect(root.headers['cross-origin-embedder-policy']).toBe('require-corp');
    expect((await get('/assets/a.js')).headers['content-type']).toMatch('text/javascript');
    for (const url of ['/..%2f..%2fetc/passwd', '/assets/..%2findex.htm', '/assets', '/-/wrong-token'])
      expect((await get(url)).statusCode, url).not.toBe(200);
    rmSync(page, { recursive: true });
    expect((await get('/assets/a.js')).body).toBe('1');
  });

  it('listens with its certificate', async () => {
    const certificate = await newCertificate(['localhost', '127.0.0.1']);
    start({ certificate });
    const address = await server.app.listen({ port: 0, host: '127.0.0.1' });
    const status = await new Promise((resolve, reject) => {
      const asked = request(
        `${address}/class/info`,
        { ca: certificate.cert, headers: { authorization: `Bearer ${code}` } },
        (response) => resolve(response.statusCode),
      );
      asked.on('error', reject).end();
    });
    expect(status).toBe(200);
  });

  it('explains the secure address at the plain one, with the host escaped', () => {
    expect(plainPage('192.0.2.2:36480', 36443)).toContain('href="https://192.0.2.2:36443/"');
    expect(plainPage('"><script>', 1)).not.toContain('<script>');
  });
});
