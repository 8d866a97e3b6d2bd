/**
 * Named failures that end one episode: the agent did not cause them, or it exceeded a bound. Other episodes continue.
 */

export type FailureName =
  | 'BrowserLost'
  | 'PageCrashed'
  | 'PageHung'
  | 'TooManyPages'
  | 'TooManyDialogs'
  | 'ResponseTooLarge'
  | 'EpisodeTooLarge'
  | 'DocumentTooLarge'
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

/** The agent requested a forbidden address. The page stays, and the episode continues. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress';
}
