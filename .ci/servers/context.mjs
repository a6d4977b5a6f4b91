// An Ollama that gave its model a context of so many tokens, and cuts what is longer without a word.
import { recorded } from "./recorded.mjs";

const ollama = recorded("ollama");

/**
 * fit leaves out of a conversation what a context of so many tokens does not hold: the oldest messages first, but for those of
 * the system and the last. Where even these are too long, it keeps the end, of half a context.
 */
export function fit(messages, context) {
  for (let from = 0; from < messages.length; from++) {
    const kept = [...messages.slice(0, from).filter((m) => m.role === "system"), ...messages.slice(from)];
    if (tokens(kept) <= context) return { messages: kept, tokens: tokens(kept), cut: from > 0 };
    if (from === messages.length - 1) {
      const half = Math.floor(context / 2) + 2;
      const last = { ...kept.at(-1), content: kept.at(-1).content.slice(-half * 3) };
      return { messages: [last], tokens: half, cut: true };
    }
  }
  return { messages, tokens: tokens(messages), cut: false };
}

// Before the first question, or before it was told to load it, the model is not in memory.
let loaded = false;
export const load = () => (loaded = true);

/** native answers by Ollama's own protocol. */
export function native(path, context) {
  switch (path) {
    case "/api/ps":
      if (!loaded) return { models: [] };
      return JSON.parse(JSON.stringify(ollama.ps).replaceAll('"CONTEXT"', String(context)));
    case "/api/show":
      return ollama.show;
    case "/api/generate":
      load();
      return ollama.load;
    case "/api/tags":
      return ollama.tags;
    default:
      return ollama.list;
  }
}

/** tokens counts a conversation as four characters each. */
export const tokens = (messages) => Math.ceil(JSON.stringify(messages).length / 4);
