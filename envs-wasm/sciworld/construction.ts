/** Makes new objects as the constructors of their classes do, each with its two terminals. */
import {
  C_Anode, C_Cathode, C_Terminal, F_PolarizedElectricalComponent, F_UnpolarizedElectricalComponent, S_anode,
  S_cathode, S_terminal_1, S_terminal_2, C_Ash,
} from './tables/ids';
import {
  ACTIVABLE, ACTIVE, BURNED, CLOSABLE, CONDUCTS, EDIBLE, HAS_CONTAINER, HAS_DEVICE, HIDDEN, IS_CONTAINER, MOVABLE,
  OPEN, Obj, POLARIZED, SIZE, TERMINAL, TERMINALS, USABLE,
} from './object';
import { CONDUCTIVE, START_STATE, TEMPERATURE, TICKS, classRecord, family, lifecycle, material } from './tables';
import { append } from './containment';
import { base, head } from './arena';

function slot(uuid: i32, cls: i32, name: i32): Obj {
  // The caller made enough room: START_BYTES at the start, `ensureRoom` later.
  if (head.used + SIZE > head.capacity) unreachable();
  const o = changetype<Obj>(base + head.used);
  memory.fill(base + head.used, 0, SIZE);
  head.used += SIZE;
  o.uuid = uuid;
  o.cls = <u8>cls;
  o.name = <u16>name;
  return o;
}

function terminal(uuid: i32, cls: i32, name: i32, owner: Obj, hidden: bool): void {
  const t = slot(uuid, cls, name);
  t.flags = hidden ? HIDDEN | TERMINAL : TERMINAL;
  append(owner, t);
}

/**
 * Makes a new object with the next uuids, as the constructor of its class does, but without the parts of a composite.
 */
export function make(cls: i32): Obj {
  const bits = family(cls);
  const uuid = head.uuid + (bits & F_PolarizedElectricalComponent ? 1 : 3);
  head.uuid += 3;
  return makeAs(cls, uuid);
}

/** Like `make`, with a given uuid: those of task objects come from the tables. */
export function makeAs(cls: i32, uuid: i32): Obj {
  const record = classRecord(cls);
  const bits = family(cls);
  const o = slot(uuid, cls, load<u16>(record));
  const mat = load<u8>(record + 2);
  if (mat != 0) setMaterial(o, mat);
  if (load<u8>(record + 3) & 2) o.flags |= EDIBLE;
  const container = load<u8>(record + 4);
  if (container) {
    o.flags |= HAS_CONTAINER;
    if (container & 1) o.flags |= IS_CONTAINER;
    if (container & 2) o.flags |= OPEN;
    if (container & 4) o.flags |= CLOSABLE;
  }
  const device = load<u8>(record + 5);
  if (device) {
    o.flags |= HAS_DEVICE;
    if (device & 1) o.flags |= ACTIVABLE;
    if (device & 2) o.flags |= ACTIVE;
    if (device & 4) o.flags |= USABLE;
  }
  if (load<u8>(record + 6) & 1) o.flags |= MOVABLE;
  if (lifecycle(cls)) o.stage = load<u8>(record + 13);
  if (bits & F_PolarizedElectricalComponent) {
    o.flags |= POLARIZED;
    terminal(uuid + 1, C_Anode, S_anode, o, false);
    terminal(uuid + 2, C_Cathode, S_cathode, o, false);
  } else {
    o.flags |= TERMINALS;
    const hidden = (bits & F_UnpolarizedElectricalComponent) == 0;
    terminal(uuid - 2, C_Terminal, S_terminal_1, o, hidden);
    terminal(uuid - 1, C_Terminal, S_terminal_2, o, hidden);
  }
  return o;
}

export function setMaterial(o: Obj, mat: i32): void {
  const m = material(mat);
  o.mat = <u8>mat;
  o.temperature = load<f64>(m + TEMPERATURE);
  o.state = load<u8>(m + START_STATE);
  o.burnTicks = load<u16>(m + TICKS);
  if (load<u8>(m + CONDUCTIVE)) o.flags |= CONDUCTS;
  if (o.cls == C_Ash) o.flags |= BURNED;
}
