/**
 * Script of the frame that shows a site's page: it inserts the page, outlines elements and reports a person's input.
 * The page's own content is only data: its scripts never run, and no address is ever opened. Plain JavaScript, sent as
 * it is.
 */
import { pageStyle } from '../browser/page-document.ts';

export const pageFrameScript = `
addEventListener('message', ({ data, ports, source }) => {
  if (source !== parent.parent || !ports.length) return;
  const [port] = ports;
  const all = () => [...document.querySelectorAll('#page *')];
  const page = document.createElement('div');
  page.id = 'page';
  document.body.replaceChildren(page);
  let shown = null;
  const outline = (index, name) => {
    for (const each of document.querySelectorAll('.' + name)) each.classList.remove(name);
    const element = all()[index];
    if (element) element.classList.add(name);
    return element;
  };
  const show = ({ html, controls, acted }) => {
    if (html !== shown) page.innerHTML = html;
    shown = html;
    const fields = [...page.querySelectorAll('input,textarea,button')];
    for (const [index, field] of fields.entries()) {
      const { value, checked } = controls[index] || {};
      if (field.type === 'checkbox' || field.type === 'radio') field.checked = checked === undefined ? field.defaultChecked : checked;
      else if (field.localName !== 'button') field.value = value === undefined ? field.defaultValue : value;
    }
    const element = outline(acted, 'acted');
    if (element) element.scrollIntoView({ block: 'nearest' });
    else scrollTo(0, 0);
  };
  port.onmessage = ({ data }) => (data.html === undefined ? outline(data.pointed, 'pointed') : show(data));
  const control = (target) => {
    const found = target.closest('a[href],button,input,textarea,label');
    return found && found.localName === 'label' ? found.control : found;
  };
  const isText = (element) => element.localName === 'textarea' || (element.localName === 'input' && /^(text|password)$/.test(element.type));
  addEventListener('click', (event) => {
    const element = control(event.target);
    if (element && isText(element)) return;
    event.preventDefault();
    if (element) port.postMessage({ element: all().indexOf(element) });
  }, true);
  addEventListener('submit', (event) => event.preventDefault(), true);
  const typed = (element, enter) => port.postMessage({ element: all().indexOf(element), value: element.value, enter });
  let entered = null;
  addEventListener('change', ({ target }) => {
    if (isText(target) && entered !== target) typed(target, false);
    entered = null;
  }, true);
  addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !isText(event.target) || event.target.localName === 'textarea') return;
    event.preventDefault();
    entered = event.target;
    typed(event.target, true);
  }, true);
  port.postMessage({ ready: true });
});
`;

/** Styles of outlines, in addition to the page's own style. */
const outlineStyle = `
.acted { outline: 3px solid #d55e00; outline-offset: 2px; }
.pointed { outline: 3px dashed #0072b2; outline-offset: 2px; }
`;

/** Complete style of the frame; the page's content security policy contains its hash. */
export const pageFrameStyle = `${pageStyle}${outlineStyle}`;
