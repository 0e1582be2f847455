/**
 * Shares the token between tabs of the same server, because a new tab or a copied address has no token. Only pages of
 * the same origin receive the messages. `token.ts` keeps the token.
 */

const NAME = 'argus-token';
const QUESTION = 'token?';
/** Another tab usually answers in a few milliseconds. A tab that is busy with drawing takes longer. */
const PATIENCE_MS = 400;

/** Returns the token of another open tab, or undefined if no tab answers. */
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

/** Answers other tabs while this tab is open and `token` returns a token. */
export function answerOtherTabs(token: () => string | undefined): void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }) => {
    const known = data === QUESTION ? token() : undefined;
    if (known !== undefined) channel.postMessage({ token: known });
  };
}
