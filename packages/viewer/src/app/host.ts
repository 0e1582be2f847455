/**
 * Exchanges messages with the chat that shows this page (MCP Apps, 2026-01-26): receives the tool's result and the
 * look, sends the size. Written by hand, because the library's class adds 146 kB of schemas. The types come from the
 * library. Messages may have any shape, so each field is checked.
 */

import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiSizeChangedNotification,
} from '@modelcontextprotocol/ext-apps';

export interface HostListener {
  /** The unchecked answer of the tool. */
  result(content: unknown, isError: boolean): void;
  /** Contains only the changed parts of the look. */
  context(context: McpUiHostContext): void;
}

const INITIALIZE = 'argus-initialize';
const PROTOCOL: McpUiInitializeRequest['params']['protocolVersion'] = '2026-01-26';

type Message = Readonly<Record<string, unknown>>;

/** Starts the conversation. The returned function ends it. */
export function listen(listener: HostListener, host: Window = window.parent): () => void {
  const send = (message: Message) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const take = (event: MessageEvent<unknown>) => {
    if (event.source === host && isObject(event.data)) answer(event.data, listener, send);
  };
  window.addEventListener('message', take);
  const params: McpUiInitializeRequest['params'] = {
    appInfo: { name: 'argus-patterns', version: '1' },
    appCapabilities: {},
    protocolVersion: PROTOCOL,
  };
  send({ id: INITIALIZE, method: 'ui/initialize', params });
  return () => window.removeEventListener('message', take);
}

function answer(message: Message, listener: HostListener, send: (message: Message) => void): void {
  const { id, method, params, result } = message;
  if (id === INITIALIZE && isObject(result)) {
    if (isObject(result.hostContext)) listener.context(result.hostContext);
    send({ method: 'ui/notifications/initialized' });
    tellSize(send);
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
function tellSize(send: (message: Message) => void): void {
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
