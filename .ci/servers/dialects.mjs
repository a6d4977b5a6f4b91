// What servers of some vendors do otherwise, by the model that is asked. What they say is recorded, each with its source.
import { recorded } from "./recorded.mjs";

const [mistral, gemma, groq, azure, openrouter, daily] =
  ["mistral", "gemma", "groq", "azure", "openrouter", "daily"].map(recorded);

/**
 * A dialect may refuse a call (returning a status, a body and a word for the log), lay the messages out for whoever answers, put
 * the text into deltas of its own, and add to the usage.
 */
export const dialects = {
  // A model that reasons: the content is a list of parts.
  mistral: {
    deltas: (text) => mistral.deltas.map((delta) => JSON.parse(JSON.stringify(delta), (key, value) => (value === "ANSWER" ? text : value))),
  },

  // A template without a system role: what stands there has to begin the first message of the user.
  gemma: {
    refuse: (body) => body.messages.some((m) => m.role === "system") && { ...gemma, why: "system role" },
    messages: ([first, ...rest]) => [{ role: "system", content: first.content }, first, ...rest],
  },

  // It checks replies against the schema itself, and does not pass on what does not fit.
  groq: { refuse: (body) => body.response_format && { ...groq, why: "not in form" } },

  // A deployment: the version stands in the query, the key in a header of its own.
  azure: {
    refuse: (body, request) => {
      if (!/^\/openai\/deployments\/azure\/chat\/completions\?api-version=\d{4}-\d\d-\d\d$/.test(request.url)) return { ...azure, why: "address" };
      return request.headers["api-key"] !== "azure-key" && { ...azure.unauthorised, why: "key" };
    },
  },

  // A gateway that says what it bills.
  openrouter: { usage: () => openrouter.usage },

  // A free model of which today's calls are used up.
  daily: {
    refuse: () => {
      const tomorrow = new Date().setUTCHours(24, 0, 0, 0);
      return { ...daily, body: JSON.parse(JSON.stringify(daily.body).replace("TOMORROW", tomorrow)), why: "daily quota" };
    },
  },
};
