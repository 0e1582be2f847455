/**
 * Exchanges messages with the chat that shows this page (MCP Apps, 2026-01-26): receives the tool's result and the
 * style, and sends the size. It does not use the library's class, because that adds 146 kB of schemas; only the types
 * come from the library. Messages may have any shape, so each field is checked.
 */

import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiSizeChangedNotification,
  McpUiStyleVariableKey,
} from '@modelcontextprotocol/ext-apps';

export interface HostListener {
  /** Receives the unchecked answer of the tool. */
  result(content: unknown, isError: boolean): void;
  /** Receives the changed parts of the chat's style. */
  context(context: McpUiHostContext): void;
}

const INITIALIZE_REQUEST_ID = 'argus-initialize';
const PROTOCOL: McpUiInitializeRequest['params']['protocolVersion'] = '2026-01-26';

type HostMessage = Readonly<Record<string, unknown>>;

/** Starts exchanging messages. The returned function stops it. */
export function listenToHost(listener: HostListener, host: Window = window.parent): () => void {
  const send = (message: HostMessage) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const take = (event: MessageEvent<unknown>) => {
    if (event.source === host && isObject(event.data)) handleMessage(event.data, listener, send);
  };
  window.addEventListener('message', take);
  const params: McpUiInitializeRequest['params'] = {
    appInfo: { name: 'argus-patterns', version: '1' },
    appCapabilities: {},
    protocolVersion: PROTOCOL,
  };
  send({ id: INITIALIZE_REQUEST_ID, method: 'ui/initialize', params });
  return () => window.removeEventListener('message', take);
}

function handleMessage(message: HostMessage, listener: HostListener, send: (message: HostMessage) => void): void {
  const { id, method, params, result } = message;
  if (id === INITIALIZE_REQUEST_ID && isObject(result)) {
    if (isObject(result.hostContext)) listener.context(result.hostContext);
    send({ method: 'ui/notifications/initialized' });
    reportSize(send);
  } else if (method === 'ui/notifications/tool-result' && isObject(params)) {
    listener.result(params.structuredContent, params.isError === true);
  } else if (method === 'ui/notifications/host-context-changed' && isObject(params)) {
    listener.context(params);
  } else if (id !== undefined && (method === 'ping' || method === 'ui/resource-teardown')) {
    send({ id, result: {} });
  } else if (id !== undefined && typeof method === 'string') {
    send({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

/** Makes the frame as high as its content. */
function reportSize(send: (message: HostMessage) => void): void {
  const observer = new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const params: McpUiSizeChangedNotification['params'] = { width: Math.ceil(width), height: Math.ceil(height) };
    send({ method: 'ui/notifications/size-changed', params });
  });
  observer.observe(document.documentElement);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Style variables of the page, each with the chat's variable that replaces it. */
const COLOR_VARIABLES: readonly (readonly [string, McpUiStyleVariableKey])[] = [
  ['--bg', '--color-background-primary'],
  ['--raised', '--color-background-primary'],
  ['--surface', '--color-background-secondary'],
  ['--sunken', '--color-background-tertiary'],
  ['--text', '--color-text-primary'],
  ['--text-2', '--color-text-secondary'],
  ['--line', '--color-border-primary'],
];
const FONT_VARIABLES: readonly (readonly [string, McpUiStyleVariableKey])[] = [
  ['--sans', '--font-sans'],
  ['--mono', '--font-mono'],
];

/** Applies the chat's style to this page: the theme, and the colors and fonts that the page also has. */
export function applyHostStyle(context: McpUiHostContext, root: HTMLElement = document.documentElement): void {
  const { theme, styles, locale } = context;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  if (typeof locale === 'string') root.lang = locale;
  const given = styles?.variables;
  if (given === undefined) return;
  for (const [ours, theirs] of COLOR_VARIABLES) setStyleVariable(root, ours, 'color', given[theirs]);
  for (const [ours, theirs] of FONT_VARIABLES) setStyleVariable(root, ours, 'font-family', given[theirs]);
}

/** Sets a style variable, unless the value is not valid for the CSS property. */
function setStyleVariable(root: HTMLElement, name: string, property: string, value: unknown): void {
  if (typeof value === 'string' && CSS.supports(property, value)) root.style.setProperty(name, value);
}
