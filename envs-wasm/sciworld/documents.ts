/** Books, recipes and papers: their descriptions, and the text of `read`. */
import { Obj, isOf } from './object';
import { book, putString } from './tables';
import { byte, put } from './text';
import { putName } from './names';
import * as I from './tables/ids';

export function bookField(o: Obj, field: i32): i32 {
  for (let i = 0; i < 6; i++) if (book(i, 0) == o.cls) return book(i, field);
  return 0;
}

export function describeDocument(o: Obj): void {
  put('A ');
  if (o.cls == I.C_Paper) put('blank ');
  putName(o);
  if (o.cls == I.C_Recipe) {
    put(' titled instructions to make ');
    putString(o.a);
  } else if (isOf(o, I.F_Book)) {
    put(' titled ');
    putString(bookField(o, 1));
    put(' by ');
    putString(bookField(o, 2));
  }
}

/** Writes the text of `read X` for a document. */
export function readDocument(o: Obj): void {
  if (o.cls == I.C_Recipe) {
    put('The recipe reads:\nTo make ');
    putString(o.a);
    put(', you need to mix ');
    putString(o.b);
    return byte(46);
  }
  if (!isOf(o, I.F_Book)) return put('The paper does not have any text on it.');
  put('The book reads:\n');
  putString(bookField(o, 1));
  put(' by ');
  putString(bookField(o, 2));
  byte(10);
  putString(bookField(o, 3));
}
