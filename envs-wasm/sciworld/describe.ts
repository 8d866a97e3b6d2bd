/** The printers: names, cursory (0) and detailed (1) descriptions, lists. */
import { ACTIVE, BURNED, BURNING, DEAD, DELETED, HIDDEN, NIL, OPEN, Obj, SICK, has, isNil, isOf } from './object';
import { at, head, ref, portal } from './arena';
import { listOrder, stack } from './list';
import { ownerOf, terminal1, terminal2 } from './terminals';
import {
  artist, book, family, lifecycle, lifeform, plantName, prefix, putString, stageString, stringAt, stringLength,
  subject,
} from './tables';
import { byte, bytes, compare, integer, out, put, redirect, rounded, scratch, same as sameBytes } from './text';
import { farSide, hasPortal, nextPortal, visibleCount } from './search';
import { flowerTraits, plantKind, seedTraits, grownTraits } from './genetics';
import * as I from './tables/ids';

// ---- names -------------------------------------------------------------------------------------------------------------

/** The original's getDescriptName. */
export function putName(o: Obj): void {
  if (isOf(o, I.F_Animal)) return putCanonical(o);
  if (isOf(o, I.F_Portal)) {
    put('door between ');
    putString(at(o.a).name);
    put(' and ');
    return putString(at(o.b).name);
  }
  if (o.mat != 0 && has(o, BURNED) && !has(o, BURNING)) put('burned ');
  putString(o.name);
  if (o.cls == I.C_InclinedPlane) putPlane(o);
  if (has(o, BURNING)) put(' (on fire)');
}

function putPlane(o: Obj): void {
  if (o.a != 0) {
    byte(32);
    putString(o.a);
  }
  if (o.b == 0) return;
  put(' with a ');
  putString(o.b);
  put(' surface');
}

function ownStageName(o: Obj): i32 {
  const cycle = lifecycle(o.cls);
  if (cycle == 4) {
    if (o.stage == I.STAGE_egg) return I.S_frog_egg;
    if (o.stage == I.STAGE_tadpole) return I.S_tadpole;
    if (o.stage == I.STAGE_adult) return I.S_adult_frog;
    return I.S_dead_frog;
  }
  if (cycle == 5) {
    if (o.stage == I.STAGE_egg) return I.S_butterfly_egg;
    if (o.stage == I.STAGE_caterpillar) return I.S_caterpillar;
    if (o.stage == I.STAGE_pupa) return I.S_butterfly_pupa;
    if (o.stage == I.STAGE_adult) return I.S_adult_butterfly;
    return I.S_dead_butterfly;
  }
  return 0;
}

export function putCanonical(o: Obj): void {
  const own = ownStageName(o);
  if (own != 0) return putString(own);
  if (o.stage == I.STAGE_egg) {
    putString(lifeform(o.cls));
    return put(' egg');
  }
  putString(stageString(o.stage));
  byte(32);
  putString(lifeform(o.cls));
}

/** Is the described name its raw one. */
export function isPlain(o: Obj): bool {
  return !has(o, BURNED | BURNING) && o.cls != I.C_InclinedPlane && !isOf(o, I.F_Animal | I.F_Portal);
}

/** Is the described name of `o` the string `id`? (Equal strings have one id.) */
export function isNamed(o: Obj, id: i32): bool {
  if (has(o, DELETED)) return false;
  if (isPlain(o)) return o.name == id;
  if (isOf(o, I.F_Portal) && load<u32>(stringAt(id)) != DOOR) return false;
  const before = redirect(scratch);
  const from = out.length;
  putName(o);
  const same = out.length - from == stringLength(id) && sameBytes(out.start + from, stringAt(id), stringLength(id));
  out.length = from;
  redirect(before);
  return same;
}

/** The bytes of "door". */
const DOOR: u32 = 0x726f6f64;

/** Raw name or described name. */
export function answersTo(o: Obj, id: i32): bool {
  return (o.name == id && !has(o, DELETED)) || isNamed(o, id);
}

// ---- lists ----------------------------------------------------------------------------------------------------------------

/** Pushes the visible contents (and portals) of `o` on the stack, sorted by name and uuid; returns how many. */
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

/** Descriptions of a room's portals: a set (duplicates merge), sorted as strings. */
export function portalList(room: Obj): void {
  const before = redirect(scratch);
  const from = out.length;
  const firstMark = marks.length;
  for (let i = nextPortal(room, 0); i < head.portals; i = nextPortal(room, i + 1)) {
    marks.push(out.length);
    describePortal(portal(i), room);
  }
  const n = marks.length - firstMark;
  marks.push(out.length);
  redirect(before);
  if (n == 0) put('\tnothing');
  let last = -1;
  for (let k = 0; k < n; k++) {
    let best = -1;
    for (let i = 0; i < n; i++) {
      if (last >= 0 && orderOf(firstMark, i, last) <= 0) continue;
      if (best < 0 || orderOf(firstMark, i, best) < 0) best = i;
    }
    if (best < 0) break;
    last = best;
    byte(9);
    const start = marks[firstMark + best];
    bytes(scratch.start + start, marks[firstMark + best + 1] - start);
    byte(10);
  }
  marks.length = firstMark;
  scratch.length = from;
}

const marks: Array<i32> = new Array<i32>();

function orderOf(first: i32, i: i32, j: i32): i32 {
  const a = marks[first + i];
  const b = marks[first + j];
  return compare(scratch.start + a, marks[first + i + 1] - a, scratch.start + b, marks[first + j + 1] - b);
}

// ---- descriptions -----------------------------------------------------------------------------------------------------------

function onOff(o: Obj): void {
  put(has(o, ACTIVE) ? 'on' : 'off');
}

function openClosed(o: Obj): void {
  put(has(o, OPEN) ? 'open' : 'closed');
}

function aName(o: Obj): void {
  put('a ');
  putName(o);
}

function describePortal(p: Obj, from: Obj): void {
  if (p.cls == I.C_LiquidDrain) {
    put('A drain, which is ');
    return openClosed(p);
  }
  const offset = ref(from);
  if (offset != 0 && (p.a == offset || p.b == offset)) {
    put('A door to the ');
    putString(farSide(p, from).name);
  } else {
    put('A door that connects the ');
    putString(at(p.a).name);
    put(' to the ');
    putString(at(p.b).name);
  }
  put(' (that is ');
  openClosed(p);
  byte(41);
}

/** "In the X is: ", then the contents: inline when cursory, a line each when detailed. */
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

/** What a terminal belongs to, told as gone where it is: burned things and eaten flowers leave their terminals behind. */
export function putOwner(t: Obj): void {
  const owner = ownerOf(t);
  putString(owner.name);
  if (has(owner, DELETED)) put(' (deleted)');
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

/** A plant's name by stage: seed, tree or plant of its kind, itself told as burning or burned. */
export function plantNameId(o: Obj): i32 {
  const kind = o.stage == I.STAGE_seed ? 0 : isOf(o, I.F_FruitingTree) ? 1 : 2;
  const form = has(o, BURNING) ? 2 : has(o, BURNED) ? 1 : 0;
  return plantName(form, kind, lifeform(o.cls));
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

function describeDocument(o: Obj): void {
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

export function bookField(o: Obj, field: i32): i32 {
  for (let i = 0; i < 6; i++) if (book(i, 0) == o.cls) return book(i, field);
  return 0;
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

/** A colour told before the name goes inside "burned ...": "a burned orange apricot". */
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

/** `from`: where it is seen from (a door reads differently from its two rooms). */
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

/** Text of `read X` for a document. */
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
