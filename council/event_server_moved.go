package council

// ServerMoved gives another address to the server of a member: for its model, and for those of its fallbacks that were
// at the same one. The charter in SESSION_STARTED stays as it is, and so do its prices.
//
// Protocol: 69.
type ServerMoved struct {
	By      string   `json:"by" text:"name"`
	Member  MemberID `json:"member"`
	BaseURL string   `json:"baseUrl" text:"id" jsonschema:"pattern=^[Hh][Tt][Tt][Pp][Ss]?://"`
}

// Row implements [Payload].
func (ServerMoved) Row() Row { return Row{Type: "SERVER_MOVED"} }

func (ServerMoved) ruling() {}
