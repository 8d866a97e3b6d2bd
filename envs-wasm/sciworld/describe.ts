/** Descriptions, cursory (0) and detailed (1), and lists of contents. */
import { ACTIVE, BURNED, BURNING, DEAD, HIDDEN, NIL, OPEN, Obj, SICK, has, isNil } from './object';
import { at, head, portal } from './arena';
import { listOrder, stack } from './list';
import { terminal1, terminal2 } from './terminals';
import { artist, family, lifeform, prefix, putString, stageString, subject } from './tables';
import { byte, integer, put, rounded } from './text';
import { hasPortal, nextPortal, visibleCount } from './search';
import { flowerTraits, plantKind, seedTraits, grownTraits } from './genetics';
import { describeDocument } from './documents';
import { describePortal, openClosed, portalList } from './portals';
import { plantNameId, putName, putOwner } from './names';
import * as I from './tables/ids';

// ---- lists ----------------------------------------------------------------------------------------------------------------

/** Pushes the visible contents (and portals) of `o` on the stack, sorted by name and uuid; returns their number. */
export function pushSorted(o: Obj, portals: bool): i32 {
  const from = stack.length;
  for (let c = at(o.first); !isNil(c); c = at(c.next)) if (!has(c, HIDDEN)) insert(c, from);
  if (portals && hasPortal(o)) for (let i = nextPortal(o, 0); i < head.portals; i = nextPortal(o, i + 1)) insert(portal(i), from);
  return stack.length - from;
}

function insert(o: Obj, from: i32): void {
  stack.push(o);
  let j = stack.length - 1;
  for (; j > from && listOrder(stack.get(j - 1), o) > 0; j--) stack.put(j, stack.get(j - 1));
  stack.put(j, o);
}

export function list(o: Obj, multiline: bool, mode: i32, portals: bool): void {
  const from = stack.length;
  const n = pushSorted(o, portals);
  if (n == 0) put(multiline ? '\tnothing' : 'nothing');
  for (let i = 0; i < n; i++) {
    if (multiline) byte(9);
    else if (i > 0) put(', ');
    describe(stack.get(from + i), mode, o);
    if (multiline) byte(10);
  }
  stack.length = from;
}

// ---- descriptions -----------------------------------------------------------------------------------------------------------

function onOff(o: Obj): void {
  put(has(o, ACTIVE) ? 'on' : 'off');
}

function aName(o: Obj): void {
  put('a ');
  putName(o);
}

/** Writes "In the X is: " and the contents: inline if cursory, one per line if detailed. */
function inOn(preposition: string, o: Obj, mode: i32, portals: bool): void {
  put(preposition);
  putName(o);
  put(' is: ');
  if (mode == 0) {
    list(o, false, 0, portals);
    return byte(46);
  }
  byte(10);
  list(o, true, 0, portals);
}

function doorIs(o: Obj): void {
  put('The ');
  putName(o);
  put(' door is ');
  openClosed(o);
  put('. ');
}

function describeRoom(o: Obj): void {
  put(o.cls == I.C_Outside ? 'This outside location is called the ' : 'This room is called the ');
  putName(o);
  put(o.cls == I.C_Outside ? '. Here you see: \n' : '. In it, you see: \n');
  list(o, true, 0, false);
  put('You also see:\n');
  portalList(o);
}

function turned(o: Obj): void {
  put(', which is turned ');
  onOff(o);
}

function describeBasin(o: Obj, mode: i32): void {
  aName(o);
  turned(o);
  put('. ');
  inOn('In the ', o, 0, false);
  if (mode == 0) return;
  for (let i = nextPortal(o, 0); i < head.portals; i = nextPortal(o, i + 1)) {
    put(' The drain is ');
    openClosed(portal(i));
    byte(46);
  }
}

function connection(t: Obj): void {
  if (isNil(t) || t.wire == 0) return put('nothing');
  describe(at(t.wire), 0, NIL);
}

function connections(o: Obj, first: string, second: string): void {
  put('its ');
  put(first);
  put(' is connected to: ');
  connection(terminal1(o));
  put('. its ');
  put(second);
  put(' is connected to: ');
  connection(terminal2(o));
  put('. ');
}

function describePolarized(o: Obj, mode: i32): void {
  aName(o);
  if (o.cls == I.C_PolarizedElectricalComponent) put('. ');
  else if (o.cls != I.C_Battery) {
    put(', which is ');
    onOff(o);
  }
  if (mode == 0) return;
  put(o.cls == I.C_PolarizedElectricalComponent ? '' : '. ');
  connections(o, 'anode', 'cathode');
}

function describeTerminal(o: Obj, mode: i32): void {
  aName(o);
  if (mode == 0) {
    put(' on ');
    return putOwner(o);
  }
  put('.  it is connected to: ');
  connection1(o);
  put('. ');
}

function connection1(t: Obj): void {
  if (t.wire == 0) put('nothing');
  else describe(at(t.wire), 0, NIL);
}

function unwell(o: Obj): void {
  if (has(o, SICK)) put(' (that looks unwell)');
}

function describeAnimal(o: Obj, mode: i32): void {
  put(o.cls == I.C_Bee && has(o, DEAD) ? 'a dead ' : 'a ');
  putName(o);
  if (has(o, DEAD)) return;
  unwell(o);
  if (o.cls == I.C_Bee && mode == 1)
    for (let c = at(o.first); !isNil(c); c = at(c.next))
      if (c.cls == I.C_Pollen) return put(', that is covered in pollen');
}

function describePlant(o: Obj): void {
  const name = plantNameId(o);
  put('a ');
  if (has(o, DEAD)) {
    put('dead ');
    return putString(name);
  }
  if (o.stage == I.STAGE_seed) {
    if (plantKind(o) != 0) {
      seedTraits(o);
      byte(32);
    }
    return putString(name);
  }
  putString(name);
  put(' in the ');
  putString(stageString(o.stage));
  put(' stage');
  grownTraits(o);
  unwell(o);
  if (visibleCount(o) == 0) return;
  put('. On the ');
  putString(name);
  put(' you see: ');
  list(o, false, 0, false);
  put('. ');
}

function describeFlower(o: Obj, mode: i32): void {
  put('a ');
  if (o.a > 0) put('wilting ');
  flowerTraits(at(o.b));
  putName(o);
  if (mode == 0) return;
  put('. Inside the flower is: ');
  list(o, false, 0, false);
}

function describePollen(o: Obj, mode: i32): void {
  if (mode == 1) putString(lifeform(at(o.b).cls));
  put('pollen');
}

function describePlane(o: Obj): void {
  put('an ');
  putName(o);
  const from = stack.length;
  const n = pushSorted(o, false);
  if (n > 0) put(', with: ');
  for (let i = 0; i < n; i++) {
    const c = stack.get(from + i);
    if (i > 0) byte(44);
    put(' a ');
    putName(c);
    if (c.place == 0) put(' at the bottom of the plane');
    else if (c.place >= 0.9900000095367432) put(' at the top of the plane');
    else {
      put(' approximately ');
      rounded(100.0 - 100.0 * c.place);
      put('% down the plane');
    }
  }
  stack.length = from;
}

function describePicture(o: Obj, mode: i32): void {
  aName(o);
  if (mode == 0) return;
  put(' of ');
  putString(subject(o.a));
  put('.  The artist is listed as ');
  putString(artist(o.b));
  put('. ');
}

function containing(o: Obj): void {
  aName(o);
  put(' (containing ');
  list(o, false, 0, true);
  byte(41);
}

function describeCold(o: Obj): void {
  aName(o);
  if (!has(o, ACTIVE)) put(', which is turned off');
  put('. ');
  doorIs(o);
  if (!has(o, OPEN)) return;
  inOn('In the ', o, 0, true);
}

function describeStopWatch(o: Obj, mode: i32): void {
  aName(o);
  put(has(o, ACTIVE) ? ', which is activated. ' : ', which is deactivated. ');
  if (mode == 0) return;
  put('The time reads ');
  integer(o.b);
  put(' ticks.');
}

function describeToilet(o: Obj): void {
  aName(o);
  if (o.a > 0) put(', which is flushing');
  put('. ');
  inOn('In the ', o, 0, true);
}

function describeDrawer(o: Obj, mode: i32): void {
  aName(o);
  if (mode == 0) return;
  put('. ');
  if (!has(o, OPEN)) {
    put(' The ');
    putName(o);
    return put(' is closed.');
  }
  inOn('In the ', o, 1, false);
}

/** The colour comes after "burned": "a burned orange apricot". */
function coloured(o: Obj): void {
  put(has(o, BURNING) ? 'a orange ' : 'a burned orange ');
  putString(o.name);
  if (has(o, BURNING)) put(' (on fire)');
}

function simple(o: Obj): void {
  if (o.cls == I.C_Apricot && has(o, BURNED)) return coloured(o);
  putString(prefix(o.cls));
  if (o.cls == I.C_UnknownSubstanceThermal || o.cls == I.C_UnknownSubstanceElectricalConductivity) return putString(o.name);
  putName(o);
}

/** Describes an object. `from` is the place from which it is seen: a door reads differently in its two rooms. */
export function describe(o: Obj, mode: i32, from: Obj): void {
  const bits = family(o.cls);
  if (bits & I.F_Portal) return describePortal(o, from);
  if (bits & I.F_Animal) return describeAnimal(o, mode);
  if (bits & I.F_Plant) return describePlant(o);
  if (bits & I.F_Terminal) return describeTerminal(o, mode);
  if (bits & I.F_PolarizedElectricalComponent) return describePolarized(o, mode);
  if (bits & I.F_UnpolarizedElectricalComponent) {
    aName(o);
    if (mode == 1) connections(o, 'terminal 1', 'terminal 2');
    return;
  }
  if (bits & I.F_Document) return describeDocument(o);
  switch (o.cls) {
    case I.C_Room:
    case I.C_Outside:
      return describeRoom(o);
    case I.C_Universe:
      put('A universe. In this Universe, you see: ');
      list(o, true, 0, false);
      return byte(46);
    case I.C_Agent:
      return put('the agent');
    case I.C_Counter:
    case I.C_Desk:
    case I.C_SteelTable:
    case I.C_WoodTable:
      aName(o);
      put('. ');
      return inOn('On the ', o, mode, false);
    case I.C_Chair:
    case I.C_Couch:
    case I.C_Bed:
    case I.C_Mattress:
    case I.C_Sittable:
      aName(o);
      put('. ');
      return inOn('On the ', o, 0, false);
    case I.C_Cupboard:
    case I.C_Closet:
    case I.C_BeeHive:
      aName(o);
      put('. ');
      doorIs(o);
      if (has(o, OPEN)) inOn('In the ', o, mode, false);
      return;
    case I.C_Drawer:
      return describeDrawer(o, mode);
    case I.C_Fridge:
    case I.C_Freezer:
    case I.C_UltraColdFreezer:
      return describeCold(o);
    case I.C_Oven:
    case I.C_BlastFurnace:
      aName(o);
      turned(o);
      put('. ');
      doorIs(o);
      if (has(o, OPEN)) inOn('In the ', o, mode, false);
      return;
    case I.C_Stove:
    case I.C_HotPlate:
      aName(o);
      turned(o);
      put('. ');
      return inOn('On the ', o, 0, false);
    case I.C_Sink:
    case I.C_Bathtub:
      return describeBasin(o, mode);
    case I.C_Toilet:
      return describeToilet(o);
    case I.C_StopWatch:
      return describeStopWatch(o, mode);
    case I.C_Thermometer:
      aName(o);
      put(', currently reading a temperature of ');
      rounded(o.temperature);
      return put(' degrees celsius');
    case I.C_Picture:
      return describePicture(o, mode);
    case I.C_Flower:
      return describeFlower(o, mode);
    case I.C_Pollen:
      return describePollen(o, mode);
    case I.C_InclinedPlane:
      return describePlane(o);
    case I.C_Ground:
      return put('the ground');
    case I.C_Soil:
      return put('soil');
    case I.C_Hole:
      return containing(o);
    default:
      break;
  }
  if (bits & I.F_Container) return containing(o);
  if (o.cls == I.C_FirePit || o.cls == I.C_Fountain) return containing(o);
  simple(o);
}
