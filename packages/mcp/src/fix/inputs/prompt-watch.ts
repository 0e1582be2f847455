/**
 * Notices that a running command waits for somebody to type: it is silent, and one of its processes reads its input.
 * Where the system does not show that, silence behind something that looks like a prompt counts, said as less sure.
 */

import { readlinkSync } from 'node:fs';
import { namesOrEmpty, textOrEmpty } from '../../system/files/or-empty.ts';
import { visible } from '../../text/untrusted.ts';

/** Slower than any program thinks between two questions, faster than any person loses patience. */
const QUIET_MS = 3_000;

/** Without proof a program may as well be computing. */
const QUIET_UNPROVEN_MS = 10_000;

const POLL_MS = 500;

/** Of the output only its last lines can be a prompt. */
const TAIL_CHARACTERS = 2_000;

export interface PendingPrompt {
  /** The last thing it printed, as a person would see it; empty where it printed nothing. */
  prompt: string;
  /** The system showed a read that waits. */
  proven: boolean;
  /** The program that reads; null where that is not known. */
  reader: string | null;
  /** A sentence for people. */
  because: string;
}

export interface PromptWatch {
  /** Call with everything that is printed. */
  output(text: string): void;
  stop(): void;
}

export interface WatchOptions {
  /** The leader of the command's process group. */
  pid: number;
  /** Called for each question once; output that follows begins the next. */
  onPrompt(pending: PendingPrompt): void;
  quietMs?: number;
  quietUnprovenMs?: number;
  platform?: NodeJS.Platform;
}

export function watchForPrompt(options: WatchOptions): PromptWatch {
  const { pid, onPrompt, quietMs = QUIET_MS, quietUnprovenMs = QUIET_UNPROVEN_MS } = options;
  const platform = options.platform ?? process.platform;
  let tail = '';
  let lastOutput = performance.now();
  let told = false;
  const look = () => {
    const quiet = performance.now() - lastOutput;
    if (told || quiet < quietMs) return;
    const prompt = lastLine(tail);
    const reader = platform === 'linux' ? waitingReader(pid) : null;
    const proven = reader !== null;
    if (!proven && (quiet < quietUnprovenMs || !looksLikePrompt(tail))) return;
    told = true;
    const silence = `it has printed nothing for ${Math.round(quiet / 1_000)} s`;
    const because = reader ? `${silence} and ${reader.waits}` : `${silence} since something that looks like a question`;
    onPrompt({ prompt, proven, reader: reader?.name ?? null, because });
  };
  const timer = setInterval(look, POLL_MS);
  timer.unref();
  return {
    output(text) {
      if (text === '') return;
      tail = (tail + text).slice(-TAIL_CHARACTERS);
      lastOutput = performance.now();
      told = false;
    },
    stop: () => clearInterval(timer),
  };
}

/** What a program showed last, when it ended because nobody typed anything. */
export function lastLine(output: string): string {
  const lines = visible(output.slice(-TAIL_CHARACTERS).replaceAll(/\r(?!\n)/gu, '\n')).split('\n');
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim();
}

/** An unfinished line that ends like a question, or a finished one that asks for yes or no. */
export function looksLikePrompt(output: string): boolean {
  const last = lastLine(output);
  if (last === '' || last.length > 200) return false;
  if (/[[(]\s*(?:y(?:es)?\s*\/\s*no?|yes\/no[^\])]*)\s*[\])]\s*[:?]?$/iu.test(last)) return true;
  const unfinished = !/\n\s*$/u.test(output);
  return unfinished && /(?:[?:>]|[\])][:>]?|\b(?:password|passphrase|continue|proceed|enter|yes\/no))\s*$/iu.test(last);
}

/** A process of the group that waits in a read of its input, described; null where none does. */
function waitingReader(group: number): { name: string; waits: string } | null {
  for (const pid of groupMembers(group)) {
    const descriptor = pendingRead(pid);
    if (descriptor === null) continue;
    const target = link(`/proc/${pid}/fd/${descriptor}`);
    // A pipe between two programs of the command is not its input, unless it is descriptor 0 of its first reader.
    const isTerminal = /^\/dev\/(?:tty|pts\/|console)/u.test(target);
    const isInput = descriptor === 0 && (/^(?:pipe|socket):/u.test(target) || isTerminal);
    if (!isTerminal && !(isInput && !fedByGroup(target, group, pid))) continue;
    const name = nameOf(pid);
    return { name, waits: `${name} (process ${pid}) waits for ${isTerminal ? 'the terminal' : 'its standard input'}` };
  }
  return null;
}

/** Numbers of `read` where the system call's number is all there is: x86-64 and arm64; the latter waits in ppoll too. */
const READ_CALLS = new Set(process.arch === 'arm64' ? ['63'] : ['0']);

/** The descriptor a process waits to read from, by what the kernel says of its system call. */
function pendingRead(pid: number): number | null {
  const [call = '', descriptor = ''] = textOrEmpty(`/proc/${pid}/syscall`).split(' ');
  if (READ_CALLS.has(call)) return Number.parseInt(descriptor, 16);
  if (call !== '' && call !== 'running') return null;
  // Where system calls are hidden the place in the kernel may not be.
  const place = textOrEmpty(`/proc/${pid}/wchan`);
  return /^(?:anon_)?pipe_read$|^n_tty_read$|^wait_woken$|^unix_stream_read/u.test(place) ? 0 : null;
}

/** Whether another process of the command holds the writing end: then it is a pipeline at work. */
function fedByGroup(target: string, group: number, reader: number): boolean {
  return groupMembers(group).some((pid) => {
    if (pid === reader) return false;
    return descriptors(pid).some((fd) => fd !== '0' && link(`/proc/${pid}/fd/${fd}`) === target && isWritable(pid, fd));
  });
}

function isWritable(pid: number, fd: string): boolean {
  const flags = /^flags:\s*(\d+)/mu.exec(textOrEmpty(`/proc/${pid}/fdinfo/${fd}`))?.[1];
  // The lowest two bits: 0 reads, 1 writes, 2 does both.
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0;
}

/** All processes of a group, and what they started in groups of their own below it. */
function groupMembers(group: number): number[] {
  const rows = namesOrEmpty('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map((name) => {
      // `pid (name) state ppid pgrp session ...`; the name may hold anything.
      const [, parent = '', own = ''] = textOrEmpty(`/proc/${name}/stat`)
        .replace(/^.*\)\s/su, '')
        .split(' ');
      return { pid: Number(name), parent: Number(parent), group: Number(own) };
    });
  const members = new Set(rows.filter((row) => row.group === group).map(({ pid }) => pid));
  for (let size = -1; size !== members.size; ) {
    size = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  return [...members];
}

/** Of the program, not of the script it runs. */
function nameOf(pid: number): string {
  const program = link(`/proc/${pid}/exe`).split('/').at(-1) ?? '';
  return program || textOrEmpty(`/proc/${pid}/comm`).trim() || 'a program';
}

function descriptors(pid: number): string[] {
  return namesOrEmpty(`/proc/${pid}/fd`);
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
