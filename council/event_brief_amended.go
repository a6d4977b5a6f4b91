package council

// BriefAmended replaces the execution brief of a closed session; approvals of the old one are void. As a ruling it has
// the brief alone, whose motions must have carried: the rules add the rest.
//
// Protocol: 60.
type BriefAmended struct {
	By          string `json:"by" text:"name"`
	Brief       Brief  `json:"brief"`
	BriefSHA256 string `json:"briefSha256" text:"id" jsonschema:"pattern=^[0-9a-f]{64}$"`

	Executes []MotionID `json:"executes,omitempty"` // the carried motions that it carries out
}

// Row implements [Payload].
func (BriefAmended) Row() Row { return Row{Type: "BRIEF_AMENDED"} }

func (BriefAmended) ruling() {}
