// What a member of the council answers to each question. Every reply is a pure function of the request, so that a
// session gives the same replies however often a call is put again.

/** answer returns the reply to the question that the request ends with. */
export function answer(request, options = {}) {
  const users = request.messages.filter((m) => m.role === "user").map((m) => textOf(m));
  // An agent of the command line puts the system part before the question, and a system part of its own in its place.
  const seat = seatOf(request.messages.map((m) => textOf(m)).join("\n"));
  // A repair quotes what was wrong and may not state the contract: the question is then further up.
  for (const question of users.reverse()) {
    const kind = kindOf(question);
    if (kind) return replies[kind]({ question, all: users.join("\n"), seat, options });
  }
  return "There was no question that I know.";
}

// marks are words of a question, or of its contract, that no other has: a question that recurs does not give its contract
// again. Peers' words come before them, so the mark that comes last says which question it is.
const marks = {
  position: ['"confidence"', "ranking orders these options"],
  nominate: ['"candidateId"'],
  turn: ["Your turn: phase", '"action"'],
  second: ["needs a second to be put to the vote", '"second"'],
  ballot: ["Vote on motion", "Vote on version", '"ballot"'],
  rank: ["Rank these answers, of the choice"],
  assess: ['"qualityGates"'],
  summary: ['"summaryMarkdown"'],
  review: ['"suggestedChanges"'],
  dissent: ['"dissent"'],
  draft: ["Reply with the document", "as Markdown that begins with its title"],
};

/** kindOf tells which ask a question puts, or undefined. */
export function kindOf(question) {
  if (question.includes('"changeMind"')) return "position"; // at the pace auto, where it names a candidate too
  let kind, last = -1;
  for (const [name, words] of Object.entries(marks)) {
    const at = Math.max(...words.map((w) => question.lastIndexOf(w)));
    if (at > last) [kind, last] = [name, at];
  }
  return kind;
}

const replies = {
  position: ({ question, seat, options }) => json({
    ...(question.includes('"ranking"') && { ranking: [chosen(question, options)] }), // where the topic names the answers
    position: `${seat.name} would take the smallest step that can be undone, and measure it.`,
    confidence: 0.7,
    overlooked: [`${seat.name} has seen a rollout of this kind stall on its last fifth.`],
    ...(question.includes('"candidateId"') && { candidateId: seat.members[0] }),
  }),

  nominate: ({ question, seat }) => json({
    rationale: "The first in the order knows the topic best.",
    candidateId: list(question, /candidateId is one of: ([a-z0-9_, -]+)/)[0] ?? seat.members[0],
  }),

  turn: ({ question, seat, options }) => {
    if (options.choose) return json({ action: "PASS", reason: "The ballots decide." });
    const [round, rounds] = pair(question, /round (\d+) of (\d+)/) ?? [1, 1];
    // In a round that is held together nobody has a number; then the first member moves.
    const [turn, turns] = pair(question, /turn (\d+) of (\d+)/) ??
      [seat.members.indexOf(seat.id) + 1, seat.members.length];
    if (rounds > 1 ? round > 1 && turn === 1 : turn === turns) {
      return json({
        action: "CALL_VOTE",
        motionTitle: "Take the small step first",
        motionText: "The council takes the smallest step that can be undone, measures it for two weeks, and decides again.",
        decisionIfPass: "The small step is taken and measured.",
      });
    }
    if (round > 1) return json({ action: "PASS", reason: "The argument stands as it is.", note: "Measure before the next step." });
    return json({
      action: "CONTRIBUTE",
      message: `${seat.name}: the cost of being wrong decides here. A step that can be undone needs less proof (e1).`,
    });
  },

  second: () => json({ rationale: "The council can decide this now.", stand: "SUPPORT", second: true }),

  ballot: ({ question, seat, options }) => {
    if (options.rejectFirst && /Vote on version 1 of the document/.test(question)) {
      return json({ rationale: "It does not say who measures.", ballot: "NO" });
    }
    if (options.split && seat.id === seat.members.at(-1)) {
      return json({ rationale: "Two weeks are too short to learn anything.", ballot: "NO",
        ...(question.includes('"criticalBlockers"') && { criticalBlockers: [blocker(options)] }) });
    }
    return json({ rationale: "It can be undone and it is measured.", ballot: "YES" });
  },

  rank: ({ question, options }) => json({ rationale: "It can be undone soonest.", ranking: [chosen(question, options)] }),

  assess: ({ question, all }) => {
    const cites = ["e" + Math.max(1, ...[...all.matchAll(/\[e(\d+)\]/g)].map((m) => Number(m[1])))];
    const claim = (id) => ({ id, claim: "The record shows it.", citations: cites, met: true });
    const items = (pattern) => list(question, pattern, ";").map((item) => item.replace(/ \(.*\)$/s, ""));
    return json({
      deliverables: items(/Deliverables, by id: ([^\n]+)/).map(claim),
      qualityGates: list(question, /Quality gates, by their own words: ([^\n]+)/, ";").map(claim),
      assumptions: ["Two weeks show an effect."],
      risks: [{ risk: "The measure is too coarse.", mitigation: "Agree on it before the step." }],
      citations: ["e1", ...cites],
    });
  },

  summary: ({ question, seat }) => json({
    summaryMarkdown: `The council weighed the cost of being wrong and agreed on a small step. ${seat.name} led it.`,
    requiresExecution: true,
    executionBrief: {
      objective: "Take the small step and measure it.",
      motions: list(question, /What was resolved is on record: ([e0-9, ]+)/),
      recommendedExecutorProfile: "engineer",
      steps: ["Name the measure.", "Take the step.", "Report after two weeks."].map((step) =>
        ({ step, acceptanceCriteria: ["The log shows it."], askedIn: ["e1"] })),
      risks: [{ risk: "The measure is too coarse.", mitigation: "Agree on it before the step." }],
      acceptanceCriteria: ["There is a report with the measure."],
    },
  }),

  draft: ({ question, options }) => {
    const form = question.slice(question.lastIndexOf("Reply with the document"));
    const sections = [...form.matchAll(/^## (.+)$/gm)].map((m) => m[1]);
    const body = (sections.length ? sections : ["Decision", "Reasons", "What stays open"])
      .map((s) => `## ${s}\n\nThe council takes the smallest step that can be undone and measures it for two weeks. Operations measures.` +
        (options.problem && s.startsWith("Must change") ? `\n\n- ${options.problem.split("\n")[0]}` : ""));
    const blockers = [...question.matchAll(/"([^"\s]+)": "accepted\|rejected\|deferred/g)].map((m) => m[1]);
    if (blockers.length) {
      body.push(JSON.stringify({ responses: Object.fromEntries(blockers.map((id) => [id, "accepted - The document now says it."])) }));
    }
    return "# A small step first\n\n" + body.join("\n\n") + "\n";
  },

  review: ({ options }) => json({
    criticalBlockers: [blocker(options)],
    suggestedChanges: ["Say what was not decided."],
  }),

  dissent: ({ options }) => json({
    dissent: "Two weeks are too short: the effect takes a quarter to show.",
    ...(options.problem && { criticalBlockers: [blocker(options)] }),
  }),
};

// chosen is the answer to rank first: that of its number among those of the action's test, in whatever order they are
// listed, else the number.
function chosen(question, { choose = "1" }) {
  const answers = ["Accept it", "Do not accept it"];
  return answers.every((a) => question.includes(`- ${a}`)) ? answers[choose - 1] : choose;
}

function blocker({ problem = "It does not say who measures." }) {
  return {
    id: "b1", section: "Decision", problem, impact: "Nobody will.", requiredChange: "Name who measures.", severity: "high",
  };
}

function json(value) {
  return JSON.stringify(value);
}

function textOf(message) {
  if (typeof message.content === "string") return message.content;
  return (message.content ?? []).map((part) => part.text ?? "").join("\n");
}

/** seatOf reads from the system part who is asked, and who sits at the table. */
function seatOf(system) {
  const you = /You are ([^\n,]+), [^\n]*\(id ([a-z0-9_-]+)\)/.exec(system);
  return {
    name: you?.[1] ?? "A member",
    id: you?.[2] ?? "",
    members: [...system.matchAll(/^- .+, id ([a-z0-9_-]+)$/gm)].map((m) => m[1]),
  };
}

function list(text, pattern, separator = ",") {
  return (pattern.exec(text)?.[1] ?? "").split(separator).map((s) => s.trim()).filter(Boolean);
}

function pair(text, pattern) {
  const found = pattern.exec(text);
  return found && [Number(found[1]), Number(found[2])];
}
