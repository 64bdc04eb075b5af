/** A token bucket as servers have it: `perSecond` requests a second, `burst` at once. `allow` takes one if there is one. */
export class RateLimit {
  allowed = 0;
  refused = 0;
  perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #atMs = performance.now();

  constructor(perSecond: number, burst = 5) {
    this.perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  allow(): boolean {
    const nowMs = performance.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.perSecond);
    this.#atMs = nowMs;
    const isAllowed = this.#tokens >= 1;
    if (isAllowed) {
      this.#tokens -= 1;
      this.allowed += 1;
    } else this.refused += 1;
    return isAllowed;
  }
}
