// Serves a council's questions over the OpenAI and Anthropic protocols until it is told to stop. See README.md.
import { parseArgs } from "node:util";
import { LLMock } from "@copilotkit/aimock";
import { answer } from "./replies.mjs";

const rate = { type: "string", default: "0" };
const { values: flags } = parseArgs({
  options: {
    port: { type: "string", default: "4010" },
    ratelimit: rate, drop: rate, malformed: rate, disconnect: rate,
    "cut-every": rate, "garble-every": rate,
    "reject-first": { type: "boolean", default: false },
    split: { type: "boolean", default: false },
    choose: { type: "string" }, // the number of the option that all rank first; nobody moves anything
    problem: { type: "string" }, // what reviews and dissents find
  },
});

function number(name) {
  const value = Number(flags[name]);
  if (!Number.isFinite(value) || value < 0) {
    console.error(`--${name} is not a number: ${flags[name]}`);
    process.exit(2);
  }
  return value;
}

const options = { rejectFirst: flags["reject-first"], split: flags.split, choose: flags.choose, problem: flags.problem };
const cutEvery = number("cut-every");
const garbleEvery = number("garble-every");

// Requests are numbered as they are first looked at; the server may look at one several times.
const numbers = new WeakMap();
let requests = 0;
function every(n, request) {
  if (!numbers.has(request)) numbers.set(request, ++requests);
  return n > 0 && numbers.get(request) % n === 0;
}

const server = new LLMock({
  host: "127.0.0.1",
  port: number("port"),
  strict: true,
  journalMaxEntries: 0,
  chaos: {
    rateLimitRate: number("ratelimit"), dropRate: number("drop"),
    malformedRate: number("malformed"), disconnectRate: number("disconnect"),
  },
});

const reply = (request) => ({ content: answer(request, options) });
server.addFixture({
  match: { predicate: (request) => every(cutEvery, request) },
  response: reply,
  truncateAfterChunks: 2,
});
server.addFixture({
  match: { predicate: (request) => every(garbleEvery, request) },
  response: (request) => ({ content: "Well, I think: " + answer(request, options).slice(0, 20) }),
});
server.addFixture({ match: { predicate: () => true }, response: reply });

await server.start();
console.log(`listening on ${server.url}`);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await server.stop();
    process.exit(0);
  });
}
