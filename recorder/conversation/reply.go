package conversation

import (
	"unicode/utf8"

	"github.com/council-engine/council/council/prompt"
)

// setContent puts a reply on a line as it came: text that is not UTF-8 would come back from JSON as other text.
func setContent(l *Line, text string) {
	if utf8.ValidString(text) {
		l.Content = text
		return
	}
	l.ContentBase64 = []byte(text)
}

// Completion is the reply that a line holds.
func Completion(l Line) prompt.Completion {
	text := l.Content
	if len(l.ContentBase64) > 0 {
		text = string(l.ContentBase64)
	}
	return prompt.Completion{
		Text: text, Stop: prompt.Stop(l.Stop), Usage: l.Usage, RequestID: l.RequestID, Cut: l.Cut, Hidden: l.Hidden,
	}
}
