package council

// Cut says how many secrets of a kind were taken out of a text before the council was given it.
type Cut struct {
	In    string `json:"in,omitempty"` // the document; empty: the topic
	Kind  string `json:"kind"`         // such as "aws-access-key"
	Count int    `json:"count"`
}
