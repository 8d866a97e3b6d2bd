/**
 * Executes a task's plan without a DOM or a browser: as bare requests, with forms read from the HTML by regular
 * expressions. Checks sites and plans by the thousand, and serves as a second implementation of the browser's form
 * submission.
 */
import { type NetState, netOf, parseAddress, resolve } from '../../src/worlds/web/sites/net.ts';
import type { Instance, PlanStep } from '../../src/worlds/web/tasks/template.ts';

interface Place {
  url: string;
  html: string;
}

export interface PlanEnd {
  state: NetState;
  url: string;
  answer: string;
}

const unescaped = (text: string) =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
const attribute = (tag: string, name: string) => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag);
  return found ? unescaped(found[1]) : null;
};

interface FoundForm {
  method: string;
  action: string;
  fields: { [name: string]: string };
  hidden: { [name: string]: string };
}

function formsOf(html: string): FoundForm[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, tag, inside]) => {
    const form: FoundForm = {
      method: attribute(tag, 'method') ?? 'get',
      action: attribute(tag, 'action') ?? '',
      fields: {},
      hidden: {},
    };
    for (const [, input] of inside.matchAll(/<(?:input|textarea)([^>]*)>/g)) {
      const name = attribute(input, 'name');
      const type = attribute(input, 'type');
      if (!name) continue;
      const isTick = type === 'radio' || type === 'checkbox';
      if (type === 'hidden') form.hidden[name] = attribute(input, 'value') ?? '';
      if (!isTick || /\schecked(?:\s|$)/.test(input)) form.fields[name] = attribute(input, 'value') ?? '';
    }
    return form;
  });
}

const same = (a: string, b: string) => JSON.stringify(parseAddress(a)) === JSON.stringify(parseAddress(b));

class Walk {
  private readonly tabs: Place[] = [];
  private at = 0;
  answer = '';

  constructor(
    readonly instance: Instance,
    public state: NetState,
  ) {
    for (const url of instance.start) {
      this.tabs.push({ url, html: '' });
      this.at = this.tabs.length - 1;
      this.ask('GET', url, {});
    }
    this.at = 0;
  }

  get url(): string {
    return this.tabs[this.at].url;
  }

  private ask(method: 'GET' | 'POST', url: string, form: { [name: string]: string }): void {
    const answer = netOf(this.instance.netSeed).ask(this.state, { method, url, form });
    if (!answer) throw new Error(`${url} has no page`);
    this.state = answer.state;
    this.tabs[this.at] = { url: answer.url, html: answer.html };
  }

  step(step: PlanStep): void {
    if ('visit' in step) this.visit(step.visit);
    else if ('submit' in step) this.submit(step.submit, step.fields ?? {});
    else if ('tab' in step) this.at = step.tab;
    else if ('stop' in step) this.answer = step.stop;
  }

  private visit(to: string): void {
    const { url, html } = this.tabs[this.at];
    const links = [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => resolve(unescaped(href), url));
    if (!links.some((link) => same(link, resolve(to, url)))) throw new Error(`${url} has no link to ${to}`);
    this.ask('GET', resolve(to, url), {});
  }

  private submit(action: string, fields: { [name: string]: string | boolean }): void {
    const { url, html } = this.tabs[this.at];
    const form = formsOf(html).find(
      (one) =>
        same(resolve(one.action, url), resolve(action, url)) &&
        Object.entries(one.hidden).every(([name, value]) => fields[name] === undefined || fields[name] === value),
    );
    if (!form) throw new Error(`${url} has no form for ${action}`);
    const sent = { ...form.fields };
    for (const [name, value] of Object.entries(fields)) sent[name] = value === true ? 'yes' : String(value);
    const target = resolve(form.action, url);
    if (form.method === 'post') this.ask('POST', target, sent);
    else this.ask('GET', `${target}?${new URLSearchParams(sent)}`, {});
  }
}

export function walkPlan(instance: Instance): PlanEnd {
  const walk = new Walk(instance, instance.state ?? {});
  for (const step of instance.plan) walk.step(step);
  return { state: walk.state, url: walk.url, answer: walk.answer };
}
