/**
 * The token between tabs of one server: a link opened in a new tab, or an address that was copied, has none. Only pages
 * of the same origin hear each other here. Keeping a token: token.ts.
 */

const NAME = 'argus-token';
const QUESTION = 'token?';
/** Another tab answers within a few; one that is busy drawing takes longer. */
const PATIENCE_MS = 400;

/** What another open tab has; undefined where there is none. */
export function askOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(NAME);
  return new Promise<string | undefined>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data?.token === 'string') resolve(data.token);
    };
    setTimeout(() => resolve(undefined), PATIENCE_MS);
    channel.postMessage(QUESTION);
  }).finally(() => channel.close());
}

/** Answers other tabs as long as this one is open and `token` gives one. */
export function answerOtherTabs(token: () => string | undefined): void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    const known = data === QUESTION ? token() : undefined;
    if (known !== undefined) channel.postMessage({ token: known });
  };
}
