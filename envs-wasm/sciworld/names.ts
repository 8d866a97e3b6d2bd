/** Names of objects: raw, described (burning, burned, by stage), and tests of a name. */
import { BURNED, BURNING, DELETED, Obj, has, isOf } from './object';
import { at } from './arena';
import { ownerOf } from './terminals';
import { lifecycle, lifeform, plantName, putString, stageString, stringAt, stringLength } from './tables';
import { byte, out, put, redirect, scratch, same as sameBytes } from './text';
import * as I from './tables/ids';

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

/** True if the described name is the raw name. */
export function isPlain(o: Obj): bool {
  return !has(o, BURNED | BURNING) && o.cls != I.C_InclinedPlane && !isOf(o, I.F_Animal | I.F_Portal);
}

/** True if the described name of `o` is the string `id`. Equal strings have the same id. */
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

/** True if the string is the raw name or the described name. */
export function answersTo(o: Obj, id: i32): bool {
  return (o.name == id && !has(o, DELETED)) || isNamed(o, id);
}

/**
 * Writes the owner of a terminal, marked if it is deleted: burned objects and eaten flowers leave their terminals
 * behind.
 */
export function putOwner(t: Obj): void {
  const owner = ownerOf(t);
  putString(owner.name);
  if (has(owner, DELETED)) put(' (deleted)');
}

/** A plant's name by stage (seed, tree or plant of its kind), which also shows if it is burning or burned. */
export function plantNameId(o: Obj): i32 {
  const kind = o.stage == I.STAGE_seed ? 0 : isOf(o, I.F_FruitingTree) ? 1 : 2;
  const form = has(o, BURNING) ? 2 : has(o, BURNED) ? 1 : 0;
  return plantName(form, kind, lifeform(o.cls));
}
