/**
 * The token of a running server. It arrives in the fragment of the address, which servers and referrers do not see, and
 * is removed from the address immediately. The tab stores it for a reload, and shares it with other tabs of the same
 * server. `live-source.ts` sends the token.
 */

import { createStoredChoice } from '../../lib/stored-choice.ts';
import { splitToken } from './live-source.ts';

const storedToken = createStoredChoice('argus-token', () => sessionStorage);

function takeTokenFromAddress(): string | undefined {
  const given = splitToken(location.hash);
  if (!given) return storedToken.value;
  storedToken.value = given.token;
  history.replaceState(null, '', given.rest || location.pathname);
  return given.token;
}

let currentToken = takeTokenFromAddress();

export const token = {
  /** The token from the address, or the token that this tab stored before a reload. */
  get value(): string | undefined {
    return currentToken;
  },
  set value(given: string | undefined) {
    currentToken = given;
    storedToken.value = given;
  },
};

/*
 * A new tab or a copied address has no token, so the tab asks other tabs. Only pages of the same origin receive the
 * messages.
 */

const CHANNEL_NAME = 'argus-token';
const TOKEN_REQUEST = 'token?';
/** Another tab usually answers in a few milliseconds, but a tab that is busy with drawing takes longer. */
const MAX_ANSWER_WAIT_MS = 400;

/** Returns the token of another open tab, or undefined if no tab answers. */
export function requestTokenFromOtherTabs(): Promise<string | undefined> {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  return new Promise<string | undefined>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data?.token === 'string') resolve(data.token);
    };
    setTimeout(() => resolve(undefined), MAX_ANSWER_WAIT_MS);
    channel.postMessage(TOKEN_REQUEST);
  }).finally(() => channel.close());
}

/** Answers other tabs while this tab is open and `token` returns a token. */
export function answerOtherTabs(token: () => string | undefined): void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.onmessage = ({ data }) => {
    const known = data === TOKEN_REQUEST ? token() : undefined;
    if (known !== undefined) channel.postMessage({ token: known });
  };
}
