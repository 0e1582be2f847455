/** Formats the analysis of one text for the terminal. */

import type { Inspection } from 'argus-engine';
import { indented, lines, paint } from '../terminal.ts';

export function formatInspection(inspection: Inspection): string {
  const { category, failureKind, rule, evidence, redactions, normalized, signature, familySignature } = inspection;
  return lines([
    `category   ${paint.bold(category)}`,
    `kind       ${failureKind}`,
    `rule       ${rule}`,
    evidence && `evidence   ${evidence.text} (${evidence.start}-${evidence.end})`,
    redactions.length > 0 && `redacted   ${redactions.join(', ')}`,
    `signature  ${signature}`,
    `family     ${familySignature}`,
    'normalized',
    indented(normalized),
  ]);
}
