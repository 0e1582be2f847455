/**
 * The research query made of the context, and a person's own program that answers it. Only that program may use the
 * network.
 */

import { ask } from '../../system/ask.ts';
import { clipped, visible } from '../../text/untrusted.ts';
import type { FixContext } from './context-model.ts';

/** Searching the web and reading what was found takes a while. */
const TIMEOUT_MS = 120_000;

/** What goes into a brief. */
const MAX_TEXT_CHARACTERS = 8_000;
const MAX_SOURCES = 20;

export interface ResearchQuery {
  /** The sentence alone. */
  query: string;
  /** The contract's Markdown: the summary, and the query under it. */
  markdown: string;
}

/** The year is asked for, because answers age. */
export function researchQuery(context: FixContext, year: number): ResearchQuery {
  const { error_type, location, hypothesis, tech_stack, environment } = context;
  const stack = tech_stack.join(', ');
  const query = oneLine(
    `How to fix ${error_type || 'an error'}${stack ? ` in ${stack}` : ''} when ${hypothesis} ` +
      `best practices defensive programming ${year}`,
  );
  const markdown = [
    '## Context Summary',
    `- Error: ${oneLine(error_type) || 'unknown'}`,
    `- Location: ${location ?? 'unknown'}`,
    `- Function: ${context.function ?? 'unknown'}`,
    `- Root Cause Hypothesis: ${oneLine(hypothesis)}`,
    `- Tech Stack: ${stack || 'unknown'}`,
    `- Environment: ${environment}`,
    '',
    '## Generated Research Query',
    `"${query}"`,
    '',
  ];
  return { query, markdown: markdown.join('\n') };
}

export interface ResearchOptions {
  cwd: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  env?: Readonly<Record<string, string>>;
  /** Takes secrets out of what the program prints. */
  redact?: ((text: string) => string) | undefined;
}

export interface Research {
  /** What it printed, cleaned and bounded; empty where it failed. */
  text: string;
  /** The addresses in it. */
  sources: string[];
  /** Why there is nothing, or not all, as a sentence. */
  problem: string | null;
}

/** Gives the query to a command line on its standard input. */
export async function runResearch(command: string, query: ResearchQuery, options: ResearchOptions): Promise<Research> {
  const { cwd, signal, timeoutMs = TIMEOUT_MS, env = {}, redact = (text) => text } = options;
  const asked = await ask(command, [], { cwd, signal, timeoutMs, env, shell: true, stdin: query.markdown });
  const problem =
    asked.problem === null ? null : `The research command gave nothing: ${redact(visible(asked.problem))}.`;
  const text = researchText(asked.stdout, redact);
  if (text === '' && problem === null) return { text, sources: [], problem: 'The research command printed nothing.' };
  return { text, sources: sourcesIn(text), problem };
}

/** What an agent or a program found, as it may be shown. */
export function researchText(text: string, redact: (text: string) => string = (same) => same): string {
  return clipped(redact(visible(text)).trim(), MAX_TEXT_CHARACTERS);
}

/** Addresses in a text, each once, in order. */
export function sourcesIn(text: string): string[] {
  const found = [...text.matchAll(/\bhttps?:\/\/[^\s<>"'`\])}|\\]+/gu)].map((match) =>
    match[0].replace(/[.,;:!?]+$/u, ''),
  );
  return [...new Set(found)].slice(0, MAX_SOURCES);
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
