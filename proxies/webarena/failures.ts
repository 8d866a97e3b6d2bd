/** What ends an episode that is not the agent's doing, or that it may not do: each by its name. The others go on. */

export type FailureName =
  | 'BrowserLost'
  | 'PageCrashed'
  | 'PageHung'
  | 'TooManyPages'
  | 'TooManyDialogs'
  | 'ResponseTooLarge'
  | 'EpisodeTooLarge'
  | 'LoginFailed';

/** The episode is over. */
export class EpisodeFailure extends Error {
  constructor(
    override readonly name: FailureName,
    message: string,
  ) {
    super(message);
  }
}

/** The agent asked for an address that it may not reach. The page stays as it is, and the episode goes on. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}
