/**
 * Texts of the world: the original's grammar as output, and a brief form for tiny policies.
 *
 * All lists are in the order of ids. "There is nothing special" about a lamp that is off, and a lamp once used is always
 * turned "on": the original's grammar asks for facts that its planner never states.
 */
import { putBytes, putText } from '../shared/text';
import {
  CLEAN_IT, CLOSE, COOL_IT, EXAMINE_OBJECT, EXAMINE_RECEPTACLE, first, GO, HEAT_IT, HELP, INVENTORY, LOOK, OPEN, PUT,
  second, SLICE, TAKE, USE, verb,
} from './actions';
import {
  agentPlace, BRIEF, CLEAN, COOL, hasStyle, held, HOT, innerOf, inners, IS_RECEPTACLE, isHere, isInside, isLying,
  locationName, nameLength, namePointer, NONE, objectIs, objectName, objects, OPENABLE, OPENED, outerOf, placeOf,
  PUT_DIALECT, receptacleIs, receptacles, SLICED, stateOf, TOGGLEABLE, TOGGLED, wasRemoved,
} from './house';

export function putName(name: i32): void { putBytes(namePointer(name), nameLength(name)); }
function putObject(o: i32): void { putName(objectName(o)); }

// --- lists: "nothing", "a", "a, and b", "a, b, and c" -----------------------------------------------------------------

/** Names of the list at hand, and how many it has. */
const list = new StaticArray<i32>(65536);
let size: i32 = 0;

function add(name: i32): void { if (size < list.length) list[size++] = name; }

function putList(article: bool): void {
  if (size == 0) putText('nothing');
  const brief = hasStyle(BRIEF);
  for (let k = 0; k < size; k++) {
    if (k > 0) putText(k == size - 1 && !brief ? ', and ' : ', ');
    if (article && !brief) putText('a ');
    putName(list[k]);
  }
}

function putContents(r: i32): void {
  size = 0;
  for (let o = 0; o < objects; o++) if (isInside(o, r)) add(objectName(o));
  putList(true);
}

// --- the original's texts ----------------------------------------------------------------------------------------------

function putReceptacle(r: i32): void {
  const openable = receptacleIs(r, OPENABLE);
  const closed = openable && !receptacleIs(r, OPENED);
  if (hasStyle(BRIEF)) {
    putName(r);
    putText(closed ? ' closed' : ': ');
    if (!closed) putContents(r);
    return;
  }
  putText(openable ? 'The ' : 'On the ');
  putName(r);
  if (closed) { putText(' is closed.'); return; }
  putText(openable ? ' is open. In it, you see ' : ', you see ');
  putContents(r);
  putText('.');
}

/** Words for the state of an object: hot, cool and clean with "and" between, then sliced. */
function putStateWords(state: i32): void {
  const warmth = state & HOT ? 'hot' : 'cool';
  if (state & CLEAN && state & (HOT | COOL)) { putText(warmth); putText(' and clean'); }
  else if (state & CLEAN) putText('clean');
  else if (state & (HOT | COOL)) putText(state & SLICED || state & HOT ? warmth : 'cold');
  if (state & SLICED) putText(state & (CLEAN | HOT | COOL) ? ' sliced' : 'sliced');
}

function putExaminedObject(o: i32): void {
  const state = stateOf(o);
  if (objectIs(o, IS_RECEPTACLE)) {
    putText('This is a normal ');
    putObject(o);
    putText('. In it, you see ');
    size = 0;
    for (let k = 0; k < inners; k++) if (outerOf(k) == o) add(objectName(innerOf(k)));
    putList(true);
    putText('.');
  } else if (state & (CLEAN | HOT | COOL)) {
    putText('This is a ');
    putStateWords(state);
    putText(' ');
    putObject(o);
    putText('.');
  } else if (objectIs(o, TOGGLEABLE) && state & TOGGLED) {
    putText('This ');
    putObject(o);
    putText(' is on.');
  } else if (state & SLICED) {
    putText('This is a sliced ');
    putObject(o);
    putText('.');
  } else {
    putText("There's nothing special about ");
    putObject(o);
    putText('.');
  }
}

function putInventory(): void {
  if (held() == NONE) { putText('You are not carrying anything.'); return; }
  putText('You are carrying: a ');
  putObject(held());
  putText('.');
}

/** All receptacles that stand at a location, or at any if it is NONE. */
function listReceptacles(place: i32): void {
  size = 0;
  for (let r = 0; r < receptacles; r++)
    if (placeOf(r) != NONE && (place == NONE || placeOf(r) == place)) add(r);
}

/** Things beside the receptacles here: those that were taken out of one of them and lie in another. */
function listBeside(): void {
  size = 0;
  for (let o = 0; o < objects; o++) {
    if (!isLying(o, agentPlace())) continue;
    for (let r = 0; r < receptacles; r++) if (isHere(r) && wasRemoved(o, r)) add(objectName(o));
  }
}

/** Looks around. In the middle of a room, the first look lists everything and later ones nothing, as in the original. */
function putLook(opening: bool): void {
  listReceptacles(agentPlace());
  if (size > 0) {
    putText('You are facing the ');
    putList(false);
    putText('. Next to it, you see ');
    listBeside();
    putList(true);
  } else {
    putText('You are in the middle of a room. Looking quickly around you, you see ');
    if (opening) listReceptacles(NONE);
    putList(true);
  }
  putText('.');
}

const helpText: string =
  'Available commands:\n  look:                             look around your current location\n' +
  '  inventory:                        check your current inventory\n' +
  '  go to (receptacle):               move to a receptacle\n' +
  '  open (receptacle):                open a receptacle\n' +
  '  close (receptacle):               close a receptacle\n' +
  '  take (object) from (receptacle):  take an object from a receptacle\n' +
  '  move (object) to (receptacle):  place an object in or on a receptacle\n' +
  '  examine (something):              examine a receptacle or an object\n' +
  '  use (object):                     use an object\n' +
  '  heat (object) with (receptacle):  heat an object using a receptacle\n' +
  '  clean (object) with (receptacle): clean an object using a receptacle\n' +
  '  cool (object) with (receptacle):  cool an object using a receptacle\n' +
  '  slice (object) with (object):     slice an object using a sharp object\n';

function putBetween(before: string, o: i32, between: string, name: i32): void {
  putText(before);
  putObject(o);
  putText(between);
  putName(name);
  putText('.');
}

function putArrival(): void {
  putText('You arrive at ');
  putName(hasStyle(PUT_DIALECT) ? locationName(agentPlace()) : first);
  putText('. ');
  putReceptacle(first);
}

/** Writes the answer to the action at hand, after it was carried out. */
export function putAnswer(): void {
  if (hasStyle(BRIEF)) { putBriefAnswer(); return; }
  switch (verb) {
    case LOOK: putLook(false); return;
    case INVENTORY: putInventory(); return;
    case HELP: putText(helpText); return;
    case EXAMINE_RECEPTACLE: putReceptacle(first); return;
    case EXAMINE_OBJECT: putExaminedObject(first); return;
    case GO: putArrival(); return;
    case OPEN: putText('You open the '); putName(first); putText('. '); putReceptacle(first); return;
    case CLOSE: putText('You close the '); putName(first); putText('.'); return;
    case TAKE: putBetween('You pick up the ', first, ' from the ', second); return;
    case PUT:
      if (hasStyle(PUT_DIALECT)) putBetween('You put the ', first, ' in/on the ', second);
      else putBetween('You move the ', first, ' to the ', second);
      return;
    case CLEAN_IT: putBetween('You clean the ', first, ' using the ', second); return;
    case HEAT_IT: putBetween('You heat the ', first, ' using the ', second); return;
    case COOL_IT: putBetween('You cool the ', first, ' using the ', second); return;
    case USE: putText('You turn on the '); putObject(first); putText('.'); return;
    case SLICE: putBetween('You sliced the ', first, ' with the ', objectName(second)); return;
  }
}

export function putRefusal(): void { putText(hasStyle(BRIEF) ? 'nothing happens' : 'Nothing happens.'); }

/** Writes the first observation; the task's text is in the input after the house. */
export function putOpening(task: usize, length: i32): void {
  if (hasStyle(BRIEF)) {
    putText('task: ');
    putBytes(task, length);
    putText('\nplaces: ');
    listReceptacles(NONE);
    putList(false);
    return;
  }
  putText('-= Welcome to TextWorld, ALFRED! =-\n\n');
  putLook(true);
  putText('\n\nYour task is to: ');
  putBytes(task, length);
  putText('.');
}

// --- the brief form ---------------------------------------------------------------------------------------------------

/** `apple 1: hot clean`. */
function putBriefState(o: i32): void {
  const state = stateOf(o);
  putObject(o);
  putText(':');
  if (state & HOT) putText(' hot');
  if (state & COOL) putText(' cool');
  if (state & CLEAN) putText(' clean');
  if (state & SLICED) putText(' sliced');
  if (state & TOGGLED) putText(' on');
}

function putBriefAnswer(): void {
  switch (verb) {
    case EXAMINE_RECEPTACLE: case GO: case OPEN: case CLOSE: putReceptacle(first); return;
    case LOOK: putText('at '); listReceptacles(agentPlace()); putList(false); return;
    case INVENTORY: case TAKE: case PUT:
      putText('holding ');
      if (held() == NONE) putText('nothing');
      else putObject(held());
      return;
    case HELP: putText('holding'); return;
    default: putBriefState(first);
  }
}
