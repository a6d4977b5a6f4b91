package reply

import "github.com/council-engine/council/council"

// Contract names the schema that an answer to the view's ask must meet, such as "reply.turn". There is none for an ask
// that is answered in Markdown.
func Contract(v council.View) string {
	return "reply." + string(v.Ask.Kind)
}
