/** Metrics of the server in the text format of Prometheus. */

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Upper bounds in seconds, from one read in a small memory to a request that is too slow. */
const BUCKETS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'call' | 'status'>;
  readonly #seconds: Histogram<'call'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'argus_requests_total',
      help: 'Requests by call and HTTP status.',
      labelNames: ['call', 'status'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'argus_request_duration_seconds',
      help: 'Time from the first byte of a request to its answer.',
      labelNames: ['call'],
      buckets: BUCKETS,
      registers,
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  recordRequest(call: string, status: number, seconds: number): void {
    this.#requests.inc({ call, status: String(status) });
    this.#seconds.observe({ call }, seconds);
  }

  format(): Promise<string> {
    return this.#registry.metrics();
  }
}
