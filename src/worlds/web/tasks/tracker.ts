/** Tasks in the project tracker: issues, merge requests, members. */
import type { Random } from '../sites/random.ts';
import {
  type Issue,
  labels,
  type MergeRequest,
  type Project,
  roles,
  type TrackerData,
  type TrackerState,
} from '../sites/tracker/data.ts';
import { tracker } from '../sites/tracker/index.ts';
import {
  answerIs,
  type DrawContext,
  endsAt,
  type MadeTask,
  notPossible,
  type PlanStep,
  shows,
  type Template,
} from './template.ts';

const home = 'http://tracker.test/';

interface Here {
  data: TrackerData;
  state: TrackerState;
  random: Random;
}

const here = ({ net, random }: DrawContext): Here => {
  const data = net.dataOf<TrackerData>(tracker);
  return { data, state: tracker.start(data) as TrackerState, random };
};

const make = (
  name: string,
  turns: Template['turns'],
  draw: (here: Here) => Omit<MadeTask, 'start'> | null,
  more: Partial<Template> = {},
): Template => ({
  name: `tracker-${name}`,
  sites: ['tracker'],
  turns,
  feasible: true,
  ...more,
  draw: (context) => {
    const made = draw(here(context));
    return made && { start: [home], ...made };
  },
});

const pick = <T>(random: Random, from: readonly T[]): T | null => (from.length ? random.pick(from) : null);
const projectOf = ({ state, random }: Here) => random.pick(state.projects);
const nameOf = (state: TrackerState, slug: string) => state.projects.find((project) => project.slug === slug)!.name;

const issuePath = ({ project, number }: Issue) => `/${project}/issues/${number}`;
const toIssue = (issue: Issue): PlanStep[] => [
  { visit: `/${issue.project}` },
  { visit: `/${issue.project}/issues` },
  ...(issue.open ? [] : [{ visit: `/${issue.project}/issues?state=closed` }]),
  { visit: issuePath(issue) },
];
const requestPath = ({ project, number }: MergeRequest) => `/${project}/merge_requests/${number}`;
const toRequest = (request: MergeRequest): PlanStep[] => [
  { visit: `/${request.project}` },
  { visit: `/${request.project}/merge_requests` },
  { visit: requestPath(request) },
];
const whole = (path: string) => home + path.slice(1);
/** Description of an issue in an intent. */
const called = (state: TrackerState, { project, title }: { project: string; title: string }) =>
  `"${title}" of ${nameOf(state, project)}`;

export const trackerTemplates: readonly Template[] = [
  make('open-project', 'short', (all) => {
    const { slug, name } = projectOf(all);
    return {
      intent: `Open the project ${name}.`,
      gaps: { name },
      evaluation: endsAt(home + slug),
      plan: [{ visit: `/${slug}` }, { stop: '' }],
    };
  }),
  make('own-page', 'short', ({ random }) => {
    const [path, name] = random.pick([
      ['issues', 'the issues assigned to me'],
      ['reviews', 'the merge requests I have to review'],
      ['profile', 'my profile'],
    ] as const);
    return {
      intent: `Show ${name}.`,
      gaps: { name },
      evaluation: endsAt(home + path),
      plan: [{ visit: `/${path}` }, { stop: '' }],
    };
  }),
  make('license', 'medium', (all) => {
    const { slug, name, license } = projectOf(all);
    return {
      intent: `Under which license is ${name}?`,
      gaps: { name },
      evaluation: answerIs(license),
      plan: [{ visit: `/${slug}` }, { stop: license }],
    };
  }),
  make('most-commits', 'medium', (all) => {
    const { slug, name, commits } = projectOf(all);
    const [first] = [...commits].sort((a, b) => b.count - a.count);
    return {
      intent: `Who has made the most commits to ${name}?`,
      gaps: { name },
      evaluation: answerIs(first.author),
      plan: [{ visit: `/${slug}` }, { stop: first.author }],
    };
  }),
  make('star', 'medium', (all) => {
    const { slug, name, stars } = projectOf(all);
    return {
      intent: `Star the project ${name}.`,
      gaps: { name },
      evaluation: shows({ url: home + slug, at: '.stars', text: `${stars + 1} stars` }),
      plan: [{ visit: `/${slug}` }, { submit: `/${slug}/star` }, { stop: '' }],
    };
  }),
  make('closed-issues', 'medium', (all) => {
    const { slug, name } = projectOf(all);
    return {
      intent: `Show the closed issues of ${name}.`,
      gaps: { name },
      evaluation: endsAt(`${home}${slug}/issues?state=closed`),
      plan: [
        { visit: `/${slug}` },
        { visit: `/${slug}/issues` },
        { visit: `/${slug}/issues?state=closed` },
        { stop: '' },
      ],
    };
  }),
  make('label-filter', 'medium', (all) => {
    const { slug, name } = projectOf(all);
    const label = all.random.pick(labels);
    const address = `/${slug}/issues?state=open&label=${label.replace(' ', '+')}`;
    return {
      intent: `Show the open issues of ${name} that have the label ${label}.`,
      gaps: { name, label },
      evaluation: endsAt(whole(address)),
      plan: [{ visit: `/${slug}` }, { visit: `/${slug}/issues` }, { visit: address }, { stop: '' }],
    };
  }),
  make('issue-author', 'medium', ({ state, random }) => {
    const issue = random.pick(state.issues.filter(({ open }) => open));
    return {
      intent: `Who opened the issue ${called(state, issue)}?`,
      gaps: { title: issue.title },
      evaluation: answerIs(issue.author),
      plan: [...toIssue(issue), { stop: issue.author }],
    };
  }),
  make('close-issue', 'long', ({ state, random }) => {
    const issue = random.pick(state.issues.filter(({ open }) => open));
    return {
      intent: `Close the issue ${called(state, issue)}.`,
      gaps: { title: issue.title },
      evaluation: shows({ url: whole(issuePath(issue)), at: '.state', text: 'Closed' }),
      plan: [...toIssue(issue), { submit: `${issuePath(issue)}/state` }, { stop: '' }],
    };
  }),
  make(
    'reopen-issue',
    'long',
    ({ state, random }) => {
      const issue = pick(
        random,
        state.issues.filter(({ open }) => !open),
      );
      if (!issue) return null;
      return {
        intent: `Reopen the closed issue ${called(state, issue)}.`,
        gaps: { title: issue.title },
        evaluation: shows({ url: whole(issuePath(issue)), at: '.state', text: 'Open' }),
        plan: [...toIssue(issue), { submit: `${issuePath(issue)}/state` }, { stop: '' }],
      };
    },
    { heldOut: true },
  ),
  make('assign', 'long', ({ data, state, random }) => {
    const issue = random.pick(state.issues.filter(({ open }) => open));
    const { user } = random.pick(data.people.filter((person) => person.user !== issue.assignee));
    return {
      intent: `Assign the issue ${called(state, issue)} to ${user}.`,
      gaps: { title: issue.title, user },
      evaluation: shows({ url: whole(issuePath(issue)), at: '.assignee', text: user }),
      plan: [...toIssue(issue), { submit: `${issuePath(issue)}/assign`, fields: { user } }, { stop: '' }],
    };
  }),
  make('label', 'long', ({ state, random }) => {
    const issue = random.pick(state.issues.filter(({ open }) => open));
    const label = random.pick(labels.filter((one) => one !== issue.label));
    return {
      intent: `Give the issue ${called(state, issue)} the label ${label}.`,
      gaps: { title: issue.title, label },
      evaluation: shows({ url: whole(issuePath(issue)), at: '.label', text: label }),
      plan: [...toIssue(issue), { submit: `${issuePath(issue)}/label`, fields: { label } }, { stop: '' }],
    };
  }),
  make('comment-issue', 'long', ({ data, state, random }) => {
    const issue = random.pick(state.issues.filter(({ open }) => open));
    const text = random.pick(['On it', 'Cannot reproduce', 'Duplicate', 'Fixed on main']);
    return {
      intent: `Comment "${text}" on the issue ${called(state, issue)}.`,
      gaps: { title: issue.title, text },
      evaluation: shows({
        url: whole(issuePath(issue)),
        at: 'article:last-of-type',
        text: `${data.owner.user}: ${text}`,
      }),
      plan: [...toIssue(issue), { submit: `${issuePath(issue)}/comment`, fields: { text } }, { stop: '' }],
    };
  }),
  make('new-issue', 'long', (all) => {
    const { data, state, random } = all;
    const { slug, name } = projectOf(all);
    const title = random.pick(['Typo on the first page', 'Add a dark theme', 'Speed up the build', 'Broken link']);
    const { user } = random.pick(data.people);
    const number = Math.max(...state.issues.filter(({ project }) => project === slug).map((issue) => issue.number)) + 1;
    const url = `${home}${slug}/issues/${number}`;
    return {
      intent: `Create an issue "${title}" in ${name} and assign it to ${user}.`,
      gaps: { name, title, user },
      evaluation: shows({ url, at: 'h1', text: title }, { url, at: '.assignee', text: user }),
      plan: [
        { visit: `/${slug}` },
        { visit: `/${slug}/issues` },
        { visit: `/${slug}/issues/new` },
        { submit: `/${slug}/issues/new`, fields: { title, assignee: user } },
        { stop: '' },
      ],
    };
  }),
  make('approve', 'long', ({ data, state, random }) => {
    const request = random.pick(
      state.requests.filter(({ status, reviewer }) => status === 'Open' && reviewer === data.owner.user),
    );
    return {
      intent: `Approve the merge request ${called(state, request)}.`,
      gaps: { title: request.title },
      evaluation: shows({ url: whole(requestPath(request)), at: '.approved', text: data.owner.user }),
      plan: [
        { visit: '/reviews' },
        { visit: requestPath(request) },
        { submit: `${requestPath(request)}/approve` },
        { stop: '' },
      ],
    };
  }),
  make('merge', 'long', ({ state, random }) => {
    const request = pick(
      random,
      state.requests.filter(({ status, pipeline }) => status === 'Open' && pipeline === 'passed'),
    );
    if (!request) return null;
    return {
      intent: `Merge the merge request ${called(state, request)}.`,
      gaps: { title: request.title },
      evaluation: shows({ url: whole(requestPath(request)), at: '.state', text: 'Merged' }),
      plan: [...toRequest(request), { submit: `${requestPath(request)}/merge` }, { stop: '' }],
    };
  }),
  make('close-request', 'long', ({ state, random }) => {
    const request = random.pick(state.requests.filter(({ status }) => status === 'Open'));
    return {
      intent: `Close the merge request ${called(state, request)} without merging it.`,
      gaps: { title: request.title },
      evaluation: shows({ url: whole(requestPath(request)), at: '.state', text: 'Closed' }),
      plan: [...toRequest(request), { submit: `${requestPath(request)}/close` }, { stop: '' }],
    };
  }),
  make('comment-request', 'long', ({ data, state, random }) => {
    const request = random.pick(state.requests.filter(({ status }) => status === 'Open'));
    const text = random.pick(['Please add a test', 'Looks good', 'Split this in two', 'Rebase, please']);
    return {
      intent: `Comment "${text}" on the merge request ${called(state, request)}.`,
      gaps: { title: request.title, text },
      evaluation: shows({
        url: whole(requestPath(request)),
        at: 'article:last-of-type',
        text: `${data.owner.user}: ${text}`,
      }),
      plan: [...toRequest(request), { submit: `${requestPath(request)}/comment`, fields: { text } }, { stop: '' }],
    };
  }),
  make(
    'reviewer',
    'long',
    ({ data, state, random }) => {
      const request = random.pick(state.requests.filter(({ status }) => status === 'Open'));
      const { user } = random.pick(data.people.filter((person) => person.user !== request.reviewer));
      return {
        intent: `Ask ${user} to review the merge request ${called(state, request)}.`,
        gaps: { title: request.title, user },
        evaluation: shows({ url: whole(requestPath(request)), at: '.reviewer', text: user }),
        plan: [...toRequest(request), { submit: `${requestPath(request)}/reviewer`, fields: { user } }, { stop: '' }],
      };
    },
    { heldOut: true },
  ),
  make('changed-lines', 'long', ({ state, random }) => {
    const request = random.pick(state.requests.filter(({ status }) => status === 'Open'));
    const file = random.pick(request.files);
    return {
      intent: `How many lines does the merge request ${called(state, request)} add to ${file.name}?`,
      gaps: { title: request.title, file: file.name },
      evaluation: answerIs(String(file.added)),
      plan: [...toRequest(request), { stop: String(file.added) }],
    };
  }),
  make('invite', 'long', (all) => {
    const { data, state, random } = all;
    const project: Project = projectOf(all);
    const members = state.members.filter((member) => member.project === project.slug).map(({ user }) => user);
    const outsider = pick(
      random,
      data.people.filter(({ user }) => !members.includes(user)),
    );
    if (!outsider) return null;
    const role = random.pick(roles);
    return {
      intent: `Invite ${outsider.user} to ${project.name} as ${role}.`,
      gaps: { name: project.name, user: outsider.user, role },
      evaluation: shows({ url: `${home}${project.slug}/members`, at: `.role-${outsider.user}`, text: role }),
      plan: [
        { visit: `/${project.slug}` },
        { visit: `/${project.slug}/members` },
        { submit: `/${project.slug}/members`, fields: { user: outsider.user, role } },
        { stop: '' },
      ],
    };
  }),
  make('status', 'medium', ({ random }) => {
    const status = random.pick(['Busy', 'Out of office', 'Reviewing', 'At lunch']);
    return {
      intent: `Set my status to "${status}".`,
      gaps: { status },
      evaluation: shows({ url: `${home}profile`, at: '.user-status', text: status }),
      plan: [{ visit: '/profile' }, { submit: '/profile', fields: { status } }, { stop: '' }],
    };
  }),
  make(
    'new-project',
    'medium',
    ({ random }) => {
      const name = random.pick(['Garnet', 'Harbor', 'Indigo', 'Juniper']);
      const about = random.pick(['Notes and drafts', 'A small tool', 'Work in progress']);
      return {
        intent: `Create a project "${name}" about "${about}".`,
        gaps: { name, about },
        evaluation: shows({ url: home + name.toLowerCase(), at: '.about', text: about }),
        plan: [{ visit: '/new_project' }, { submit: '/new_project', fields: { name, about } }, { stop: '' }],
      };
    },
    { heldOut: true },
  ),
  make(
    'cannot-merge',
    'long',
    ({ state, random }) => {
      const request = pick(
        random,
        state.requests.filter(({ status, pipeline }) => status === 'Open' && pipeline === 'failed'),
      );
      if (!request) return null;
      return {
        intent: `Merge the merge request ${called(state, request)}. If it cannot be merged, answer N/A.`,
        gaps: { title: request.title },
        evaluation: notPossible,
        plan: [...toRequest(request), { stop: 'N/A' }],
      };
    },
    { feasible: false },
  ),
];
