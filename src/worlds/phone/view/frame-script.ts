/**
 * Script and style of the frame that draws a phone's screen. The browser places the elements by the style alone, with
 * the sizes of `layout.ts` and without its rectangles, so that a test can compare both. Texts are inserted as text: an
 * app has no markup, no script and no address. The script reports a person's touches and typing. Plain JavaScript and
 * CSS, sent as they are.
 */
import { height, width } from '../layout.ts';

/** Duration of a press that counts as a long one. */
const longPressMs = 500;
/** Length of a swipe, as a share of the screen's height. */
const swipeShare = 0.08;
/** Minimum turn of a wheel that scrolls. */
const wheelStep = 20;

export const pageFrameScript = `
addEventListener('message', ({ data, ports, source }) => {
  if (source !== parent.parent || !ports.length) return;
  const [port] = ports;
  const screen = document.createElement('main');
  document.body.replaceChildren(screen);
  let playing = false;
  let press = null;
  let entered = null;
  let backLabel = 'Back';
  const make = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const thousandths = (value, of) => Math.max(0, Math.min(999, Math.round((1000 * value) / of)));
  const pointOf = ({ clientX, clientY }) => ({ x: thousandths(clientX, innerWidth), y: thousandths(clientY, innerHeight) });
  const centreOf = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return pointOf({ clientX: left + width / 2, clientY: top + height / 2 });
  };
  const field = (each) => {
    const input = make('input', '');
    input.value = each.detail;
    input.placeholder = each.text;
    input.maxLength = 200;
    input.readOnly = !playing;
    input.tabIndex = playing ? 0 : -1;
    input.setAttribute('aria-label', each.text);
    return input;
  };
  const slider = (each) => {
    const input = make('input', '');
    Object.assign(input, { type: 'range', min: '0', max: '100', step: '10', value: each.state, disabled: !playing });
    input.setAttribute('aria-label', each.text);
    return input;
  };
  const element = (each) => {
    const acts = playing && (each.taps || each.holds || each.kind === 'key') && each.kind !== 'field' && each.kind !== 'slider';
    const made = make(acts ? 'button' : 'div', 'item ' + each.kind + ' ' + each.state);
    made.dataset.key = each.key;
    made.style.setProperty('--rows', each.rows);
    if (each.holds) made.dataset.holds = '';
    if (each.kind === 'pin') made.style.gridArea = Math.floor(each.cell / 4) + 1 + ' / ' + (each.cell % 4 + 1);
    if (each.kind === 'field') {
      made.append(field(each));
      return made;
    }
    if (each.kind === 'tile') made.append(make('i', 'tint tint-' + each.tint));
    const isBack = each.key === 'Back';
    made.append(make('span', 'name', isBack ? '‹' : each.text));
    if (isBack) made.setAttribute('aria-label', backLabel);
    if (each.detail) made.append(make('span', 'detail', each.detail));
    if (each.state) made.append(make('span', 'state', each.state));
    if (each.kind === 'slider') made.append(slider(each));
    return made;
  };
  const grids = { chip: 'grid', tile: 'grid', pin: 'pins', key: 'keys' };
  const lay = (parent, elements) => {
    let grid = null;
    for (const each of elements) {
      const kind = grids[each.kind];
      if (!kind) grid = null;
      else if (!grid || grid.dataset.of !== each.kind) {
        grid = make('div', kind + ' of-' + each.kind);
        grid.dataset.of = each.kind;
        parent.append(grid);
      }
      (grid || parent).append(element(each));
    }
    return parent;
  };
  const dots = (points, className) => points.map(({ x, y }) => {
    const dot = make('div', className);
    dot.style.left = x / 10 + '%';
    dot.style.top = y / 10 + '%';
    return dot;
  });
  const show = ({ screen: shown, target, heat, plays, back }) => {
    const focused = document.activeElement && document.activeElement.closest('[data-key]');
    const key = focused && focused.dataset.key;
    playing = plays;
    backLabel = back;
    press = null;
    const part = (name) => shown.elements.filter((each) => each.part === name);
    const bar = make('header', shown.app === 'home' ? 'home' : '');
    lay(bar, part('head'));
    if (!shown.overlay) bar.append(make('h1', '', shown.title));
    const parts = [make('div', 'status', '12:00'), bar, lay(make('section', 'body'), part('body'))];
    const bottom = part('bottom');
    if (bottom.length) parts.push(lay(make('div', 'bottom' + (bottom.some(({ kind }) => kind === 'field') ? ' typed' : '')), bottom));
    const keyboard = shown.chrome.filter((each) => each.part === 'keyboard');
    if (keyboard.length) parts.push(lay(make('div', 'keyboard'), keyboard));
    parts.push(lay(make('nav', ''), shown.chrome.filter((each) => each.part === 'navigation')));
    if (shown.overlay) {
      const cover = make('div', 'cover ' + shown.overlay);
      cover.append(lay(make('div', 'panel'), part('overlay')));
      parts.push(cover);
    }
    if (shown.toast) {
      const toast = make('div', 'toast', shown.toast);
      toast.setAttribute('role', 'status');
      parts.push(toast);
    }
    screen.className = (shown.dark ? 'dark ' : '') + (shown.largeFont ? 'large' : '');
    screen.setAttribute('aria-label', shown.title);
    screen.setAttribute('aria-busy', shown.loading);
    screen.replaceChildren(...parts, ...dots(heat || [], 'heat'), ...dots(target ? [target] : [], 'touch'));
    const all = [...screen.querySelectorAll('[data-key]')];
    const touched = target && all.find((each) => {
      const { left, top, right, bottom: end } = each.getBoundingClientRect();
      const [x, y] = [(target.x * innerWidth) / 1000, (target.y * innerHeight) / 1000];
      return x >= left && x < right && y >= top && y < end;
    });
    if (touched) touched.classList.add('target');
    const again = playing && all.find((each) => each.dataset.key === key);
    if (again) (again.matches('button') ? again : again.querySelector('input') || again).focus({ preventScroll: true });
  };
  const measure = () => [...screen.querySelectorAll('[data-key]')].map((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    const at = (value, of) => Math.min(999, Math.round((1000 * value) / of));
    return [each.dataset.key, at(left, innerWidth), at(top, innerHeight), at(right, innerWidth), at(bottom, innerHeight)];
  });
  const send = (input) => playing && port.postMessage(input);
  port.onmessage = ({ data: order }) => {
    if (order.measure) return port.postMessage({ boxes: measure() });
    show(order);
  };
  addEventListener('pointerdown', (event) => {
    press = { x: event.clientX, y: event.clientY, at: event.timeStamp, held: false };
  });
  addEventListener('pointercancel', () => { press = null; });
  addEventListener('pointerup', (event) => {
    if (!press || !playing || event.button !== 0 || event.target.matches('input')) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (Math.max(Math.abs(dx), Math.abs(dy)) > ${swipeShare} * innerHeight) {
      press.held = true;
      return send({ swipe: Math.abs(dx) > Math.abs(dy) ? (dx < 0 ? 'left' : 'right') : dy < 0 ? 'up' : 'down' });
    }
    if (press.held || event.timeStamp - press.at < ${longPressMs} || !event.target.closest('[data-holds]')) return;
    press.held = true;
    send({ hold: pointOf(event) });
  });
  addEventListener('click', (event) => {
    const held = press && press.held;
    press = null;
    const on = event.target.closest('button');
    if (held || event.target.matches('input')) return;
    if (on) send({ tap: event.detail === 0 ? centreOf(on) : pointOf(event) });
    else if (event.target.matches('.cover.sheet')) send({ tap: pointOf(event) });
  });
  addEventListener('contextmenu', (event) => {
    const on = event.target.closest('[data-holds]');
    event.preventDefault();
    if (press) press.held = true;
    if (on) send({ hold: event.clientX || event.clientY ? pointOf(event) : centreOf(on) });
  });
  addEventListener('wheel', (event) => {
    if (Math.abs(event.deltaY) >= ${wheelStep}) send({ wheel: event.deltaY > 0 ? 'up' : 'down' });
  }, { passive: true });
  addEventListener('change', ({ target }) => {
    const item = target.closest('[data-key]');
    if (target.type === 'range') return send({ slider: item.dataset.key, value: Number(target.value) });
    if (entered !== target) send({ type: centreOf(item), value: target.value });
    entered = null;
  });
  addEventListener('keydown', (event) => {
    const on = event.target.closest('[data-holds]');
    if (on && event.key === 'F10' && event.shiftKey) {
      event.preventDefault();
      return send({ hold: centreOf(on) });
    }
    if (event.key !== 'Enter' || !event.target.matches('input:not([type])')) return;
    event.preventDefault();
    entered = event.target;
    send({ type: centreOf(event.target.closest('[data-key]')), value: event.target.value, enter: true });
  });
  port.postMessage({ ready: true });
});
`;

/** A tile's colours; the number of one follows from the app's name. */
export const tints = 8;
const tintRules = Array.from(
  { length: tints },
  (_, k) => `.tint-${k} { background: hsl(${(360 * k) / tints} 45% 38%); }`,
).join('\n');

export const pageFrameStyle = `
:root { --p: calc(100vw / ${width}); color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; overflow: hidden; }
main {
  --f: 1; --ink: #16181c; --soft: #4a4f58; --paper: #fff; --tone: #e8ebf1; --edge: #c3c9d4; --act: #0b57a4;
  position: relative; display: flex; flex-direction: column; width: 100vw; height: calc(${height} * var(--p)); overflow: hidden;
  background: var(--paper); color: var(--ink); touch-action: pan-x; user-select: none;
  font: calc(14 * var(--f) * var(--p)) / calc(18 * var(--f) * var(--p)) system-ui, sans-serif;
}
main.dark { --ink: #f2f3f5; --soft: #c0c5ce; --paper: #15171b; --tone: #2a2e36; --edge: #4a505c; --act: #8ec2ff; }
main.large { --f: 1.25; }
main > * { flex: none; }
.status { height: calc(24 * var(--p)); padding: 0 calc(12 * var(--p)); text-align: end; color: var(--soft);
  font-size: calc(12 * var(--p)); line-height: calc(24 * var(--p)); }
header { display: flex; align-items: center; height: calc(56 * var(--p)); }
header > .item { width: calc(56 * var(--p)); height: calc(56 * var(--p)); justify-content: center; }
header .item, .keyboard .item, nav .item { font-size: calc(14 * var(--p)); line-height: calc(18 * var(--p)); }
header h1 { margin: 0; padding: 0 calc(8 * var(--p)); font: inherit; font-weight: 700; white-space: nowrap; overflow: hidden; }
header.home h1 { padding: 0 calc(16 * var(--p)); }
.body { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: calc(8 * var(--p)); padding: 0 calc(12 * var(--p)); overflow: hidden; }
.body > *, .panel > * { flex: none; }
.item { display: flex; align-items: center; gap: calc(6 * var(--p)); min-width: 0; height: calc(var(--h) * var(--f) * var(--p));
  margin: 0; padding: 0 calc(10 * var(--p)); border: 0 solid var(--edge); border-radius: calc(10 * var(--p));
  background: none; color: inherit; font: inherit; text-align: start; overflow: hidden; }
button { cursor: pointer; }
button.item:hover { background: var(--edge); }
button:focus-visible, input:focus-visible { outline: calc(3 * var(--p)) solid #0072b2; outline-offset: calc(-3 * var(--p)); }
.item > span { min-width: 0; overflow: hidden; text-overflow: ellipsis; }
.heading { --h: 36; font-weight: 700; }
.text { --h: calc(36 + 20 * (var(--rows) - 1)); }
.bubble { --h: calc(44 + 20 * (var(--rows) - 1)); width: calc(260 * var(--p)); background: var(--tone); border-radius: calc(16 * var(--p)); }
.bubble.sent { align-self: flex-end; border-width: 1px; border-color: var(--act); }
.row { --h: 64; } .switch { --h: 56; } .field { --h: 60; } .slider { --h: 64; } .button { --h: 52; }
.chip { --h: 48; } .tile { --h: 96; } .pin { --h: 60; } .key { --h: 48; }
.row, .switch, .field, .slider, .button, .chip, .tile, .pin, .key { background: var(--tone); }
.button, .chip, .tile, .pin, .key { justify-content: center; text-align: center; border-width: 1px; }
.button { color: var(--act); font-weight: 600; }
.chip, .tile, .pin { flex-direction: column; gap: 0; padding: 0 calc(3 * var(--p)); font-size: 0.85em; }
.grid { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: calc(8 * var(--p)); }
.large .of-chip { grid-template-columns: repeat(3, minmax(0, 1fr)); }
.pins { display: grid; grid-template: repeat(4, calc(60 * var(--f) * var(--p))) / repeat(4, minmax(0, 1fr)); gap: calc(8 * var(--p)); }
.bottom { display: flex; gap: calc(8 * var(--p)); padding: calc(4 * var(--p)) calc(12 * var(--p)); }
.bottom .item { --h: 52; flex: 1; }
.bottom.typed .item:not(.field) { flex: 0 0 calc(88 * var(--p)); padding: 0; }
.keys { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); }
nav .keys { grid-template-columns: 1fr 1fr; }
.key { height: calc(48 * var(--p)); padding: 0; border-radius: 0; }
.detail, .state { color: var(--soft); font-size: 0.88em; }
.row .detail, .row .state, .switch .state { margin-inline-start: auto; flex: none; max-width: 50%; }
.chosen { border-width: calc(2 * var(--p)); border-color: var(--act); font-weight: 700; }
.item input:not([type]) { flex: 1; min-width: 0; height: 100%; border: 0; background: none; color: var(--ink); font: inherit; }
.item.field { border-width: 1px; }
input::placeholder { color: var(--soft); }
input[type='range'] { flex: 1; min-width: 0; }
.tint { width: calc(40 * var(--p)); height: calc(40 * var(--p)); border-radius: calc(11 * var(--p)); }
.tint::before { content: ''; display: block; width: 40%; height: 40%; margin: 18%; border-radius: 50%; background: #fff; }
${tintRules}
.cover { position: absolute; inset: 0 0 calc(48 * var(--p)); display: flex; flex-direction: column; justify-content: center;
  padding: 0 calc(12 * var(--p)); background: #0008; }
.cover.sheet { justify-content: flex-end; }
.panel { display: flex; flex-direction: column; gap: calc(8 * var(--p)); padding: calc(12 * var(--p)) calc(12 * var(--p)) calc(8 * var(--p));
  border-radius: calc(16 * var(--p)); background: var(--paper); }
.toast { position: absolute; inset: auto 10% 18%; padding: 4px 8px; border-radius: 12px; background: #16181c; color: #fff; text-align: center; }
.target { outline: calc(4 * var(--p)) solid #d55e00; outline-offset: calc(-4 * var(--p)); }
.touch, .heat { position: absolute; translate: -50% -50%; border-radius: 50%; pointer-events: none; }
.touch { width: calc(22 * var(--p)); height: calc(22 * var(--p)); border: calc(3 * var(--p)) solid #d55e00; background: #fff8; }
.heat { width: calc(64 * var(--p)); height: calc(64 * var(--p)); background: radial-gradient(circle, #d55e00aa, #d55e0000 70%); }
`;
