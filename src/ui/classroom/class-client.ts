/** Calls of the class's server, which served this page, with refusals in the page's language. */
import { msg, str } from '@lit/localize';
import type { BoardMember } from '../../classroom/together/board.ts';
import { ClassHttp, ClassRefused } from '../../classroom/together/http-client.ts';
import type { ClassReport } from '../../classroom/together/messages.ts';

export interface BoardView {
  title: string;
  members: BoardMember[];
}

const texts = (): { [type: string]: string } => ({
  '': msg('No class is served at this address. Open the address that the teacher’s machine prints.'),
  WrongToken: msg('The code is wrong. Type it as the board shows it.'),
  TooManyGuesses: msg('Too many wrong codes came from this machine. Wait a minute and try again.'),
  ClassFull: msg('This class is full: the teacher must remove a name first.'),
  NotInClass: msg('The teacher removed this name, or started the class anew. Join again.'),
  NotTheTeacher: msg('Only the board with the teacher’s key can do this.'),
  MemberRefused: msg(
    'The trainer refused the episodes of this page: they did not follow from the world or the weights.',
  ),
});

/** Sentence for a failed call. */
export const refusalText = (error: unknown): string => {
  if ((error as Error).name === 'ClassSilent') return msg('The teacher’s machine does not answer.');
  const { type, message } = error as { type?: string; message: string };
  if (type === undefined) return message;
  return texts()[type] ?? msg(str`The class’s server refused: ${message}`);
};

export class ClassClient {
  private readonly http: ClassHttp;

  constructor(code: string, key: string | null = null) {
    this.http = new ClassHttp(document.baseURI, code, key);
  }

  private async call<T>(path: string, body?: object): Promise<T> {
    try {
      return await this.http.call<T>(path, body);
    } catch (error) {
      if (!(error instanceof ClassRefused)) throw error;
      throw new ClassRefused(refusalText(error), error.type, error.status);
    }
  }

  info = () => this.call<{ title: string; members: number; training: string | null }>('info');
  board = () => this.call<BoardView>('board');
  join = (name: string) => this.call<{ secret: string; name: string }>('join', { name });
  report = (secret: string, report: ClassReport | null) => this.call<object>('report', { secret, report });
  leave = (secret: string) => this.call<object>('leave', { secret });
  remove = (id: number) => this.call<object>('remove', { id });
}
