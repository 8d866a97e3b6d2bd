/**
 * Fire: a hot enough object burns for its number of ticks and becomes ash. Liquid water beside or inside it puts the
 * fire out.
 */
import { BURNED, BURNING, LIQUID, NIL, Obj, has, isNil } from './object';
import { add, remove } from './containment';
import { at, parentOf } from './arena';
import { make } from './construction';
import { COMBUSTION, SUBSTANCE, material } from './tables';
import { C_Ash, S_water } from './tables/ids';

export const CAUGHT: i32 = 0;
export const NOT_FLAMMABLE: i32 = 1;
export const ALREADY: i32 = 2;

export function combustionPoint(o: Obj): f64 {
  return load<f64>(material(o.mat) + COMBUSTION);
}

export function ignite(o: Obj): i32 {
  if (has(o, BURNING)) return ALREADY;
  if (o.burnTicks <= 0) return NOT_FLAMMABLE;
  o.flags |= BURNING | BURNED;
  return CAUGHT;
}

function isLiquidWater(o: Obj): bool {
  return o.mat != 0 && o.letter == 0 && o.state == LIQUID && load<u16>(material(o.mat) + SUBSTANCE) == S_water;
}

function firstWater(o: Obj): Obj {
  for (let c = at(o.first); !isNil(c); c = at(c.next)) if (isLiquidWater(c)) return c;
  return NIL;
}

function waterFor(o: Obj): Obj {
  const inside = firstWater(o);
  const holder = parentOf(o);
  const beside = isNil(holder) ? NIL : firstWater(holder);
  if (isNil(inside)) return beside;
  if (isNil(beside)) return inside;
  return inside.uuid < beside.uuid ? inside : beside;
}

export function burn(o: Obj): void {
  if (o.temperature >= combustionPoint(o) && !has(o, BURNING)) ignite(o);
  if (!has(o, BURNING) || o.burnTicks <= 0) return;
  o.burnTicks--;
  const hot = combustionPoint(o) + 200;
  if (o.temperature < hot) o.temperature = hot;
  if (o.burnTicks == 0) {
    o.flags &= ~BURNING;
    turnToAsh(o);
  }
  const water = waterFor(o);
  if (isNil(water)) return;
  water.temperature = o.temperature;
  o.flags &= ~BURNING;
  o.temperature = combustionPoint(o) - 10;
}

function turnToAsh(o: Obj): void {
  const ash = make(C_Ash);
  ash.temperature = o.temperature;
  const holder = parentOf(o);
  if (!isNil(holder)) add(holder, ash);
  remove(o, true);
}
