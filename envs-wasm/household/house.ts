/**
 * One house in play: a block of bytes that holds its facts, its state and its names. `open` chooses the block that all
 * functions of this world read and write.
 *
 * The host writes a house as bytes (`src/worlds/household/house-bytes.ts`): the header, the arrays below in their order,
 * then the names. Receptacles, objects and locations are numbered in the order of their ids, in which all texts of the
 * original list them. Behind them the world keeps the tables that only play needs.
 */
export const NONE: i32 = 255;
const HEADER: i32 = 16;

/** Bits of a receptacle. */
export const OPENABLE: i32 = 1;
export const OPENED: i32 = 2;
/** Bits of a kind of receptacle. */
export const CLEANS: i32 = 1;
export const HEATS: i32 = 2;
export const COOLS: i32 = 4;
/** Bits of an object that never change. */
export const PICKUPABLE: i32 = 1;
export const CLEANABLE: i32 = 2;
export const HEATABLE: i32 = 4;
export const COOLABLE: i32 = 8;
export const TOGGLEABLE: i32 = 16;
export const SLICEABLE: i32 = 32;
export const IS_RECEPTACLE: i32 = 64;
export const IS_KNIFE: i32 = 128;
/** Bits of an object's state. */
export const CLEAN: i32 = 1;
export const HOT: i32 = 2;
export const COOL: i32 = 4;
export const SLICED: i32 = 8;
export const TOGGLED: i32 = 16;
/** Bits of the style of an episode. */
export const PUT_DIALECT: i32 = 1;
export const BRIEF: i32 = 2;
export const ACTING: i32 = 4;
export const EXPLORES: i32 = 8;
/** Bytes of a clause of the goal: type, object kind, receptacle kind, count, state bits, fixed bits, how, spare. */
export const CLAUSE_BYTES: i32 = 8;
export const PLACE: i32 = 0;
export const HOLD: i32 = 1;
export const LIGHT: i32 = 2;

let base: usize = 0;
export let receptacles: i32 = 0;
export let objects: i32 = 0;
let locations: i32 = 0;
let objectKinds: i32 = 0;
export let clauses: i32 = 0;
export let inners: i32 = 0;

let receptacleKindAt: usize = 0;
let receptaclePlaceAt: usize = 0;
let receptacleBitsAt: usize = 0;
let objectKindAt: usize = 0;
let objectBitsAt: usize = 0;
let objectStateAt: usize = 0;
let kindRoleAt: usize = 0;
let containAt: usize = 0;
let insideAt: usize = 0;
let lyingAt: usize = 0;
let innerAt: usize = 0;
let orderAt: usize = 0;
let clauseAt: usize = 0;
let nameAt: usize = 0;
let removedAt: usize = 0;
let takenAt: usize = 0;
let seenAt: usize = 0;

/** Bytes of the arrays behind the names, with the table of names before them. */
function playBytes(block: usize): i32 {
  const r: i32 = load<u8>(block, 0);
  const o: i32 = load<u8>(block, 1);
  const named = r + o + <i32>load<u8>(block, 2) + <i32>load<u8>(block, 3) + <i32>load<u8>(block, 4);
  return 4 * named + o * r + o + r;
}

/** Bytes of the block of a house whose input has `length` bytes. */
export function blockBytesOf(input: usize, length: i32): i32 { return ((length + 7) & ~7) + playBytes(input); }

/** Chooses a house: everything below is about this one. `length`: bytes of its input. */
export function open(block: usize): void {
  base = block;
  receptacles = load<u8>(block, 0);
  objects = load<u8>(block, 1);
  locations = load<u8>(block, 2);
  const receptacleKinds: i32 = load<u8>(block, 3);
  objectKinds = load<u8>(block, 4);
  clauses = load<u8>(block, 7);
  inners = load<u8>(block, 8);
  receptacleKindAt = block + HEADER;
  receptaclePlaceAt = receptacleKindAt + receptacles;
  receptacleBitsAt = receptaclePlaceAt + receptacles;
  objectKindAt = receptacleBitsAt + receptacles;
  objectBitsAt = objectKindAt + objects;
  objectStateAt = objectBitsAt + objects;
  kindRoleAt = objectStateAt + objects;
  containAt = kindRoleAt + receptacleKinds;
  insideAt = containAt + receptacleKinds * objectKinds;
  lyingAt = insideAt + objects * receptacles;
  innerAt = lyingAt + objects * locations;
  orderAt = innerAt + 2 * inners;
  clauseAt = orderAt + receptacles + objects;
  nameAt = block + load<u32>(block, 12);
  removedAt = nameAt + 4 * (receptacles + objects + locations + receptacleKinds + objectKinds);
  takenAt = removedAt + objects * receptacles;
  seenAt = takenAt + objects;
}

/** Prepares a block for play after the host's bytes were copied to it: the table of names, and the empty tables. */
export function prepare(block: usize, length: i32): void {
  store<u32>(block, (length + 7) & ~7, 12);
  open(block);
  memory.fill(nameAt, 0, playBytes(block));
  const names = (removedAt - nameAt) >> 2;
  let at = clauseAt + clauses * CLAUSE_BYTES - block;
  for (let n: usize = 0; n < names; n++) {
    store<u32>(nameAt + 4 * n, <u32>at);
    at += 1 + load<u8>(block + at);
  }
}

// --- header -----------------------------------------------------------------------------------------------------------

/** Location of the agent. */
export function agentPlace(): i32 { return load<u8>(base, 5); }
export function moveAgent(place: i32): void { store<u8>(base, <u8>place, 5); }
/** The object held, or NONE. */
export function held(): i32 { return load<u8>(base, 6); }
export function hold(object: i32): void { store<u8>(base, <u8>object, 6); }
export function hasStyle(bit: i32): bool { return (load<u8>(base, 9) & bit) != 0; }
export function isWon(): bool { return load<u8>(base, 10) != 0; }
export function setWon(): void { store<u8>(base, 1, 10); }
/** Largest number of subgoals reached so far. */
export function mostReached(): i32 { return load<u8>(base, 11); }
export function setReached(count: i32): void { store<u8>(base, <u8>count, 11); }

// --- facts and state --------------------------------------------------------------------------------------------------

export function kindOfReceptacle(r: i32): i32 { return load<u8>(receptacleKindAt + r); }
/** Location of a receptacle, or NONE. */
export function placeOf(r: i32): i32 { return load<u8>(receptaclePlaceAt + r); }
export function isHere(r: i32): bool { return placeOf(r) == agentPlace(); }
export function receptacleIs(r: i32, bit: i32): bool { return (load<u8>(receptacleBitsAt + r) & bit) != 0; }
export function setOpened(r: i32, opened: bool): void {
  const bits = load<u8>(receptacleBitsAt + r);
  store<u8>(receptacleBitsAt + r, <u8>(opened ? bits | OPENED : bits & ~OPENED));
}
/** True if things can be taken out and put in. */
export function isAccessible(r: i32): bool { return !receptacleIs(r, OPENABLE) || receptacleIs(r, OPENED); }
export function hasRole(r: i32, role: i32): bool {
  const kind = kindOfReceptacle(r);
  return kind != NONE && (load<u8>(kindRoleAt + kind) & role) != 0;
}
export function kindOfObject(o: i32): i32 { return load<u8>(objectKindAt + o); }
export function objectIs(o: i32, bit: i32): bool { return (load<u8>(objectBitsAt + o) & bit) != 0; }
export function hasBits(o: i32, bits: i32): bool { return (load<u8>(objectBitsAt + o) & bits) == bits; }
export function stateOf(o: i32): i32 { return load<u8>(objectStateAt + o); }
export function setState(o: i32, state: i32): void { store<u8>(objectStateAt + o, <u8>state); }
export function canContain(r: i32, o: i32): bool {
  const kind = kindOfReceptacle(r);
  const content = kindOfObject(o);
  return kind != NONE && content != NONE && kindCanContain(kind, content);
}
export function kindCanContain(kind: i32, content: i32): bool {
  return kind != NONE && content != NONE && load<u8>(containAt + kind * objectKinds + content) != 0;
}
export function isInside(o: i32, r: i32): bool { return load<u8>(insideAt + o * receptacles + r) != 0; }
export function setInside(o: i32, r: i32, inside: bool): void {
  store<u8>(insideAt + o * receptacles + r, inside ? 1 : 0);
  store<u8>(removedAt + o * receptacles + r, inside ? 0 : 1);
}
/** True if the object was once taken out of the receptacle and not put back. The original knows no other absence. */
export function wasRemoved(o: i32, r: i32): bool { return load<u8>(removedAt + o * receptacles + r) != 0; }
/** True if the object counts as being at a location, beside or in what stands there. */
export function isLying(o: i32, place: i32): bool { return load<u8>(lyingAt + o * locations + place) != 0; }
export function setLying(o: i32, place: i32, lies: bool): void { store<u8>(lyingAt + o * locations + place, lies ? 1 : 0); }
/** An object in another object: pair `k` of (inner, outer). */
export function innerOf(k: i32): i32 { return load<u8>(innerAt + 2 * k); }
export function outerOf(k: i32): i32 { return load<u8>(innerAt + 2 * k + 1); }
/** Thing `k` in the order of names: a receptacle, or an object from `receptacles` on. */
export function thingInOrder(k: i32): i32 { return load<u8>(orderAt + k); }
export function clauseByte(clause: i32, index: i32): i32 { return load<u8>(clauseAt + clause * CLAUSE_BYTES + index); }
export function wasTaken(o: i32): bool { return load<u8>(takenAt + o) != 0; }
export function setTaken(o: i32): void { store<u8>(takenAt + o, 1); }
/** True if the agent has seen what is in the receptacle. */
export function wasSeen(r: i32): bool { return load<u8>(seenAt + r) != 0; }
export function setSeen(r: i32): void { if (isAccessible(r)) store<u8>(seenAt + r, 1); }

// --- names ------------------------------------------------------------------------------------------------------------

export function objectName(o: i32): i32 { return receptacles + o; }
export function locationName(place: i32): i32 { return receptacles + objects + place; }
export function objectKindName(kind: i32): i32 { return <i32>((removedAt - nameAt) >> 2) - objectKinds + kind; }
export function receptacleKindName(kind: i32): i32 { return receptacles + objects + locations + kind; }
export function nameLength(name: i32): i32 { return load<u8>(base + load<u32>(nameAt + 4 * name)); }
export function namePointer(name: i32): usize { return base + load<u32>(nameAt + 4 * name) + 1; }
