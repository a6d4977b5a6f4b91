// OpenAI's chat completions, streamed or whole, without anything that another dialect would do otherwise.
import { setTimeout as wait } from "node:timers/promises";
import { answer } from "../aimock/replies.mjs";

/** chat answers one call. It stops when `gone` resolves: the client has left. */
export async function chat(body, response, options, gone) {
  let left = false;
  gone.then(() => (left = true));
  const pause = (ms) => (ms > 0 ? Promise.race([wait(ms), gone]) : undefined);

  const text = answer(body, options);
  await pause(options.firstByte);
  if (left) return;
  const frame = { id: "chatcmpl-1", created: 1, model: body.model };
  if (!body.stream) {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({
      ...frame, object: "chat.completion", usage: usage(body, text),
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    }));
    return;
  }
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (value) => response.write(`data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", ...value })}\n\n`);
  for (let at = 0; at < text.length && !left; at += 40) {
    send({ choices: [{ index: 0, delta: { content: text.slice(at, at + 40) }, finish_reason: null }] });
    await pause(options.pace);
  }
  send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  if (body.stream_options?.include_usage) send({ choices: [], usage: usage(body, text) });
  response.end("data: [DONE]\n\n");
}

/** models lists the one model there is, as OpenAI and as Ollama do. */
export function models(request, response) {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ object: "list", data: [{ id: "small", object: "model" }], models: [{ name: "small" }] }));
}

/** usage counts tokens as four characters each. */
export function usage(body, text) {
  const prompt = Math.ceil(JSON.stringify(body.messages).length / 4);
  const completion = Math.ceil(text.length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
