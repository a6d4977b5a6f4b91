package reply

const (
	yes      = `{"rationale":"r","ballot":"YES"}`
	no       = `{"rationale":"r","ballot":"NO"}`
	bare     = `{"rationale":"","ballot":"YES"}`
	contrib  = `{"action":"CONTRIBUTE","message":"m"}`
	pass     = `{"action":"PASS","reason":"r"}`
	motion   = `{"action":"CALL_VOTE","motionTitle":"t","motionText":"m","decisionIfPass":"d"}`
	sure     = `{"position":"p","confidence":0.8}`
	bob      = `{"rationale":"r","candidateId":"bob"}`
	second   = `{"rationale":"r","second":true}`
	met      = `{"deliverables":[{"id":"d","claim":"c","citations":["e3"],"met":true}]}`
	closing  = `{"summaryMarkdown":"s","requiresExecution":false}`
	executes = `{"summaryMarkdown":"s","requiresExecution":true,"executionBrief":{"objective":"o","recommendedExecutorProfile":"engineer","steps":[{"step":"s"}]}}`
	blocked  = `{"criticalBlockers":[{"id":"","section":"s","problem":"p","impact":"i","requiredChange":"c","severity":"high"}]}`
	dissent  = `{"dissent":"No."}`
	doc      = `{"markdown":"# T\n\nText."}`
	answered = `{"markdown":"# T","responses":[{"blockerId":"d1.ada.b1","answer":"accepted","note":"Added."},{"blockerId":"d1.bob.b2","answer":"rejected","note":"No."}]}`
	wordless = `{"markdown":"# T","responses":[{"blockerId":"d1.ada.b1","answer":"accepted"},{"blockerId":"d1.bob.b2","answer":"rejected"}]}`
	sections = `{"markdown":"# T\n\n`
)

// variants are forms in which models answer: their text, and the answer that it is, or a part of the reason why it is
// none.
var variants = []struct{ ask, name, text, want string }{
	// A vote.
	{"ballot", "in prose", `My vote: {"rationale": "r", "ballot": "YES"}. Thank you!`, yes},
	{"ballot", "in a fence", "```json\n{\"rationale\": \"r\", \"ballot\": \"YES\"}\n```", yes},
	{"ballot", "a key of its own", `{"rationale": "r", "ballot": "YES", "mood": {"calm": true}}`, yes},
	{"ballot", "with a full stop", `{"rationale": "r", "ballot": "Yes."}`, yes},
	{"ballot", "bold", `{"rationale": "r", "ballot": "**YES**"}`, yes},
	{"ballot", "without quotes", `{"rationale": "r", "ballot": yes}`, yes},
	{"ballot", "without a reason", `{"ballot": "YES"}`, bare},
	{"ballot", "a reason that is null", `{"rationale": null, "ballot": "YES"}`, bare},
	{"ballot", "a list of reasons", `{"rationale": ["a", "b"], "ballot": "YES"}`, `{"rationale":"a\nb","ballot":"YES"}`},
	{"ballot", "without the last brace", `{"rationale": "r", "ballot": "YES"`, yes},
	{"ballot", "without the last brace, in a fence",
		"```json\n{\"rationale\": \"r\", \"ballot\": \"YES\"\n```\nDone.", yes},
	{"ballot", "twice the same", `{"rationale": "q", "ballot": "YES"} So: {"rationale": "r", "ballot": "yes"}`, yes},
	{"ballot", "the field twice the same", `{"rationale": "r", "ballot": "YES", "ballot": "YES"}`, yes},
	{"ballot", "the answers of others beside it", `{"rationale": "r", "ballot": "YES", "others": ["ada", "bob"]}`, yes},
	{"ballot", "a separator of lines within a string", "{\"rationale\": \"x\u2028y\", \"ballot\": \"YES\"}",
		`{"rationale":"x\ny","ballot":"YES"}`},
	{"ballot", "a separator of paragraphs and a comma too many", "{\"rationale\": \"x\u2029y\", \"ballot\": \"YES\",}",
		`{"rationale":"x\ny","ballot":"YES"}`},
	{"ballot", "confidence where nobody asked", `{"rationale": "r", "ballot": "YES", "confidence": "very"}`, yes},
	{"ballot", "two verdicts", `{"rationale": "r", "ballot": "YES"} {"rationale": "r", "ballot": "NO"}`,
		"two different objects"},
	{"ballot", "two verdicts in one object", `{"ballot": "YES", "ballot": "NO"}`, "given twice"},
	{"ballot", "a verdict within another", `{"ballot": "YES", "revised": {"ballot": "NO"}}`, "given twice"},
	{"ballot", "a verdict in prose", "I vote YES.", `no JSON object in it; it begins "I vote YES."`},
	{"ballot", "both", `{"rationale": "r", "ballot": "YES/NO"}`, "At /ballot"},
	{"ballot", "another word", `{"rationale": "r", "ballot": "approve"}`, yes},
	{"ballot", "aye", `{"rationale": "r", "ballot": "Aye!"}`, yes},
	{"ballot", "oui", `{"rationale": "r", "ballot": "OUI"}`, yes},
	{"ballot", "ja", `{"rationale": "r", "ballot": "Ja."}`, yes},
	{"ballot", "sí", `{"rationale": "r", "ballot": "Sí"}`, yes},
	{"ballot", "nein", `{"rationale": "r", "ballot": "nein"}`, no},
	{"ballot", "true", `{"rationale": "r", "ballot": true}`, yes},
	{"ballot", "false", `{"rationale": "r", "ballot": false}`, no},
	{"ballot", "a list of one", `{"rationale": "r", "ballot": ["YES"]}`, yes},
	{"ballot", "an object of one value", `{"rationale": {"value": "r"}, "ballot": {"value": "YES"}}`, yes},
	{"ballot", "with a reason behind it", `{"rationale": "r", "ballot": "YES - it is cheap"}`, yes},
	{"ballot", "with a reason in brackets", `{"rationale": "r", "ballot": "NO (too dear)"}`, no},
	{"ballot", "a condition", `{"rationale": "r", "ballot": "YES if it is cheap"}`, `not "YES if it is cheap"`},
	{"ballot", "a condition behind a mark", `{"rationale": "r", "ballot": "YES, provided that it is cheap"}`,
		"At /ballot"},
	{"ballot", "a condition in brackets", `{"rationale": "r", "ballot": "YES (only in May)"}`, "At /ballot"},
	{"ballot", "a German condition", `{"rationale": "r", "ballot": "Ja, sofern es billig ist"}`, "At /ballot"},
	{"ballot", "words that cannot be judged", `{"rationale": "r", "ballot": "YES - 如果便宜"}`, "At /ballot"},
	{"ballot", "a change of mind", `{"rationale": "r", "ballot": "YES. On reflection NO."}`, "At /ballot"},
	{"ballot", "a conditional yes", `{"rationale": "r", "ballot": "conditional yes"}`, "At /ballot"},
	{"ballot", "two in a list", `{"rationale": "r", "ballot": ["YES", "NO"]}`, "At /ballot"},
	{"ballot", "a vote", `{"reason": "r", "vote": "YES"}`, yes},
	{"ballot", "a vote that differs", `{"rationale": "r", "ballot": "YES", "vote": "NO"}`, "given twice"},
	{"ballot", "keys in another case", `{"Rationale": "r", "BALLOT": "YES"}`, yes},
	{"ballot", "keys in two cases that differ", `{"Ballot": "NO", "ballot": "YES"}`, "given twice"},
	{"ballot", "in a response", `{"response": {"rationale": "r", "ballot": "YES"}}`, yes},
	{"ballot", "in a result, with reasons beside it", `{"rationale": "r", "result": {"ballot": "YES"}}`, yes},
	{"ballot", "in a text", `{"output": "{\"rationale\": \"r\", \"ballot\": \"YES\"}"}`, yes},
	{"ballot", "in properties", `{"type": "object", "properties": {"rationale": "r", "ballot": {"value": "YES"}}}`, yes},
	{"ballot", "as a call", `{"name": "reply", "arguments": {"rationale": "r", "ballot": "YES"}}`, yes},
	{"ballot", "as a call with a text",
		`{"type": "function", "function": {"name": "reply", "arguments": "{\"rationale\": \"r\", \"ballot\": \"YES\"}"}}`,
		yes},
	{"ballot", "a value alone", `{"answer": "YES"}`, bare},
	{"ballot", "a description alone", `{"properties": {"ballot": {"type": "string"}}}`, "At /ballot"},
	{"ballot", "two wrappers that differ", `{"result": {"ballot": "YES"}, "data": {"ballot": "NO"}}`, "given twice"},
	{"ballot", "spaces that do not break", "{\u00a0\"rationale\":\u00a0\"r\",\u00a0\"ballot\":\u00a0\"YES\"\u00a0}", yes},
	{"ballot", "other fields", `{"rationale": "r", "colour": "red"}`,
		`"ballot" is missing; the fields given are "colour", "rationale".`},
	{"ballot", "cut within a string", `{"rationale": "r", "ballot": "YE`, "ends before"},
	{"ballot", "no verdict", `{"rationale": "r"}`, `"ballot" is missing`},

	// A turn.
	{"turn", "lower case", `{"action": "contribute", "message": "m"}`, contrib},
	{"turn", "the fields of other actions",
		`{"action": "CONTRIBUTE", "message": "m", "reason": "x", "motionTitle": "x", "motionText": "x"}`, contrib},
	{"turn", "the fields of other actions, null",
		`{"action": "CONTRIBUTE", "message": "m", "reason": null, "motionTitle": null}`, contrib},
	{"turn", "a pass with a message", `{"action": "PASS", "reason": "r", "message": "m"}`, pass},
	{"turn", "a pass without a reason", `{"action": "PASS"}`, `{"action":"PASS"}`},
	{"turn", "a pass that never closes", `{"action": "Pass.", "reason": "r"`, pass},
	{"turn", "two words", `{"action": "CALL VOTE", "motionTitle": "t", "motionText": "m", "decisionIfPass": "d"}`, motion},
	{"turn", "a hyphen", `{"action": "call-vote", "motionTitle": "t", "motionText": "m", "decisionIfPass": "d"}`, motion},
	{"turn", "a motion without a decision", `{"action": "CALL_VOTE", "motionTitle": "t", "motionText": "m"}`,
		`{"action":"CALL_VOTE","motionTitle":"t","motionText":"m","decisionIfPass":"m"}`},
	{"turn", "a motion without a title", `{"action": "CALL_VOTE", "motionText": "m", "decisionIfPass": "d"}`,
		`{"action":"CALL_VOTE","motionTitle":"m","motionText":"m","decisionIfPass":"d"}`},
	{"turn", "a motion without a text", `{"action": "CALL_VOTE", "motionTitle": "t", "decisionIfPass": "d"}`,
		`"motionText" is missing`},
	{"turn", "an empty motion", `{"action": "CALL_VOTE", "motionTitle": "t", "motionText": " ", "decisionIfPass": "d"}`,
		"must not be empty"},
	{"turn", "in an answer", `{"answer": {"Action": "PASS", "reason": "r"}}`, pass},
	{"turn", "with underscores",
		`{"action": "CALL_VOTE", "motion_title": "t", "motion_text": "m", "decision_if_pass": "d"}`,
		motion},
	{"turn", "an empty contribution", `{"action": "CONTRIBUTE", "message": ""}`, "must not be empty"},
	{"turn", "two turns", `{"action": "CONTRIBUTE", "message": "m"} {"action": "PASS"}`, "two different objects"},
	{"turn", "a pass in prose", "I pass.", "no JSON object"},

	// A position.
	{"position", "a number in quotes", `{"position": "p", "confidence": "0.8", "overlooked": []}`, sure},
	{"position", "in per cent", `{"position": "p", "confidence": "80 %"}`, sure},
	{"position", "without the list", `{"position": "p", "confidence": 0.8}`, sure},
	{"position", "a text for the list", `{"position": "p", "confidence": 0.8, "overlooked": "k"}`,
		`{"position":"p","confidence":0.8,"overlooked":["k"]}`},
	{"position", "no position", `{"confidence": 0.8, "overlooked": []}`, `"position" is missing`},
	{"position", "confidence in words", `{"position": "p", "confidence": "high"}`, "At /confidence"},
	{"position", "80, of what?", `{"position": "p", "confidence": 80}`, "At /confidence"},

	// A vote for a leader.
	{"nominate", "by name", `{"rationale": "r", "candidateId": "Bob"}`, bob},
	{"nominate", "by name and role", `{"rationale": "r", "candidateId": "Bob (operator)"}`, bob},
	{"nominate", "by id and name", `{"rationale": "r", "candidateId": "bob (the operator)"}`, bob},
	{"nominate", "in capitals", `{"rationale": "r", "candidateId": "BOB"}`, bob},
	{"nominate", "a candidate", `{"rationale": "r", "candidate": "Bob"}`, bob},
	{"nominate", "a candidate in a call", `{"tool": "reply", "arguments": {"rationale": "r", "candidate_id": "bob"}}`,
		bob},
	{"nominate", "two names", `{"rationale": "r", "candidateId": "Bob (Cyn)"}`, "no member"},
	{"nominate", "a stranger", `{"rationale": "r", "candidateId": "dov"}`, "no member"},
	{"nominate", "a sentence", `{"rationale": "r", "candidateId": "I want bob"}`, "no member"},

	// A second.
	{"second", "in quotes", `{"rationale": "r", "second": "true"}`, second},
	{"second", "yes", `{"rationale": "r", "second": "Yes."}`, second},
	{"second", "yes without quotes", `{"rationale": "r", "second": yes}`, second},
	{"second", "without a reason", `{"second": false}`, `{"rationale":"","second":false}`},
	{"second", "in a list", `{"rationale": "r", "second": [true]}`, second},
	{"second", "with a reason", `{"rationale": "r", "second": "yes, it is time"}`, second},
	{"second", "on a condition", `{"rationale": "r", "second": "yes, if it is short"}`, "At /second"},
	{"second", "perhaps", `{"rationale": "r", "second": "perhaps"}`, "At /second"},

	// An assessment.
	{"assess", "lists are missing",
		`{"deliverables": [{"id": "d", "claim": "c", "citations": ["e3"], "met": true}]}`, met},
	{"assess", "met in words",
		`{"deliverables": [{"id": "d", "claim": "c", "citations": ["e3"], "met": "yes"}], "risks": []}`, met},
	{"assess", "one claim for a list", `{"deliverables": {"id": "d", "claim": "c", "citations": "e3", "met": true}}`, met},
	{"assess", "events without quotes",
		`{"deliverables": [{"id": "d", "claim": "see e3", "citations": [e3, e12], "met": true}]}`,
		`{"deliverables":[{"id":"d","claim":"see e3","citations":["e3","e12"],"met":true}]}`},
	{"assess", "risks as texts", `{"risks": ["Flood"]}`, `{"risks":[{"risk":"Flood","mitigation":""}]}`},
	{"assess", "nothing that was asked", `{"verdict": "fine"}`, "is missing"},

	// A summary.
	{"summary", "execution in words", `{"summaryMarkdown": "s", "requiresExecution": "no"}`, closing},
	{"summary", "nothing said of execution", `{"summaryMarkdown": "s"}`, closing},
	{"summary", "a brief, and nothing said of execution",
		`{"summaryMarkdown": "s", "executionBrief": {"objective": "o", "steps": ["s"]}}`, executes},
	{"summary", "a part of a brief, and nothing said of execution",
		`{"summaryMarkdown": "s", "executionBrief": {"objective": "", "steps": []}}`, closing},
	{"summary", "an empty brief",
		`{"summaryMarkdown": "s", "requiresExecution": false, "executionBrief": {"objective": "", "steps": []}}`, closing},
	{"summary", "a brief without lists and profile",
		`{"summaryMarkdown": "s", "requiresExecution": true, "executionBrief": {"objective": "o", "steps": "s"}}`, executes},
	{"summary", "a settlement of nothing", `{"summaryMarkdown": "s", "settles": [{"record": "", "how": ""}]}`, closing},
	{"summary", "no brief", `{"summaryMarkdown": "s", "requiresExecution": true}`, `"executionBrief" is missing`},
	{"summary", "a brief without steps",
		`{"summaryMarkdown": "s", "requiresExecution": true, "executionBrief": {"objective": "o"}}`,
		`"steps" is missing`},

	// A review.
	{"review", "without ids",
		`{"criticalBlockers": [{"section": "s", "problem": "p", "impact": "i", "requiredChange": "c", "severity": "High."}]}`,
		blocked},
	{"review", "without a severity",
		`{"criticalBlockers": [{"section": "s", "problem": "p", "impact": "i", "requiredChange": "c"}], "suggestedChanges": []}`, blocked},
	{"review", "a severity of its own",
		`{"criticalBlockers": [{"section": "s", "problem": "p", "impact": "i", "requiredChange": "c", "severity": "blocking"}]}`, blocked},
	{"review", "a blocker in a few words", `{"criticalBlockers": ["No costs."]}`,
		`{"criticalBlockers":[{"id":"","section":"","problem":"No costs.","impact":"","requiredChange":"","severity":"high"}]}`},
	{"review", "only suggestions", `{"suggestedChanges": "x"}`, `{"suggestedChanges":["x"]}`},
	{"review", "an empty blocker", `{"criticalBlockers": [{"severity": "high"}]}`, `"problem" is missing`},
	{"review", "none", `{"criticalBlockers": "none"}`, `{}`},
	{"review", "a list of none", `{"criticalBlockers": ["None."], "suggestedChanges": ["N/A"]}`, `{}`},
	{"review", "not applicable", `{"criticalBlockers": ["N/A"]}`, `{}`},
	{"review", "a form filled with none",
		`{"criticalBlockers": [{"id": "b1", "problem": "None", "requiredChange": "n/a", "severity": "low"}]}`,
		`{}`},
	{"review", "blockers", `{"blockers": [{"section": "s", "problem": "p", "impact": "i", "requiredChange": "c"}]}`,
		blocked},
	{"review", "blockers within blockers",
		`{"criticalBlockers": {"blockers": [{"section": "s", "problem": "p", "impact": "i", "requiredChange": "c"}]}}`,
		blocked},
	{"review", "another object", `{"error": "overloaded"}`, "is missing"},

	// A dissent.
	{"dissent", "prose", "No.", dissent},
	{"dissent", "prose after reasoning", "<think>Hm.</think>\n\nNo.", dissent},
	{"dissent", "I cannot support", "I cannot support it.", `{"dissent":"I cannot support it."}`},
	{"dissent", "with a key more", `{"dissent": "No.", "tone": "calm"}`, dissent},
	{"dissent", "none", `{"dissent": "None."}`, `{"dissent":""}`},
	{"dissent", "none in prose", "No dissent.", `{"dissent":""}`},
	{"dissent", "a refusal", "I'm sorry, but I can't help with that.", "refuses to answer"},
	{"dissent", "reasoning alone", "<think>No.</think>", "only reasoning"},

	// A document.
	{"draft", "announced", "Here is the document:\n\n# T\n\nText.", doc},
	{"draft", "announced in a sentence", "Certainly! Here's the revised draft of the report.\n\n# T\n\nText.", doc},
	{"draft", "announced, in a fence",
		"Below is the document:\n\n```markdown\n# T\n\nText.\n```\n\nLet me know if you need changes.", doc},
	{"draft", "with a farewell", "# T\n\nText.\n\nI hope this helps!", doc},
	{"draft", "words that announce nothing", "Here is the bridge:\n\nIt stands.",
		`{"markdown":"Here is the bridge:\n\nIt stands."}`},
	{"draft", "a document in a document", "# T\n\n```markdown\n# X\n```",
		`{"markdown":"# T\n\n` + "```markdown\\n# X\\n```" + `"}`},
	{"draft", "nothing", "Here is the document:", "no document"},
	{"sections", "setext", "# T\n\nDecision\n--------\nx\n\nOpen Questions\n===\ny",
		sections + `Decision\n--------\nx\n\nOpen Questions\n===\ny"}`},
	{"sections", "with suffixes", "# T\n\n## Decision (final)\n\n## Open questions: two",
		sections + `## Decision (final)\n\n## Open questions: two"}`},
	{"sections", "bold", "# T\n\n**Decision**\n\nx\n\n**Open questions:**\n\ny",
		sections + `**Decision**\n\nx\n\n**Open questions:**\n\ny"}`},
	{"sections", "another heading", "# T\n\n## Decision makers\n\n## Open questions",
		"lacks these headings: ## Decision."},

	// A revision, with answers to d1.ada.b1 and d1.bob.b2.
	{"answers", "no answers", "# T\n\nText.", doc},
	{"answers", "the form",
		"# T\n\n{\"responses\": {\"d1.ada.b1\": \"accepted - Added.\", \"d1.bob.b2\": \"rejected - No.\"}}", answered},
	{"answers", "another case",
		"# T\n\n{\"RESPONSES\": {\"D1.ADA.B1\": \"ACCEPTED - Added.\", \"d1.bob.b2\": \"Rejected: No.\"}}", answered},
	{"answers", "under a heading",
		"# T\n\n## Responses to blockers\n{\"responses\": {\"d1.ada.b1\": \"accept - Added.\"," +
			" \"d1.bob.b2\": \"Reject. No.\"}}", answered},
	{"answers", "under a bold line, in a fence",
		"# T\n\n**Responses**\n\n```json\n{\"responses\": {\"d1.ada.b1\": \"accepted (Added.)\"," +
			" \"d1.bob.b2\": \"rejected (No.)\"}}\n```", answered},
	{"answers", "after a rule and a line",
		"# T\n\n---\n\nMy answers:\n{\"responses\": {\"d1.ada.b1\": \"accepted - Added.\"," +
			" \"d1.bob.b2\": \"rejected - No.\"}}\n\nI hope this helps!", answered},
	{"answers", "objects",
		"# T\n\n{\"responses\": {\"d1.ada.b1\": {\"answer\": \"accepted\", \"note\": \"Added.\"}," +
			" \"d1.bob.b2\": {\"response\": \"reject\", \"reason\": \"No.\"}}}", answered},
	{"answers", "a list of objects",
		"# T\n\n{\"responses\": [{\"blockerId\": \"d1.ada.b1\", \"answer\": \"accepted\", \"note\": \"Added.\"}," +
			" {\"id\": \"bob.b2\", \"answer\": \"rejected\", \"why\": \"No.\"}]}", answered},
	{"answers", "short ids",
		"# T\n\n{\"responses\": {\"b1\": \"accepted - Added.\", \"[bob.b2]\": \"rejected - No.\"}}", answered},
	{"answers", "without quotes",
		"# T\n\n{responses: {'d1.ada.b1': 'accepted - Added.', 'd1.bob.b2': 'rejected - No.',}}", answered},
	{"answers", "an answer that is none",
		"# T\n\n{\"responses\": {\"b1\": \"accepted - Added.\", \"b2\": \"noted\", \"b9\": \"accepted\"}}",
		`{"markdown":"# T","responses":[{"blockerId":"d1.ada.b1","answer":"accepted","note":"Added."}]}`},
	{"answers", "without reasons", "# T\n\n{\"responses\": {\"b1\": \"accepted\", \"b2\": \"rejected\"}}", wordless},
}
