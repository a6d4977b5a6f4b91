// Serves a council's questions as servers were seen to, until it is told to stop. See README.md.
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { chat, models } from "./chat.mjs";
import { Line } from "./line.mjs";
import { Log } from "./log.mjs";

const number = { type: "string", default: "0" };
const { values: flags } = parseArgs({
  options: { port: number, parallel: number, "first-byte": number, pace: number, "hang-after": number },
});

/** count is the value of a flag: a whole number, 0 or more. */
function count(name) {
  const value = Number(flags[name]);
  if (!Number.isInteger(value) || value < 0) {
    console.error(`--${name} is a whole number, 0 or more, not ${flags[name]}`);
    process.exit(2);
  }
  return value;
}

const options = {
  firstByte: count("first-byte"), pace: count("pace"),
  hangAfter: count("hang-after") || Infinity,
};
const line = new Line(count("parallel") || Infinity);
const log = new Log();

// Each route answers a request whose body was read. A call stands in the line and in the log; other requests do not.
const routes = [
  { method: "POST", path: /\/chat\/completions$/, call: chat },
  { method: "GET", path: /\/(models|api\/tags)$/, answer: models },
  { method: "GET", path: /^\/__log$/, answer: (request, response) => json(response, log.report()) },
];

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://server");
  const route = routes.find((r) => r.method === request.method && r.path.test(pathname));
  let text = "";
  for await (const part of request) text += part;
  if (!route) return json(response, { error: { message: `nothing is served at ${pathname}` } }, 404);
  if (route.answer) return route.answer(request, response);
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return json(response, { error: { message: "the body is not JSON" } }, 400);
  }
  const entry = log.arrived(pathname, body);
  const gone = new Promise((resolve) => response.once("close", resolve));
  response.once("close", () => log.ended(entry, response.writableFinished));
  const leave = await line.enter(gone);
  if (!leave) return; // the client left while it waited
  log.begun(entry);
  try {
    if (entry.number > options.hangAfter) await gone; // never answered: until the client gives up
    else await route.call(body, response, options, gone);
  } finally {
    leave();
  }
});

function json(response, value, status = 200) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

server.listen(count("port"), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
