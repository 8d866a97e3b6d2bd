/** The project tracker: projects, issues, merge requests with reviews, members. Its pages are in pages.ts. */
import type { Json } from '../../../../envs/env.ts';
import { slugOf } from '../html.ts';
import { type Route, route, type Site, type SiteRequest } from '../site.ts';
import {
  type Issue,
  labels,
  type MergeRequest,
  openTracker,
  type Project,
  roles,
  startTracker,
  type TrackerData,
  type TrackerState,
} from './data.ts';
import {
  type Answer,
  issuePage,
  issuesPage,
  membersPage,
  missing,
  newIssuePage,
  newProjectPage,
  ownIssues,
  ownReviews,
  profilePage,
  projectPage,
  projectsPage,
  requestPage,
  requestsPage,
  searchPage,
} from './pages.ts';

type TrackerRoute = Route<TrackerData, TrackerState>;
type Context = Parameters<TrackerRoute['answer']>[0];

const go = (to: string, state: TrackerState): Answer => ({ kind: 'redirect', to, state });

const onProject =
  (answer: (context: Context, project: Project) => Answer) =>
  (context: Context): Answer => {
    const project = context.state.projects.find(({ slug }) => slug === context.params.slug);
    return project ? answer(context, project) : missing(context.data, context.state);
  };

const onIssue =
  (answer: (context: Context, issue: Issue) => Answer) =>
  (context: Context): Answer => {
    const { slug, number } = context.params;
    const issue = context.state.issues.find((one) => one.project === slug && String(one.number) === number);
    return issue ? answer(context, issue) : missing(context.data, context.state);
  };

const onRequest =
  (answer: (context: Context, request: MergeRequest) => Answer) =>
  (context: Context): Answer => {
    const { slug, number } = context.params;
    const found = context.state.requests.find((one) => one.project === slug && String(one.number) === number);
    return found ? answer(context, found) : missing(context.data, context.state);
  };

function changeIssue(state: TrackerState, issue: Issue, change: Partial<Issue>, notice: string): Answer {
  const issues = state.issues.map((one) => (one === issue ? { ...one, ...change } : one));
  return go(`/${issue.project}/issues/${issue.number}`, { ...state, issues, notice });
}

function changeRequest(
  state: TrackerState,
  request: MergeRequest,
  change: Partial<MergeRequest>,
  notice: string,
): Answer {
  const requests = state.requests.map((one) => (one === request ? { ...one, ...change } : one));
  return go(`/${request.project}/merge_requests/${request.number}`, { ...state, requests, notice });
}

const textOf = (request: SiteRequest, name: string) => (request.form[name] ?? '').trim();
const isUser = (data: TrackerData, user: string) => data.people.some((person) => person.user === user);

function addIssue({ data, state, request }: Context, { slug }: Project): Answer {
  const title = textOf(request, 'title');
  const assignee = textOf(request, 'assignee');
  if (!title || (assignee && !isUser(data, assignee)))
    return go(`/${slug}/issues/new`, { ...state, notice: 'An issue needs a title, and an assignee who exists.' });
  const number =
    Math.max(0, ...state.issues.filter(({ project }) => project === slug).map((issue) => issue.number)) + 1;
  const issue: Issue = {
    project: slug,
    number,
    title,
    text: textOf(request, 'text'),
    author: data.owner.user,
    label: labels.find((one) => one === request.form.label) ?? '',
    open: true,
    assignee,
    day: data.today,
    comments: [],
  };
  return go(`/${slug}/issues/${number}`, {
    ...state,
    issues: [...state.issues, issue],
    notice: 'The issue was created.',
  });
}

function invite({ data, state, request }: Context, { slug }: Project): Answer {
  const user = textOf(request, 'user');
  const role = roles.find((one) => one === request.form.role);
  const back = `/${slug}/members`;
  if (!isUser(data, user) || !role) return go(back, { ...state, notice: 'Name a user who exists, and choose a role.' });
  const others = state.members.filter((member) => member.project !== slug || member.user !== user);
  return go(back, {
    ...state,
    members: [...others, { project: slug, user, role }],
    notice: `${user} is now a member.`,
  });
}

function addProject({ data, state, request }: Context): Answer {
  const name = textOf(request, 'name');
  const slug = slugOf(name);
  if (!slug || state.projects.some((project) => project.slug === slug))
    return go('/new_project', { ...state, notice: 'A project needs a new name.' });
  const project = { slug, name, about: textOf(request, 'about'), stars: 0, license: 'none', commits: [] };
  const members = [...state.members, { project: slug, user: data.owner.user, role: 'Maintainer' as const }];
  return go(`/${slug}`, {
    ...state,
    projects: [...state.projects, project],
    members,
    notice: 'The project was created.',
  });
}

function star({ state }: Context, { slug }: Project): Answer {
  const has = state.starred.includes(slug);
  const starred = has ? state.starred.filter((one) => one !== slug) : [...state.starred, slug];
  const projects = state.projects.map((one) =>
    one.slug === slug ? { ...one, stars: one.stars + (has ? -1 : 1) } : one,
  );
  return go(`/${slug}`, { ...state, starred, projects });
}

const get = (pattern: string, answer: TrackerRoute['answer']): TrackerRoute => ({ method: 'GET', pattern, answer });
const post = (pattern: string, answer: TrackerRoute['answer']): TrackerRoute => ({ method: 'POST', pattern, answer });

const remark = (data: TrackerData, request: SiteRequest) => ({
  author: data.owner.user,
  text: textOf(request, 'text'),
});

const routes: readonly TrackerRoute[] = [
  get('/', ({ data, state }) => projectsPage(data, state)),
  get('/search', ({ data, state, request }) => searchPage(data, state, request.query)),
  get('/issues', ({ data, state }) => ownIssues(data, state)),
  get('/reviews', ({ data, state }) => ownReviews(data, state)),
  get('/profile', ({ data, state }) => profilePage(data, state)),
  post('/profile', ({ state, request }) =>
    go('/profile', { ...state, status: textOf(request, 'status'), notice: 'Your status was set.' }),
  ),
  get('/new_project', ({ data, state }) => newProjectPage(data, state)),
  post('/new_project', addProject),
  get(
    '/:slug',
    onProject(({ data, state }, project) => projectPage(data, state, project)),
  ),
  post('/:slug/star', onProject(star)),
  get(
    '/:slug/members',
    onProject(({ data, state }, project) => membersPage(data, state, project)),
  ),
  post('/:slug/members', onProject(invite)),
  get(
    '/:slug/issues',
    onProject(({ data, state, request }, project) => issuesPage(data, state, project, request.query)),
  ),
  get(
    '/:slug/issues/new',
    onProject(({ data, state }, project) => newIssuePage(data, state, project)),
  ),
  post('/:slug/issues/new', onProject(addIssue)),
  get(
    '/:slug/issues/:number',
    onIssue(({ data, state }, issue) => issuePage(data, state, issue)),
  ),
  post(
    '/:slug/issues/:number/state',
    onIssue(({ state }, issue) =>
      changeIssue(state, issue, { open: !issue.open }, issue.open ? 'Closed.' : 'Reopened.'),
    ),
  ),
  post(
    '/:slug/issues/:number/assign',
    onIssue(({ data, state, request }, issue) => {
      const user = textOf(request, 'user');
      if (!isUser(data, user)) return changeIssue(state, issue, {}, 'There is no such user.');
      return changeIssue(state, issue, { assignee: user }, `Assigned to ${user}.`);
    }),
  ),
  post(
    '/:slug/issues/:number/label',
    onIssue(({ state, request }, issue) => {
      const label = labels.find((one) => one === request.form.label);
      return label
        ? changeIssue(state, issue, { label }, 'The label was set.')
        : changeIssue(state, issue, {}, 'Choose a label.');
    }),
  ),
  post(
    '/:slug/issues/:number/comment',
    onIssue(({ data, state, request }, issue) =>
      textOf(request, 'text')
        ? changeIssue(state, issue, { comments: [...issue.comments, remark(data, request)] }, 'Your comment was added.')
        : changeIssue(state, issue, {}, 'The comment is empty.'),
    ),
  ),
  get(
    '/:slug/merge_requests',
    onProject(({ data, state, request }, project) => requestsPage(data, state, project, request.query)),
  ),
  get(
    '/:slug/merge_requests/:number',
    onRequest(({ data, state }, request) => requestPage(data, state, request)),
  ),
  post(
    '/:slug/merge_requests/:number/approve',
    onRequest(({ data, state }, request) => {
      const { user } = data.owner;
      const has = request.approvedBy.includes(user);
      const approvedBy = has ? request.approvedBy.filter((one) => one !== user) : [...request.approvedBy, user];
      return changeRequest(state, request, { approvedBy }, has ? 'Your approval was revoked.' : 'Approved.');
    }),
  ),
  post(
    '/:slug/merge_requests/:number/merge',
    onRequest(({ state }, request) =>
      request.status !== 'Open' || request.pipeline === 'failed'
        ? changeRequest(state, request, {}, 'It cannot be merged: the pipeline has failed.')
        : changeRequest(state, request, { status: 'Merged' }, 'Merged.'),
    ),
  ),
  post(
    '/:slug/merge_requests/:number/close',
    onRequest(({ state }, request) => changeRequest(state, request, { status: 'Closed' }, 'Closed.')),
  ),
  post(
    '/:slug/merge_requests/:number/reopen',
    onRequest(({ state }, request) => changeRequest(state, request, { status: 'Open' }, 'Reopened.')),
  ),
  post(
    '/:slug/merge_requests/:number/reviewer',
    onRequest(({ data, state, request: { form } }, request) => {
      const user = (form.user ?? '').trim();
      if (!isUser(data, user)) return changeRequest(state, request, {}, 'There is no such user.');
      return changeRequest(state, request, { reviewer: user }, `${user} was asked for a review.`);
    }),
  ),
  post(
    '/:slug/merge_requests/:number/comment',
    onRequest(({ data, state, request: sent }, request) =>
      textOf(sent, 'text')
        ? changeRequest(
            state,
            request,
            { comments: [...request.comments, remark(data, sent)] },
            'Your comment was added.',
          )
        : changeRequest(state, request, {}, 'The comment is empty.'),
    ),
  ),
];

export const tracker: Site<TrackerData, TrackerState & Json> = {
  name: 'tracker',
  host: 'tracker.test',
  title: 'Code Tracker',
  backend: 'tracker',
  open: openTracker,
  start: (data) => startTracker(data) as TrackerState & Json,
  handle: ((data: TrackerData, state: TrackerState, request: SiteRequest) =>
    route(routes, data, state, request, () => missing(data, state))) as never,
};
