// What `node --test` prints to what is no terminal unless it is told otherwise: Node 23 went from TAP to its own text.
import { spec, tap } from 'node:test/reporters';

const SPEC_SINCE = 23;

export default Number.parseInt(process.versions.node, 10) < SPEC_SINCE ? tap : spec;
