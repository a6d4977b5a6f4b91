package recorder

import "github.com/council-engine/council/recorder/render"

// rendering is what every workspace renders with.
var rendering = renderer{
	transcript: func() teller { return render.NewTranscript() },
	artifacts:  render.Artifacts,
}
