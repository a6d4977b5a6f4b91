/** Line lets so many be served at once. The others wait in the order in which they came, and get no byte meanwhile. */
export class Line {
  #free;
  #waiting = [];

  constructor(parallel) {
    this.#free = parallel;
  }

  /** enter resolves to what is to be called at the end of the service, or to null where `gone` resolves before it begins. */
  async enter(gone) {
    if (this.#free > 0) {
      this.#free--;
    } else {
      const place = {};
      const called = new Promise((resolve) => (place.call = () => resolve(true)));
      this.#waiting.push(place);
      const left = gone.then(() => this.#waiting.includes(place) ? false : called);
      if (!(await Promise.race([called, left]))) {
        this.#waiting.splice(this.#waiting.indexOf(place), 1);
        return null;
      }
    }
    return () => this.#leave();
  }

  #leave() {
    const next = this.#waiting.shift();
    if (next) next.call();
    else this.#free++;
  }
}
