/** Containment. The contents of an object are a list in uuid order. */
import { C_InclinedPlane } from './tables/ids';
import { DELETED, Obj, isNil } from './object';
import { at, parentOf, ref } from './arena';
import { disconnect } from './terminals';

export function append(container: Obj, o: Obj): void {
  o.parent = ref(container);
  let after = at(container.last);
  while (!isNil(after) && after.uuid > o.uuid) after = at(after.prev);
  if (isNil(after)) {
    o.prev = 0;
    o.next = container.first;
    container.first = ref(o);
  } else {
    o.prev = ref(after);
    o.next = after.next;
    after.next = ref(o);
  }
  if (o.next != 0) at(o.next).prev = ref(o);
  else container.last = ref(o);
}

export function detach(o: Obj): void {
  if (o.parent == 0) return;
  const container = at(o.parent);
  if (o.prev != 0) at(o.prev).next = o.next;
  else container.first = o.next;
  if (o.next != 0) at(o.next).prev = o.prev;
  else container.last = o.prev;
  o.parent = 0;
  o.next = 0;
  o.prev = 0;
}

/** Moves an object into a container, at its place in uuid order. */
export function add(container: Obj, o: Obj): void {
  if (changetype<usize>(container) == changetype<usize>(o)) return;
  detach(o);
  append(container, o);
  if (container.cls == C_InclinedPlane) o.place = 1.0;
}

export function expelContents(o: Obj, to: Obj): void {
  while (o.first != 0) add(to, at(o.first));
}

export function remove(o: Obj, expel: bool): void {
  if (expel && o.parent != 0) expelContents(o, parentOf(o));
  disconnect(o);
  detach(o);
  o.flags |= DELETED;
}
