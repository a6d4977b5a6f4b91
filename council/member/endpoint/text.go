package endpoint

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/prompt"
)

// place is a field of a reply that may contain its text.
type place int

// The places, the best first.
const (
	inStream   place = iota // in the pieces of a stream
	inMessage               // at once: in one document, or at the end of a stream
	inToolCall              // as the arguments of a call of a tool
	inThoughts              // among the model's thoughts
	places
)

// pieces joins the pieces of a text. Some gateways repeat all earlier text in each piece, so that most pieces grow.
type pieces struct {
	sum    strings.Builder // of all pieces, until the stream is surely cumulative
	latest string          // the last piece, unless the pieces differ
	count  int
	grown  int  // how many pieces were longer than the one before, less those that were equal
	differ bool // one did not begin with the one before
	sure   bool
}

// cumulativeAfter is how many pieces make a stream cumulative, and the least size of a piece that repeats all others.
const cumulativeAfter = 32

func (p *pieces) add(piece string) {
	if piece == "" || p.differ && len(piece) >= cumulativeAfter && piece == p.sum.String() {
		return
	}
	switch p.count++; {
	case p.differ || p.count == 1:
	case !strings.HasPrefix(piece, p.latest):
		if p.differ = true; p.sure {
			p.sum.Reset()
			p.sum.WriteString(p.latest)
		}
	case piece == p.latest:
		p.grown--
	default:
		p.grown++
	}
	p.latest = piece
	p.sure = p.sure || !p.differ && p.count >= cumulativeAfter && p.grown > 0
	if p.differ || !p.sure {
		p.sum.WriteString(piece)
	}
}

func (p *pieces) String() string {
	if !p.differ && (p.sure || p.grown > 0) {
		return p.latest
	}
	return p.sum.String()
}

// textOf returns the text of a content: a string, a list of parts, one part, or an object that is itself the answer.
func textOf(content gjson.Result) string {
	switch {
	case content.IsArray():
		var b strings.Builder
		for _, part := range content.Array() {
			b.WriteString(partText(part))
		}
		return b.String()
	case content.IsObject() && content.Get("type").Type == gjson.Null && content.Get("text").Type == gjson.Null:
		return content.Raw
	}
	return partText(content)
}

// partText returns the text of a part of a content. Thoughts among the parts (Mistral) have none.
func partText(part gjson.Result) string {
	if !part.IsObject() {
		return part.String()
	}
	kind := strings.ToLower(part.Get("type").String())
	for _, word := range []string{"think", "thought", "reason"} {
		if strings.Contains(kind, word) || part.Get("thought").Bool() {
			return ""
		}
	}
	text := part.Get("text")
	if text.IsObject() {
		text = text.Get("value")
	}
	return text.String()
}

// isObject reports whether a text is one JSON object, alone or in a code fence.
func isObject(text string) bool {
	text = strings.TrimSpace(text)
	if fenced, is := strings.CutPrefix(text, "```"); is {
		_, text, _ = strings.Cut(fenced, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
	}
	return strings.HasPrefix(text, "{") && gjson.Valid(text)
}

// answerInThoughts returns an answer that a server took for thoughts: the JSON object at their end, or, where a
// document is asked for, all of them if they begin with a heading; else "".
func answerInThoughts(thoughts string, object bool) string {
	thoughts = strings.TrimSpace(thoughts)
	if !object {
		if strings.HasPrefix(thoughts, "# ") {
			return thoughts
		}
		return ""
	}
	for rest, n := thoughts, 0; n < 100; n++ { // more would take too long
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return ""
		}
		if start := thoughts[len(thoughts)-len(after)-1:]; isObject(start) {
			return start
		}
		rest = after
	}
	return ""
}

// reasons lists the reasons for the end of a reply that servers and agents name. Case, hyphens, underscores and spaces
// do not matter. A reply is whole only for a reason that is listed as an end.
var reasons = map[prompt.Stop]string{
	// OpenAI, Anthropic, Gemini, Cohere, Hugging Face, watsonx, LM Studio. The arguments of a tool call are the answer.
	prompt.StopEnd: "stop end end_turn stop_sequence eos eos_token end_of_text endoftext complete completed eos_found " +
		"stop_string_found tool_calls tool_call tool_use function_call",
	prompt.StopLength: "length max_tokens max_output_tokens model_length token_limit maximum_tokens max_length " +
		"context_length context_length_exceeded model_context_window_exceeded max_context_length context_length_reached " +
		"max_predicted_tokens_reached error_limit incomplete",
	prompt.StopRefusal: "content_filter content_filtered refusal refused safety recitation blocked blocklist block " +
		"prohibited_content spii image_safety sensitive guardrail_intervened model_armor error_toxic language",
	prompt.StopFailed: "error error_finish failed failure network_error abort aborted cancel canceled cancelled " +
		"user_cancel insufficient_system_resource pause_turn timeout time_limit malformed_function_call " +
		"malformed_model_output unexpected_tool_call too_many_tool_calls user_stopped model_unloaded in_progress queued " +
		"not_finished",
	prompt.StopUnknown: "null none unknown unspecified finish_reason_unspecified",
}

var stopOfReason = func() map[string]prompt.Stop {
	table := map[string]prompt.Stop{}
	for stop, words := range reasons {
		for word := range strings.FieldsSeq(words) {
			table[plainReason(word)] = stop
		}
	}
	return table
}()

var separators = strings.NewReplacer("-", "", "_", "", " ", "")

func plainReason(reason string) string { return strings.ToLower(separators.Replace(reason)) }

// StopOf returns the end of a reply by the provider's word. No word is an end; an unknown one a [prompt.StopFailed].
func StopOf(reason string) prompt.Stop {
	if reason = plainReason(reason); reason == "" {
		return prompt.StopEnd
	}
	if stop, known := stopOfReason[reason]; known {
		return stop
	}
	return prompt.StopFailed
}
