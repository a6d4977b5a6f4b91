// OpenAI's chat completions, streamed or whole. What another dialect does otherwise stands in dialects.mjs.
import { setTimeout as wait } from "node:timers/promises";
import { answer } from "../aimock/replies.mjs";
import { fit, load, tokens } from "./context.mjs";
import { dialects } from "./dialects.mjs";

/** chat answers one call. It stops when `gone` resolves: the client has left. What it did beside that it notes in the entry. */
export async function chat(body, response, options, gone, request, entry) {
  let left = false;
  gone.then(() => (left = true));
  const pause = (ms) => (ms > 0 ? Promise.race([wait(ms), gone]) : undefined);

  const dialect = options.dialects ? dialects[body.model] ?? {} : {};
  const refusal = dialect.refuse?.(body, request);
  if (refusal) {
    entry.refused = refusal.why;
    response.writeHead(refusal.status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(refusal.body));
    return;
  }
  let shown = { messages: body.messages, tokens: tokens(body.messages), cut: false };
  if (options.context) {
    load();
    shown = fit(body.messages, options.context);
  }
  entry.cut = shown.cut;
  const text = answer({ ...body, messages: dialect.messages?.(shown.messages) ?? shown.messages }, options);
  const usage = { ...count(shown.tokens, text), ...dialect.usage?.() };
  await pause(options.firstByte);
  if (left) return;
  const frame = { id: "chatcmpl-1", created: 1, model: body.model };
  if (!body.stream) {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({
      ...frame, object: "chat.completion", usage,
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    }));
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (value) => response.write(`data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", ...value })}\n\n`);
  for (const delta of dialect.deltas?.(text) ?? parts(text)) {
    if (left) return;
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
    await pause(options.pace);
  }
  if (left) return;
  send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  if (body.stream_options?.include_usage) send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

/** parts cuts a text into the deltas of a stream. */
function parts(text) {
  return (text.match(/.{1,40}/gs) ?? []).map((content) => ({ content }));
}

function count(prompt, text) {
  const completion = Math.ceil(text.length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
