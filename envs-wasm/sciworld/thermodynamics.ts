/**
 * Heat: two objects that touch exchange it; heaters and coolers change the temperature of the objects directly in them;
 * the temperature determines the state of matter.
 */
import { ACTIVE, GAS, LIQUID, Obj, SOLID, has, isNil, isOf } from './object';
import { at } from './arena';
import {
  BOILING, CONDUCTIVITY, MELTING, STATE_NAMES, coolMinimum, heatMaximum, material, unknownMelting, unknownName,
} from './tables';
import { F_HeatSource } from './tables/ids';

const MOST: f64 = 1000;
const RATE: f64 = 0.1;

// @ts-ignore: decorator
@inline
function clamp(d: f64): f64 {
  return d > MOST ? MOST : d < -MOST ? -MOST : d;
}

/** The second object already uses the new temperature of the first, as in the original. */
export function touch(a: Obj, b: Obj): void {
  if (a.temperature == b.temperature) return;
  const ka = load<f64>(material(a.mat) + CONDUCTIVITY);
  const kb = load<f64>(material(b.mat) + CONDUCTIVITY);
  const k = ka < kb ? ka : kb;
  a.temperature += clamp((b.temperature - a.temperature) * k * RATE);
  b.temperature += clamp((a.temperature - b.temperature) * k * RATE);
}

export function heatOrCool(o: Obj): void {
  if (!has(o, ACTIVE)) return;
  const heats = isOf(o, F_HeatSource);
  const target = heats ? heatMaximum(o.cls) : coolMinimum(o.cls);
  for (let c = at(o.first); !isNil(c); c = at(c.next)) {
    if (c.mat == 0) continue;
    if (heats ? c.temperature < target : c.temperature > target) c.temperature += clamp((target - c.temperature) * RATE);
  }
}

export function meltingPoint(o: Obj): f64 {
  return o.letter != 0 ? unknownMelting(o.letter) : load<f64>(material(o.mat) + MELTING);
}

export function updatePhase(o: Obj): void {
  const state = o.temperature < meltingPoint(o) ? SOLID : o.temperature > load<f64>(material(o.mat) + BOILING) ? GAS : LIQUID;
  if (state == o.state) return;
  o.state = state;
  const name = o.letter != 0 ? unknownName(o.letter, state) : <i32>load<u16>(material(o.mat) + STATE_NAMES + state * 2);
  if (name != 0) o.name = name;
}

