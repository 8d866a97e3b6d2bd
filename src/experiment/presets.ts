/** Presets of the page, in its order. The first is the base for imported files. */
import babyaiFirst from '../../experiments/babyai-first.json';
import babyaiRl18 from '../../experiments/babyai-rl18.json';
import collapse from '../../experiments/collapse.json';
import grpoReinforce from '../../experiments/grpo-reinforce.json';
import horizons from '../../experiments/horizons.json';
import householdFirst from '../../experiments/household-first.json';
import mazeFirst from '../../experiments/maze-first.json';
import micro from '../../experiments/micro.json';
import ownFirst from '../../experiments/own-first.json';
import phoneFirst from '../../experiments/phone-first.json';
import sciworldFirst from '../../experiments/sciworld-first.json';
import searchFirst from '../../experiments/search-first.json';
import searchSurveyFirst from '../../experiments/search-survey-first.json';
import shopFirst from '../../experiments/shop-first.json';
import sqlFirst from '../../experiments/sql-first.json';
import textcraftFirst from '../../experiments/textcraft-first.json';
import toolsFilmsFirst from '../../experiments/tools-films-first.json';
import toolsTodoFirst from '../../experiments/tools-first.json';
import toolsPapersFirst from '../../experiments/tools-papers-first.json';
import toolsTableFirst from '../../experiments/tools-table-first.json';
import toolsWeatherFirst from '../../experiments/tools-weather-first.json';
import webFirst from '../../experiments/web-first.json';
import wordleFirst from '../../experiments/wordle-first.json';

/** Presets by the names of their files. */
export const presetsByName: { readonly [name: string]: unknown } = {
  'textcraft-first': textcraftFirst,
  'babyai-first': babyaiFirst,
  'babyai-rl18': babyaiRl18,
  'sciworld-first': sciworldFirst,
  'search-first': searchFirst,
  'wordle-first': wordleFirst,
  'maze-first': mazeFirst,
  'web-first': webFirst,
  'household-first': householdFirst,
  'phone-first': phoneFirst,
  'search-survey-first': searchSurveyFirst,
  'shop-first': shopFirst,
  'sql-first': sqlFirst,
  'tools-first': toolsTodoFirst,
  'tools-films-first': toolsFilmsFirst,
  'tools-weather-first': toolsWeatherFirst,
  'tools-papers-first': toolsPapersFirst,
  'tools-table-first': toolsTableFirst,
  'own-first': ownFirst,
  'grpo-reinforce': grpoReinforce,
  horizons,
  collapse,
  micro,
};

export const presets: readonly unknown[] = Object.values(presetsByName);
