/**
 * One unit of time: first the effect of each class, then for every object heat, contents, phase and current, depth
 * first by uuid.
 */
import { Obj, PORTALED, TERMINAL, TICKED, has, isNil } from './object';
import { at, clearTicks, head, portal, worked } from './arena';
import { isBare } from './terminals';
import { stack } from './list';
import { burn } from './combustion';
import { runDevice } from './devices';
import { updatePassive, updatePolarized } from './electricity';
import { age, bloom, buzz, growPlant } from './life';
import { slide } from './planes';
import { nextPortal } from './search';
import { family } from './tables';
import { heatOrCool, touch, updatePhase } from './thermodynamics';
import * as I from './tables/ids';

export function tickWorld(): void {
  clearTicks();
  tickObject(at(head.universe));
}

const ACTS: i32 = I.F_Animal | I.F_Plant | I.F_PolarizedElectricalComponent | I.F_UnpolarizedElectricalComponent
  | I.F_HeatSource | I.F_CoolingSource;

function ownStep(o: Obj): void {
  const bits = family(o.cls);
  if (!(bits & ACTS) && o.cls != I.C_Flower && o.cls != I.C_InclinedPlane) return runDevice(o);
  if (bits & I.F_Animal) {
    if (o.cls == I.C_Bee) buzz(o);
    return age(o);
  }
  if (bits & I.F_Plant) return growPlant(o);
  if (bits & I.F_PolarizedElectricalComponent) return updatePolarized(o);
  if (bits & I.F_UnpolarizedElectricalComponent) return updatePassive(o, true);
  if (o.cls == I.C_Flower) return bloom(o);
  if (o.cls == I.C_InclinedPlane) return slide(o);
  if (o.cls != I.C_Lighter) heatOrCool(o);
}

const MOST_IN_SEWER: i32 = 100;

/** Contents exchange heat with their container, then pairwise. Only objects of a material take part. */
function exchange(o: Obj, from: i32, n: i32): void {
  const takesPart = o.mat != 0;
  const warm = stack.length;
  let even = true;
  for (let i = 0; i < n; i++) {
    const c = stack.get(from + i);
    if (c.mat == 0) continue;
    if (takesPart) touch(o, c);
    if (stack.length > warm && stack.get(warm).temperature != c.temperature) even = false;
    stack.push(c);
  }
  const m = stack.length - warm;
  // If all have the same temperature, nothing would change. Things in the sewer are out of reach: above a hundred of
  // them, they exchange heat only with the sewer, so that the cost of a running tap is not quadratic in its water.
  if (!even && (o.cls != I.C_Sewer || m <= MOST_IN_SEWER))
    for (let i = 1; i < m; i++) {
      const a = stack.get(warm + i);
      worked(i);
      for (let j = 0; j < i; j++) touch(a, stack.get(warm + j));
    }
  stack.length = warm;
}

function tickObject(o: Obj): void {
  if (o.cls == I.C_Bee && has(o, TICKED)) return;
  worked(1);
  ownStep(o);
  if (has(o, TICKED)) return;
  const isMatter = o.mat != 0;
  if (isMatter) burn(o);
  if (isBare(o)) {
    if (isMatter) updatePhase(o);
    updatePassive(o, false);
  } else tickHolder(o, isMatter);
  if (has(o, PORTALED)) for (let i = nextPortal(o, 0); i < head.portals; i = nextPortal(o, i + 1)) tickObject(portal(i));
  o.flags |= TICKED;
}

function tickHolder(o: Obj, isMatter: bool): void {
  const from = stack.length;
  for (let c = at(o.first); !isNil(c); c = at(c.next)) if (!has(c, TERMINAL)) stack.push(c);
  const n = stack.length - from;
  if (n > 0) exchange(o, from, n);
  if (isMatter) updatePhase(o);
  updatePassive(o, false);
  for (let i = 0; i < n; i++) tickObject(stack.get(from + i));
  stack.length = from;
}
