/** The two terminals of an object, and the wires between terminals. */
import { C_Cathode, S_terminal_2 } from './tables/ids';
import { NIL, Obj, POLARIZED, SIZE, TERMINALS, has, isNil } from './object';
import { at, ref } from './arena';

/** The two terminals of an object, which follow it in the arena; nil for a terminal itself. */
export function terminal1(o: Obj): Obj {
  return has(o, TERMINALS | POLARIZED) ? changetype<Obj>(changetype<usize>(o) + SIZE) : NIL;
}

export function terminal2(o: Obj): Obj {
  return has(o, TERMINALS | POLARIZED) ? changetype<Obj>(changetype<usize>(o) + 2 * SIZE) : NIL;
}

/**
 * True if an object contains only its own two terminals, which have consecutive uuids. Checked without visiting them.
 */
// @ts-ignore: decorator
@inline
export function isBare(o: Obj): bool {
  const one = ref(o) + SIZE;
  return o.first == one && o.last == one + SIZE;
}

/** The object to which a terminal belongs, wherever the terminal is. */
export function ownerOf(t: Obj): Obj {
  const second = t.cls == C_Cathode || t.name == S_terminal_2;
  return changetype<Obj>(changetype<usize>(t) - (second ? 2 * SIZE : SIZE));
}

export function isConnected(o: Obj): bool {
  const one = terminal1(o);
  return !isNil(one) && (one.wire != 0 || terminal2(o).wire != 0);
}

export function disconnect(o: Obj): void {
  unwire(terminal1(o));
  unwire(terminal2(o));
}

function unwire(t: Obj): void {
  if (isNil(t) || t.wire == 0) return;
  at(t.wire).wire = 0;
  t.wire = 0;
}
