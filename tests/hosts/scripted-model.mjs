/**
 * A model that plays a fixed list of tool calls, for hosts that let a user choose the address of the model. It speaks
 * the wire formats of Anthropic (messages), OpenAI (responses, chat completions) and Google (generateContent), each as
 * a stream. The hosts themselves are real: they start Argus' server, run the shell commands and call the hooks.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** The names of the tool that runs a shell command, and the argument that holds the command. */
const SHELL_TOOLS = {
  Bash: 'command',
  bash: 'command',
  shell_command: 'command',
  exec_command: 'cmd',
  run_shell_command: 'command',
};

/**
 * Starts the model. `steps` are shell commands (`{ shell: 'npm test' }`) or calls of a tool of Argus (`{ tool:
 * 'argus_run', input: {} }`). The model calls one per answer, and then says that it is done.
 */
export async function startScriptedModel(steps) {
  const requests = [];
  let next = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const format = FORMATS.find(({ path }) => path.test(request.url ?? ''));
      if (format === undefined) {
        response.writeHead(request.method === 'GET' || request.method === 'HEAD' ? 200 : 404, JSON_TYPE).end('{}');
        return;
      }
      const body = JSON.parse(text || '{}');
      requests.push(body);
      const offered = format.tools(body);
      // Requests without a shell tool are about something else, for example the title of the session.
      const isMain = offered.some((name) => name in SHELL_TOOLS || name === 'exec');
      const step = isMain ? steps[next++] : undefined;
      const call = step === undefined ? undefined : toCall(step, offered);
      if (/\/messages|\/responses|\/completions/u.test(request.url ?? '') && body.stream !== true) {
        response.writeHead(200, JSON_TYPE).end(JSON.stringify(format.whole(call, body)));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of format.events(call, body)) response.write(format.frame(event));
      response.end(format.end ?? '');
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const DONE = 'Done.';

const createId = (kind) => `${kind}_${randomUUID().replaceAll('-', '')}`;

function toCall(step, offered) {
  const id = createId('call');
  // Codex offers some models a single tool that runs JavaScript, in which the other tools are functions.
  if (offered.includes('exec')) {
    const nested = step.shell === undefined ? step.tool : 'exec_command';
    const input = step.shell === undefined ? step.input : { cmd: step.shell };
    const script = `text(JSON.stringify(await tools[${JSON.stringify(nested)}](${JSON.stringify(input)})))`;
    return { id, name: 'exec', script };
  }
  if (step.shell !== undefined) {
    const name = offered.find((one) => one in SHELL_TOOLS);
    return { id, name, input: { [SHELL_TOOLS[name]]: step.shell, description: 'run the tests' } };
  }
  const name = offered.find((one) => one.endsWith(step.tool)) ?? step.fallback ?? step.tool;
  return { id, name, input: step.input };
}

const FORMATS = [
  {
    path: /\/v1\/messages(?:\?|$)/u,
    tools: ({ tools = [] }) => tools.map(({ name }) => name),
    whole: (call, { model }) => ({
      ...createAnthropicMessage(model),
      content: [call === undefined ? { type: 'text', text: DONE } : createToolUse(call, call.input)],
      stop_reason: call === undefined ? 'end_turn' : 'tool_use',
    }),
    events: (call, { model }) => [
      { type: 'message_start', message: createAnthropicMessage(model) },
      {
        type: 'content_block_start',
        index: 0,
        content_block: call === undefined ? { type: 'text', text: '' } : createToolUse(call, {}),
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta:
          call === undefined
            ? { type: 'text_delta', text: DONE }
            : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) },
      },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ],
    frame: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  },
  {
    path: /\/responses(?:\?|$)/u,
    tools: ({ tools = [], input = [] }) =>
      [...tools, ...input.flatMap((item) => (item.type === 'additional_tools' ? item.tools : []))].flatMap((tool) =>
        (tool.tools ?? [tool]).map(({ name }) => name ?? ''),
      ),
    whole: (call) => createOpenAiResponse([createOpenAiItem(call)]),
    events: (call) => {
      const item = createOpenAiItem(call);
      return [
        { type: 'response.created', response: { ...createOpenAiResponse([]), status: 'in_progress' } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: createOpenAiResponse([item]) },
      ];
    },
    frame: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  },
  {
    path: /\/chat\/completions(?:\?|$)/u,
    tools: ({ tools = [] }) => tools.map((tool) => tool.function?.name ?? ''),
    whole: (call, { model }) => ({
      ...createCompletion(model, call),
      choices: [{ index: 0, message: { role: 'assistant', ...createDelta(call) }, finish_reason: finishReason(call) }],
    }),
    events: (call, { model }) => [
      { ...createCompletion(model), choices: [{ index: 0, delta: { role: 'assistant', ...createDelta(call) } }] },
      { ...createCompletion(model), choices: [{ index: 0, delta: {}, finish_reason: finishReason(call) }] },
    ],
    frame: (event) => `data: ${JSON.stringify(event)}\n\n`,
    end: 'data: [DONE]\n\n',
  },
  {
    path: /:(?:streamGenerateContent|generateContent)/u,
    tools: ({ tools = [] }) =>
      tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    events: (call) => [
      {
        candidates: [
          {
            index: 0,
            content: {
              role: 'model',
              parts: [
                call === undefined
                  ? { text: DONE }
                  : { functionCall: { id: call.id, name: call.name, args: call.input } },
              ],
            },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      },
    ],
    frame: (event) => `data: ${JSON.stringify(event)}\n\n`,
  },
];

function createAnthropicMessage(model) {
  return {
    id: createId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

const createToolUse = ({ id, name }, input) => ({ type: 'tool_use', id, name, input });

function createOpenAiResponse(output) {
  return {
    id: createId('resp'),
    object: 'response',
    status: 'completed',
    output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
}

function createOpenAiItem(call) {
  if (call === undefined) {
    return {
      id: createId('msg'),
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [createOutputText()],
    };
  }
  if (call.script !== undefined) {
    const { id, name, script } = call;
    return { id: createId('ctc'), type: 'custom_tool_call', status: 'completed', call_id: id, name, input: script };
  }
  return {
    id: createId('fc'),
    type: 'function_call',
    status: 'completed',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.input),
  };
}

const createOutputText = () => ({ type: 'output_text', text: DONE, annotations: [] });

const createCompletion = (model) => ({ id: createId('chat'), object: 'chat.completion.chunk', created: 0, model });

function createDelta(call) {
  if (call === undefined) return { content: DONE };
  const { id, name, input } = call;
  return {
    content: null,
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
  };
}

const finishReason = (call) => (call === undefined ? 'stop' : 'tool_calls');
