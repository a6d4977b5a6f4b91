// Serves a council's questions as servers were seen to, until it is told to stop. See README.md.
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { chat } from "./chat.mjs";
import { native } from "./context.mjs";
import { Line } from "./line.mjs";
import { Log } from "./log.mjs";

const number = { type: "string", default: "0" };
const flag = { type: "boolean", default: false };
const { values: flags } = parseArgs({
  options: { port: number, parallel: number, "first-byte": number, pace: number, "hang-after": number, context: number, mute: flag, dialects: flag },
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
  hangAfter: count("hang-after") || Infinity, context: count("context"), dialects: flags.dialects,
};
const line = new Line(count("parallel") || Infinity);
const log = new Log();

// Each route answers a request whose body was read. A call stands in the line and in the log; other requests do not.
const routes = [
  { method: "POST", path: /\/chat\/completions$/, call: chat },
  { method: "GET", path: /\/models$/, answer: (request, response) => json(response, native("", options.context)) },
  { method: "GET", path: /^\/api\/(tags|ps)$/, answer: ollama },
  { method: "POST", path: /^\/api\/(show|generate)$/, answer: ollama },
  { method: "GET", path: /^\/__log$/, answer: (request, response) => json(response, log.report()) },
];

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://server");
  const route = routes.find((r) => r.method === request.method && r.path.test(pathname));
  let text = "";
  try {
    for await (const part of request) text += part;
  } catch {
    return; // the client left while it wrote
  }
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
  response.once("close", () => log.ended(entry, response.writableEnded)); // what was written to its end is served
  const leave = await line.enter(gone);
  if (!leave) return; // the client left while it waited
  log.begun(entry);
  try {
    if (entry.number > options.hangAfter) await gone; // never answered: until the client gives up
    else await route.call(body, response, options, gone, request, entry);
  } finally {
    leave();
  }
});

/** ollama answers by the protocol of its own, unless the server is mute: then nobody learns its context. */
function ollama(request, response) {
  if (flags.mute || !options.context && request.url !== "/api/tags") return json(response, { error: "not found" }, 404);
  json(response, native(request.url, options.context));
}

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
