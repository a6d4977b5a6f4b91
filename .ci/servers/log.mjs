import { createHash } from "node:crypto";

/** Log is what a server saw of its calls, in the order in which they came. */
export class Log {
  #calls = [];
  #held = 0; // calls that have arrived and not ended
  #mostHeld = 0;

  arrived(path, body) {
    const question = createHash("sha256").update(JSON.stringify(body.messages ?? body)).digest("hex");
    const call = { number: this.#calls.length + 1, path, model: body.model, question, arrived: Date.now(), outcome: "waits" };
    this.#calls.push(call);
    this.#mostHeld = Math.max(this.#mostHeld, ++this.#held);
    return call;
  }

  begun(call) {
    call.begun = Date.now();
    call.outcome = "is served";
  }

  /** ended notes how a call went: whole, or given up by the client while it waited or was served. */
  ended(call, whole) {
    this.#held--;
    call.ended = Date.now();
    call.outcome = whole ? "served" : call.begun ? "left while served" : "left while waiting";
  }

  /** report is the log with what follows from it: how many calls were held at once, and how often a question was served again. */
  report() {
    const served = this.#calls.filter((c) => c.outcome === "served");
    return {
      calls: this.#calls,
      served: served.length,
      mostHeld: this.#mostHeld,
      refused: tally(this.#calls.map((c) => c.refused)), // how many calls, by why
      cut: this.#calls.filter((c) => c.cut).length, // prompts of which a part was left out
      servedAgain: served.length - new Set(served.map((c) => c.model + c.question)).size,
    };
  }
}

function tally(words) {
  const counts = {};
  for (const word of words) if (word) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
