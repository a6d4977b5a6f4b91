package endpoint

import (
	"strings"

	"github.com/council-engine/council/council/prompt"
)

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

var stops = func() map[string]prompt.Stop {
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

// StopOf returns the end of a reply by the provider's word for it. An unknown word is a [prompt.StopFailed], since the
// reply may be a part. No word is an end.
func StopOf(reason string) prompt.Stop {
	if reason = plainReason(reason); reason == "" {
		return prompt.StopEnd
	}
	if stop, known := stops[reason]; known {
		return stop
	}
	return prompt.StopFailed
}
