/**
 * Builds the research query from the context, and runs the user's program that answers it. Only that program may use
 * the network.
 */

import { ask } from '../../system/ask.ts';
import { clipped, visible } from '../../text/untrusted.ts';
import type { FixContext } from './context-model.ts';

/** Long, because the program searches the web and reads the results. */
const TIMEOUT_MS = 120_000;

/** Limit for the text in a brief. */
const MAX_TEXT_CHARACTERS = 8_000;
const MAX_SOURCES = 20;

export interface ResearchQuery {
  /** The query as a single sentence. */
  query: string;
  /** Markdown of the contract: the summary and then the query. */
  markdown: string;
}

/** The query contains the year, because answers become outdated. */
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
  /** Removes secrets from the output of the program. */
  redact?: ((text: string) => string) | undefined;
}

export interface Research {
  /** Output of the program, cleaned and bounded. Empty if the program failed. */
  text: string;
  /** Addresses in the output. */
  sources: string[];
  /** A sentence about why the output is missing or incomplete. */
  problem: string | null;
}

/** Runs a command line with the query on its standard input. */
export async function runResearch(command: string, query: ResearchQuery, options: ResearchOptions): Promise<Research> {
  const { cwd, signal, timeoutMs = TIMEOUT_MS, env = {}, redact = (text) => text } = options;
  const asked = await ask(command, [], { cwd, signal, timeoutMs, env, shell: true, stdin: query.markdown });
  const problem =
    asked.problem === null ? null : `The research command gave nothing: ${redact(visible(asked.problem))}.`;
  const text = researchText(asked.stdout, redact);
  if (text === '' && problem === null) return { text, sources: [], problem: 'The research command printed nothing.' };
  return { text, sources: sourcesIn(text), problem };
}

/** Cleans and bounds the text from an agent or a program. */
export function researchText(text: string, redact: (text: string) => string = (same) => same): string {
  return clipped(redact(visible(text)).trim(), MAX_TEXT_CHARACTERS);
}

/** Returns the addresses in a text without duplicates, in order. */
export function sourcesIn(text: string): string[] {
  const found = [...text.matchAll(/\bhttps?:\/\/[^\s<>"'`\])}|\\]+/gu)].map((match) =>
    match[0].replace(/[.,;:!?]+$/u, ''),
  );
  return [...new Set(found)].slice(0, MAX_SOURCES);
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
