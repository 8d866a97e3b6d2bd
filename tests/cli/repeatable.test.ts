// Repeatable options: values are collected, and `--help` prints no empty default.
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { repeatable } from '../../src/cli/repeatable.ts';

const command = () => new Command('serve').addOption(repeatable('--world <name>', 'a world; repeatable'));

it('collects the values in order', () => {
  const given = command().parse(['--world', 'maze', '--world', 'wordle'], { from: 'user' });
  expect(given.opts()).toEqual({ world: ['maze', 'wordle'] });
  expect(command().parse([], { from: 'user' }).opts()).toEqual({});
});

it('prints no default', () => {
  expect(command().helpInformation()).toMatch(/--world <name> {2}a world; repeatable\n/);
});
