// The project's own elementary functions, compared with the JavaScript engine's: within a few units in the last place,
// and exact at the ends of the range.
import { describe, expect, it } from 'vitest';
import { cos, exp, expm1, log, power, sigmoid, sin, softplus, wholePower } from '../../src/policy/elementary.ts';
import { uniform } from '../../src/rl/common/random.ts';

const ulps = (a: number, b: number) => Math.abs(a - b) / (Number.EPSILON * Math.abs(b));

describe('our own exp and log', () => {
  it('differ from the engine’s by no more than 2 units in the last place', () => {
    for (let i = 0; i < 20_000; i++) {
      const x = (uniform(1, i) - 0.5) * (i % 2 ? 1400 : 4);
      expect(ulps(exp(x), Math.exp(x)), `exp(${x})`).toBeLessThan(2);
      const small = x * 10 ** (-20 * uniform(2, i));
      expect(ulps(expm1(small), Math.expm1(small)), `expm1(${small})`).toBeLessThan(3);
      const positive = Math.exp(x);
      expect(Math.abs(log(positive) - Math.log(positive)), `log(${positive})`).toBeLessThan(
        2 * Number.EPSILON * Math.max(Math.abs(Math.log(positive)), 1e-3),
      );
    }
  });

  it('are exact at the ends of the range', () => {
    expect([exp(0), expm1(0), log(1)]).toEqual([1, 0, 0]);
    expect([exp(710), exp(-746), exp(Number.NEGATIVE_INFINITY)]).toEqual([Number.POSITIVE_INFINITY, 0, 0]);
    expect([log(0), log(Number.POSITIVE_INFINITY)]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    expect([exp(Number.NaN), log(-1), log(Number.NaN)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
    expect(log(5e-324)).toBeCloseTo(Math.log(5e-324), 10);
    expect(Math.abs(exp(-740) - Math.exp(-740))).toBeLessThanOrEqual(Number.MIN_VALUE);
  });

  it('give a sigmoid and a softplus that do not overflow', () => {
    expect([sigmoid(-800), sigmoid(0), sigmoid(800)]).toEqual([0, 0.5, 1]);
    expect(softplus(800)).toBe(800);
    expect(softplus(-800)).toBe(0);
    expect(softplus(0.3)).toBeCloseTo(Math.log1p(Math.exp(0.3)), 14);
  });
});

describe('our own sin, cos and powers', () => {
  it('differ from the engine’s by no more than 2^-52', () => {
    for (let i = 0; i < 20_000; i++) {
      const x = (uniform(3, i) - 0.5) * 10 ** (7 * uniform(4, i) - 1);
      expect(Math.abs(sin(x) - Math.sin(x)), `sin(${x})`).toBeLessThanOrEqual(2 ** -52);
      expect(Math.abs(cos(x) - Math.cos(x)), `cos(${x})`).toBeLessThanOrEqual(2 ** -52);
    }
    // Near multiples of a quarter turn, where every bit that the reduction drops shows.
    for (let n = 0; n < 20_000; n++) {
      const x = (n * Math.PI) / 2;
      expect(Math.abs(sin(x) - Math.sin(x)), `sin(${x})`).toBeLessThanOrEqual(2 ** -52);
      expect(Math.abs(cos(x) - Math.cos(x)), `cos(${x})`).toBeLessThanOrEqual(2 ** -52);
    }
  });

  it('are exact at the ends of the range', () => {
    expect([sin(0), cos(0), power(7, 0), wholePower(0.9, 0), wholePower(2, 10)]).toEqual([0, 1, 1, 1, 1024]);
    expect([sin(1e9), cos(Number.POSITIVE_INFINITY), sin(Number.NaN)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });

  it('give the powers of rotary positions and bias corrections', () => {
    for (const theta of [1e4, 5e5, 1e6])
      for (let i = 0; i < 64; i++) {
        const y = i / 64;
        expect(ulps(power(theta, y), theta ** y), `${theta} ** ${y}`).toBeLessThan(16);
        expect(Math.fround(1 / power(theta, y)), `${theta} ** ${y}`).toBe(Math.fround(1 / theta ** y));
      }
    for (const beta of [0.9, 0.95, 0.999])
      for (let t = 1; t < 2000; t += 7) expect(ulps(wholePower(beta, t), beta ** t)).toBeLessThan(t);
  });
});
