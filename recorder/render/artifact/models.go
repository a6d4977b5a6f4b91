package artifact

// StandIn is a model that answered in the place of a member's own.
type StandIn struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // as reported, or as configured where the provider reports none
	Replies  int    `json:"replies"`
}

// Diversity says how related the models are. Models of one family make the same mistakes.
type Diversity struct {
	Models   int      `json:"models"`   // configured, each once
	Families []string `json:"families"` // of these
	Reported struct {
		Models   int      `json:"models"`
		Families []string `json:"families"`
	} `json:"reported"` // of those that answered, as their providers name them
}
