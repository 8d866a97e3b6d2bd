/** Calls of the class's server, which served this page. Only the code, the typed name and the run's state are sent. */
import { msg, str } from '@lit/localize';
import type { BoardMember } from '../../classroom/together/board.ts';
import type { ClassReport } from '../../classroom/together/messages.ts';

/** The server refused a call, in a sentence. */
export class ClassRefused extends Error {
  override name = 'ClassRefused';
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

export interface BoardView {
  title: string;
  members: BoardMember[];
}

const texts = (): { [type: string]: string } => ({
  WrongToken: msg('The code is wrong. Type it as the board shows it.'),
  TooManyGuesses: msg('Too many wrong codes came from this machine. Wait a minute and try again.'),
  ClassFull: msg('This class is full: the teacher must remove a name first.'),
  NotInClass: msg('The teacher removed this name, or started the class anew. Join again.'),
  NotTheTeacher: msg('Only the board with the teacher’s key can do this.'),
});

export class ClassClient {
  constructor(
    readonly code: string,
    private readonly key: string | null = null,
  ) {}

  private async call<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(new URL(`class/${path}`, document.baseURI), {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${this.code}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(this.key && { 'x-teacher-key': this.key }),
      },
      ...(body && { body: JSON.stringify(body) }),
      cache: 'no-store',
    });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    if (!isJson)
      throw new ClassRefused(
        msg('No class is served at this address. Open the address that the teacher’s machine prints.'),
        404,
      );
    const answer = await response.json();
    if (response.ok) return answer as T;
    const { type = '', detail = '' } = answer as { type?: string; detail?: string };
    throw new ClassRefused(texts()[type] ?? msg(str`The class’s server refused: ${detail}`), response.status);
  }

  info = () => this.call<{ title: string; members: number }>('info');
  board = () => this.call<BoardView>('board');
  join = (name: string) => this.call<{ secret: string; name: string }>('join', { name });
  report = (secret: string, report: ClassReport | null) => this.call<object>('report', { secret, report });
  leave = (secret: string) => this.call<object>('leave', { secret });
  remove = (id: number) => this.call<object>('remove', { id });
}
