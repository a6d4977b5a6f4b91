package council

// MemoryRecalled gives the council what a search of memory found beyond what members are reminded of. It stands
// directly after SESSION_STARTED or not at all. The words are as they were found: no one has checked them since.
//
// Protocol: 80, 81.
type MemoryRecalled struct {
	// What memory was searched for.
	Query string         `json:"query" text:"query" jsonschema:"pattern=\\S,maxLength=1000"`
	Hits  []Recollection `json:"hits" jsonschema:"minItems=1,maxItems=3"` // best first
}

// Row implements [Payload].
func (MemoryRecalled) Row() Row { return Row{Type: "MEMORY_RECALLED", Lasts: true} }

func (MemoryRecalled) ruling() {}
