/** Requests sent in the busier of this and the last second: what a process asked for when it is throttled first. */
export class SendRate {
  #second = 0;
  #count = 0;
  #before = 0;

  note(nowMs: number): void {
    this.#turnTo(nowMs);
    this.#count += 1;
  }

  perSecond(nowMs: number): number {
    this.#turnTo(nowMs);
    return Math.max(this.#count, this.#before);
  }

  #turnTo(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#count : 0;
    this.#second = second;
    this.#count = 0;
  }
}
