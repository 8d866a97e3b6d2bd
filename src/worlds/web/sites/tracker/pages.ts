/** Pages of the project tracker. */
import {
  act,
  area,
  type Content,
  choice,
  el,
  facts,
  field,
  form,
  h2,
  link,
  list,
  p,
  page,
  query,
  searchForm,
  status,
  submit,
  table,
} from '../html.ts';
import { dateText } from '../names.ts';
import type { SiteAnswer, SiteRequest } from '../site.ts';
import {
  type Issue,
  labels,
  type MergeRequest,
  type Project,
  roles,
  type TrackerData,
  type TrackerState,
} from './data.ts';

export type Answer = SiteAnswer<TrackerState>;

function show(data: TrackerData, state: TrackerState, title: string, ...content: Content[]): Answer {
  const nav: [string, string][] = [
    ['/', 'Projects'],
    ['/issues', 'My issues'],
    ['/reviews', 'My reviews'],
    ['/profile', data.owner.user],
  ];
  const frame = { site: 'Code Tracker', nav, beside: searchForm('/search', 'Search projects') };
  const notice = state.notice ? status(state.notice) : null;
  const answer: Answer = { kind: 'page', status: 200, ...page(frame, title, notice, ...content) };
  return state.notice ? { ...answer, state: { ...state, notice: '' } } : answer;
}

export const missing = (data: TrackerData, state: TrackerState): Answer =>
  ({ ...show(data, state, 'Page not found', p('There is no such page in this tracker.')), status: 404 }) as Answer;

const projectLinks = (slug: string): Content =>
  p(
    link(`/${slug}`, 'Project'),
    ' ',
    link(`/${slug}/issues`, 'Issues'),
    ' ',
    link(`/${slug}/merge_requests`, 'Merge requests'),
    ' ',
    link(`/${slug}/members`, 'Members'),
  );

const projectList = (projects: readonly Project[]): Content =>
  projects.length
    ? table(
        'Projects',
        ['Name', 'About', 'Stars'],
        projects.map(({ slug, name, about, stars }) => [link(`/${slug}`, name), about, String(stars)]),
      )
    : p('There is no such project.');

export function projectsPage(data: TrackerData, state: TrackerState): Answer {
  return show(data, state, 'Projects', p(link('/new_project', 'New project')), projectList(state.projects));
}

export function searchPage(data: TrackerData, state: TrackerState, { q = '' }: SiteRequest['query']): Answer {
  const word = q.trim().toLowerCase();
  const hits = state.projects.filter(({ name, about }) => word && `${name} ${about}`.toLowerCase().includes(word));
  return show(data, state, `Search: ${q}`, projectList(hits));
}

export function projectPage(data: TrackerData, state: TrackerState, project: Project): Answer {
  const { slug, name, about, stars, license } = project;
  return show(
    data,
    state,
    name,
    projectLinks(slug),
    el('p', { class: 'about' }, about),
    facts([
      ['Stars', el('span', { class: 'stars' }, `${stars} stars`)],
      ['License', license],
      ['Open issues', `${state.issues.filter((issue) => issue.project === slug && issue.open).length} open`],
    ]),
    act(`/${slug}/star`, state.starred.includes(slug) ? 'Unstar' : 'Star'),
    table(
      'Contributors',
      ['User', 'Commits'],
      project.commits.map(({ author, count }) => [author, String(count)]),
    ),
  );
}

const issueRow = ({ project, number, title, label, assignee, open }: Issue): Content[] => [
  `#${number}`,
  link(`/${project}/issues/${number}`, title),
  label,
  assignee || 'nobody',
  open ? 'Open' : 'Closed',
];
const issueHeads = ['Number', 'Title', 'Label', 'Assignee', 'State'];

export function issuesPage(
  data: TrackerData,
  state: TrackerState,
  { slug, name }: Project,
  asked: SiteRequest['query'],
): Answer {
  const { state: wanted = 'open', label = '', q = '' } = asked;
  const word = q.trim().toLowerCase();
  const hits = state.issues.filter(
    (issue) =>
      issue.project === slug &&
      (wanted === 'all' || issue.open === (wanted !== 'closed')) &&
      (!label || issue.label === label) &&
      issue.title.toLowerCase().includes(word),
  );
  const to = (entries: { [name: string]: string }) => `/${slug}/issues?${query(entries)}`;
  return show(
    data,
    state,
    `Issues of ${name}`,
    projectLinks(slug),
    p(link(`/${slug}/issues/new`, 'New issue')),
    p(
      'Show ',
      link(to({ state: 'open' }), 'Open'),
      ' ',
      link(to({ state: 'closed' }), 'Closed'),
      ' ',
      link(to({ state: 'all' }), 'All'),
    ),
    p('Label ', ...labels.flatMap((one, k) => [k > 0 && ' ', link(to({ state: wanted, label: one }), one)])),
    hits.length ? table('Issues', issueHeads, hits.map(issueRow)) : p('There is no such issue.'),
  );
}

export function ownIssues(data: TrackerData, state: TrackerState): Answer {
  const own = state.issues.filter(({ assignee, open }) => open && assignee === data.owner.user);
  return show(
    data,
    state,
    'My issues',
    own.length ? table('Assigned to you', issueHeads, own.map(issueRow)) : p('No issue is assigned to you.'),
  );
}

const remarks = (comments: readonly { author: string; text: string }[]): Content[] => [
  h2(`Comments (${comments.length})`),
  ...comments.map(({ author, text }) => el('article', { class: 'comment' }, p(`${author}: ${text}`))),
];

export function issuePage(data: TrackerData, state: TrackerState, issue: Issue): Answer {
  const base = `/${issue.project}/issues/${issue.number}`;
  return show(
    data,
    state,
    issue.title,
    projectLinks(issue.project),
    p(issue.text),
    facts(
      [
        ['Author', issue.author],
        ['Opened', dateText(issue.day)],
        ['State', el('span', { class: 'state' }, issue.open ? 'Open' : 'Closed')],
        ['Label', el('span', { class: 'label' }, issue.label)],
        ['Assignee', el('span', { class: 'assignee' }, issue.assignee || 'nobody')],
      ],
      { class: 'facts' },
    ),
    act(`${base}/state`, issue.open ? 'Close issue' : 'Reopen issue'),
    form('post', `${base}/assign`, field('New assignee', 'user'), submit('Assign')),
    form(
      'post',
      `${base}/label`,
      choice(
        'New label',
        'label',
        labels.map((one) => [one, one] as const),
      ),
      submit('Set label'),
    ),
    ...remarks(issue.comments),
    form('post', `${base}/comment`, area('Your comment', 'text'), submit('Comment')),
  );
}

export function newIssuePage(data: TrackerData, state: TrackerState, { slug, name }: Project): Answer {
  return show(
    data,
    state,
    `New issue in ${name}`,
    form(
      'post',
      `/${slug}/issues/new`,
      field('Title', 'title'),
      area('Description', 'text'),
      field('Assignee', 'assignee'),
      choice(
        'Label',
        'label',
        labels.map((one) => [one, one] as const),
      ),
      submit('Create issue'),
    ),
  );
}

const requestRow = ({ project, number, title, author, reviewer, status: now }: MergeRequest): Content[] => [
  `!${number}`,
  link(`/${project}/merge_requests/${number}`, title),
  author,
  reviewer,
  now,
];
const requestHeads = ['Number', 'Title', 'Author', 'Reviewer', 'State'];

export function requestsPage(
  data: TrackerData,
  state: TrackerState,
  { slug, name }: Project,
  asked: SiteRequest['query'],
): Answer {
  const wanted = ['Open', 'Merged', 'Closed'].find((one) => one === asked.state);
  const hits = state.requests.filter((one) => one.project === slug && (!wanted || one.status === wanted));
  const to = (one: string) => `/${slug}/merge_requests?${query({ state: one })}`;
  return show(
    data,
    state,
    `Merge requests of ${name}`,
    projectLinks(slug),
    p(
      'Show ',
      link(to('Open'), 'Open'),
      ' ',
      link(to('Merged'), 'Merged'),
      ' ',
      link(to('Closed'), 'Closed'),
      ' ',
      link(to('all'), 'All'),
    ),
    hits.length ? table('Merge requests', requestHeads, hits.map(requestRow)) : p('There is no such merge request.'),
  );
}

export function ownReviews(data: TrackerData, state: TrackerState): Answer {
  const own = state.requests.filter((one) => one.status === 'Open' && one.reviewer === data.owner.user);
  return show(
    data,
    state,
    'My reviews',
    own.length ? table('To review', requestHeads, own.map(requestRow)) : p('No merge request waits for you.'),
  );
}

export function requestPage(data: TrackerData, state: TrackerState, request: MergeRequest): Answer {
  const base = `/${request.project}/merge_requests/${request.number}`;
  const open = request.status === 'Open';
  const approved = request.approvedBy.includes(data.owner.user);
  return show(
    data,
    state,
    request.title,
    projectLinks(request.project),
    facts(
      [
        ['Author', request.author],
        ['Reviewer', el('span', { class: 'reviewer' }, request.reviewer)],
        ['Branch', request.branch],
        ['State', el('span', { class: 'state' }, request.status)],
        ['Pipeline', request.pipeline],
        ['Approved by', el('span', { class: 'approved' }, request.approvedBy.join(', ') || 'nobody')],
      ],
      { class: 'facts' },
    ),
    table(
      'Changes',
      ['File', 'Added', 'Removed'],
      request.files.map(({ name, added, removed }) => [name, String(added), String(removed)]),
    ),
    open && act(`${base}/approve`, approved ? 'Revoke approval' : 'Approve'),
    open && act(`${base}/merge`, 'Merge'),
    open && act(`${base}/close`, 'Close merge request'),
    request.status === 'Closed' && act(`${base}/reopen`, 'Reopen merge request'),
    open && form('post', `${base}/reviewer`, field('New reviewer', 'user'), submit('Request review')),
    ...remarks(request.comments),
    form('post', `${base}/comment`, area('Your comment', 'text'), submit('Comment')),
  );
}

export function membersPage(data: TrackerData, state: TrackerState, { slug, name }: Project): Answer {
  const rows = state.members
    .filter(({ project }) => project === slug)
    .map(({ user, role }) => [user, el('span', { class: `role-${user}` }, role)]);
  return show(
    data,
    state,
    `Members of ${name}`,
    projectLinks(slug),
    table('Members', ['User', 'Role'], rows),
    h2('Invite a member'),
    form(
      'post',
      `/${slug}/members`,
      field('User', 'user'),
      choice(
        'Role',
        'role',
        roles.map((role) => [role, role] as const),
      ),
      submit('Invite'),
    ),
  );
}

export function profilePage(data: TrackerData, state: TrackerState): Answer {
  return show(
    data,
    state,
    data.owner.user,
    facts([
      ['Name', data.owner.name],
      ['Mail', data.owner.mail],
      ['Status', el('span', { class: 'user-status' }, state.status || 'none')],
    ]),
    h2('Starred projects'),
    list(
      state.projects.filter(({ slug }) => state.starred.includes(slug)).map(({ slug, name }) => link(`/${slug}`, name)),
    ),
    form('post', '/profile', field('New status', 'status'), submit('Set status')),
  );
}

export function newProjectPage(data: TrackerData, state: TrackerState): Answer {
  return show(
    data,
    state,
    'New project',
    form('post', '/new_project', field('Name', 'name'), field('About', 'about'), submit('Create project')),
  );
}
