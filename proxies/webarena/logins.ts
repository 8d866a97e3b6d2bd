/**
 * Log-ins, as in WebArena's `auto_login.py`: by each site's own form, once, kept as the browser's storage, and renewed
 * before they expire. Cookies stay in this process. Sites other than WebArena's need a form in the configuration.
 */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { LoginField, LoginForm, SiteConfig, SiteName, WebArenaConfig } from '../config.ts';
import { EpisodeFailure } from './failures.ts';
import type { GuardedContext } from './guarded-context.ts';

export type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>;

const field = (by: LoginField['by'], name: string, value: LoginField['value']): LoginField => ({ by, name, value });

/**
 * Forms of WebArena's own sites (browser_env/auto_login.py). `USER` in a path is replaced by the name of the account.
 */
const knownForms: { [site in SiteName]?: LoginForm } = {
  shopping: {
    path: '/customer/account/login/',
    fields: [field('label', 'Email', 'username'), field('label', 'Password', 'password')],
    submit: 'Sign In',
    proof: { path: '/wishlist/', contains: '' },
  },
  shopping_admin: {
    path: '',
    fields: [field('placeholder', 'user name', 'username'), field('placeholder', 'password', 'password')],
    submit: 'Sign in',
    proof: { path: '/dashboard', contains: 'Dashboard' },
  },
  reddit: {
    path: '/login',
    fields: [field('label', 'Username', 'username'), field('label', 'Password', 'password')],
    submit: 'Log in',
    proof: { path: '/user/USER/account', contains: 'Delete' },
  },
  gitlab: {
    path: '/users/sign_in',
    fields: [field('testid', 'username-field', 'username'), field('testid', 'password-field', 'password')],
    submit: 'testid:sign-in-button',
    proof: { path: '/-/profile', contains: '' },
  },
};

/** Log-ins whose cookies expire within this time are renewed: the time of AgentGym's server. */
const renewBeforeSeconds = 2700;
/** Session cookies have no expiry time; their log-ins are renewed after this time. */
const longestSeconds = 3600 * 6;

const locators: { [by in LoginField['by']]: (page: Page, name: string) => Locator } = {
  label: (page, name) => page.getByLabel(name, { exact: true }),
  placeholder: (page, name) => page.getByPlaceholder(name, { exact: true }),
  testid: (page, name) => page.getByTestId(name),
  css: (page, name) => page.locator(name),
};

const buttonOf = (page: Page, submit: string): Locator =>
  submit.startsWith('testid:')
    ? page.getByTestId(submit.slice(7))
    : page.getByRole('button', { name: submit, exact: true }).first();

interface CachedLogin {
  state: Promise<StorageState>;
  at: number;
}

export class Logins {
  private readonly cache = new Map<string, CachedLogin>();

  constructor(
    private readonly sites: WebArenaConfig['sites'],
    private readonly open: () => Promise<GuardedContext>,
  ) {}

  /**
   * Returns browser storage with log-ins at these sites, or undefined if none of them has a log-in. Rejects with
   * `LoginFailed`.
   */
  async stateFor(names: readonly string[]): Promise<StorageState | undefined> {
    const wanted = names.filter((name) => this.sites[name as SiteName]?.login).sort();
    if (!wanted.length) return undefined;
    const key = wanted.join('.');
    const cached = this.cache.get(key);
    if (cached && !(await this.isStale(cached))) return cached.state;
    // Concurrent callers share one log-in.
    const fresh = { state: this.logIn(wanted), at: Date.now() };
    this.cache.set(key, fresh);
    fresh.state.catch(() => this.cache.delete(key));
    return fresh.state;
  }

  private async isStale({ state, at }: CachedLogin): Promise<boolean> {
    const known = await state.catch(() => null);
    if (!known || Date.now() - at > longestSeconds * 1000) return true;
    const ends = known.cookies.map(({ expires }) => expires).filter((expires) => expires > 0);
    return ends.length > 0 && Math.min(...ends) - Date.now() / 1000 < renewBeforeSeconds && Date.now() - at > 60_000;
  }

  private async logIn(names: readonly string[]): Promise<StorageState> {
    const guarded = await this.open();
    try {
      const page = await guarded.context.newPage();
      for (const name of names) await this.logInAt(guarded, page, name as SiteName);
      return await guarded.context.storageState();
    } finally {
      await guarded.close();
    }
  }

  private async logInAt(guarded: GuardedContext, page: Page, name: SiteName): Promise<void> {
    const site = this.sites[name]!;
    const form = site.login!.form ?? knownForms[name];
    if (!form)
      throw new EpisodeFailure('LoginFailed', `No log-in form is known of ${name}: describe it in its "login.form".`);
    try {
      await fillIn(guarded, page, site, form);
    } catch (error) {
      if (error instanceof EpisodeFailure && error.name !== 'LoginFailed') throw error;
      throw new EpisodeFailure('LoginFailed', `The log-in at ${name} failed: ${firstLine(error)}`);
    }
  }
}

const firstLine = (error: unknown) => (error as Error).message.split('\n')[0];

async function fillIn(guarded: GuardedContext, page: Page, site: SiteConfig, form: LoginForm): Promise<void> {
  const ms = guarded.limits.loadSeconds * 1000;
  const { username, password } = site.login!;
  const values = { username, password };
  await page.goto(`${site.address}${form.path}`, { timeout: ms });
  for (const { by, name, value } of form.fields) await locators[by](page, name).fill(values[value], { timeout: ms });
  await buttonOf(page, form.submit).click({ timeout: ms });
  await guarded.quiet(page, ms);
  const proof = `${site.address}${form.proof.path.replace('USER', encodeURIComponent(username))}`;
  await page.goto(proof, { timeout: ms });
  await guarded.quiet(page, ms);
  const stays = page.url().replace(/\/$/, '') === proof.replace(/\/$/, '');
  if (!stays && !form.proof.contains)
    throw new Error(`the page that requires the log-in (${form.proof.path}) redirects elsewhere.`);
  if (form.proof.contains && !(await page.content()).includes(form.proof.contains))
    throw new Error(`"${form.proof.contains}" is not on the page that requires the log-in (${form.proof.path}).`);
}
