/**
 * The fixed list of helper functions with which a WebArena task reads facts that no page shows
 * (evaluation_harness/helper_functions.py). The original evaluates the task's text as Python; here a small grammar
 * parses the call, which is then looked up. Requests to the sites' own interfaces go through `JudgedPage.http`.
 */
import { int, str, type Value } from '../../python/values.ts';
import { type EvaluationContext, HtmlMatchError, type JudgedPage } from './page.ts';
import { splitAddress } from './urls.ts';

type Argument = { page: true } | { text: string };

/** Parses a call whose arguments are quoted strings or the page. */
function readCall(source: string): { name: string; args: Argument[] } {
  const call = /^\s*([A-Za-z_]\w*)\s*\((.*)\)\s*$/s.exec(source);
  if (!call) throw new HtmlMatchError(`This is not a call of a helper: ${source}`);
  const args: Argument[] = [];
  let rest = call[2].trim();
  while (rest) {
    const found = /^(?:page\b|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,\s*|$)/s.exec(rest);
    if (!found) throw new HtmlMatchError(`This argument of a helper is neither a text nor the page: ${rest}`);
    const text = found[1] ?? found[2];
    args.push(text === undefined ? { page: true } : { text: text.replace(/\\(.)/gs, '$1') });
    rest = rest.slice(found[0].length);
  }
  return { name: call[1], args };
}

const json = { 'Content-Type': 'application/json' };

async function shopToken({ page, sites, shopAdmin }: EvaluationContext): Promise<string> {
  const { body } = await page.http({
    method: 'POST',
    url: `${sites.SHOPPING}/rest/default/V1/integration/admin/token`,
    headers: { 'content-type': 'application/json' },
    body: `{"username": "${shopAdmin.username}", "password": "${shopAdmin.password}"}`,
  });
  return str(body);
}

async function askShop(context: EvaluationContext, path: string, params?: { [key: string]: string }): Promise<Value> {
  const token = await shopToken(context);
  const { status, body } = await context.page.http({
    method: 'GET',
    url: `${context.sites.SHOPPING}${path}`,
    params,
    headers: { Authorization: `Bearer ${token}`, ...json },
  });
  if (status !== 200) throw new HtmlMatchError(`The shop answered ${path} with HTTP ${status}.`);
  return body;
}

async function latestOrderUrl(context: EvaluationContext): Promise<string> {
  const body = (await askShop(context, '/rest/V1/orders', {
    'searchCriteria[sortOrders][0][field]': 'created_at',
    'searchCriteria[sortOrders][0][direction]': 'DESC',
    'searchCriteria[pageSize]': '1',
  })) as { items?: { increment_id?: Value }[] } | null;
  const id = int(body?.items?.[0]?.increment_id);
  if (id === null) throw new HtmlMatchError(`The shop's latest order has no number: ${JSON.stringify(body)}.`);
  return `${context.sites.SHOPPING}/sales/order/view/order_id/${id}/`;
}

interface Review {
  nickname?: Value;
  ratings?: { rating_name?: Value; percent?: Value }[];
}

/** First and last (latest) review of a product, or null if it has none. */
async function reviewsOf(context: EvaluationContext, sku: string): Promise<{ first: Review; last: Review } | null> {
  const reviews = (await askShop(context, `/rest/V1/products/${sku}/reviews`)) as Review[];
  if (!Array.isArray(reviews)) throw new HtmlMatchError(`The shop's reviews of ${sku} must be a list.`);
  return reviews.length ? { first: reviews[0], last: reviews.at(-1)! } : null;
}

async function latestReviewAuthor(context: EvaluationContext, sku: string): Promise<string> {
  const author = (await reviewsOf(context, sku))?.last.nickname ?? '';
  if (typeof author !== 'string')
    throw new HtmlMatchError(`The author of the latest review of ${sku} must be a string.`);
  return author;
}

async function latestReviewRating(context: EvaluationContext, sku: string): Promise<string> {
  const reviews = await reviewsOf(context, sku);
  if (!reviews) return '';
  if (reviews.first.ratings?.[0]?.rating_name !== 'Rating')
    throw new HtmlMatchError('The first rating is not named "Rating".');
  const percent = reviews.last.ratings?.[0]?.percent;
  if (percent === undefined) throw new HtmlMatchError(`The latest review of ${sku} has no percentage.`);
  return str(percent);
}

/** Address of the forum post that an address below it belongs to. */
export function postUrl(url: string): string {
  const { scheme, host, path } = splitAddress(url);
  const [, kind, forum, post] = path.split('/');
  return kind === 'f' && post !== undefined ? `${scheme}://${host}/f/${forum}/${post}/` : url;
}

/**
 * This script and `readRole` match the original byte for byte: a recorded page looks up its results by the script's
 * text.
 */
const findAccount = (account: string) => `(() => {
                const elements = document.querySelectorAll("td[data-label='Account'] span.gl-avatar-labeled-sublabel");
                let index = -1;  // Default value if not found

                for(let i = 0; i < elements.length; i++) {
                    if(elements[i].outerText === '@${account}') {
                        index = i;
                        break;
                    }
                }

                return index;
            })()`;
const readRole = (index: string) => `(() => {
                return document.querySelectorAll("td.col-max-role span")[${index}].outerText;
            })()`;

async function memberRole(page: JudgedPage, account: string): Promise<string> {
  try {
    const index = str(await page.evaluate(findAccount(account)));
    return str(await page.evaluate(readRole(index)));
  } catch {
    return '';
  }
}

const text = (argument: Argument | undefined): string => {
  if (argument && 'text' in argument) return argument.text;
  throw new HtmlMatchError('This helper needs a text as its argument.');
};

type Helper = (context: EvaluationContext, args: Argument[]) => string | Promise<string>;
const helpers: { [name: string]: Helper } = {
  shopping_get_latest_order_url: latestOrderUrl,
  shopping_get_sku_latest_review_author: (context, [sku]) => latestReviewAuthor(context, text(sku)),
  shopping_get_sku_latest_review_rating: (context, [sku]) => latestReviewRating(context, text(sku)),
  reddit_get_post_url: (_, [url]) => postUrl(text(url)),
  gitlab_get_project_memeber_role: ({ page }, [, account]) => memberRole(page, text(account)),
};

/** Result of a helper. In its arguments `__last_url__` stands for the page's address and `__page__` for the page. */
export async function callHelper(source: string, context: EvaluationContext): Promise<string> {
  const { name, args } = readCall(source.replaceAll('__page__', 'page'));
  if (!Object.hasOwn(helpers, name)) throw new HtmlMatchError(`name '${name}' is not defined`);
  const url = context.page.url();
  const filled = args.map((arg) => ('text' in arg ? { text: arg.text.replaceAll('__last_url__', url) } : arg));
  return helpers[name](context, filled);
}
