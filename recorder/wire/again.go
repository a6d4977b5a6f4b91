package wire

// Line returns the entry as its line stands in events.json, without the comma before it.
func (e Entry) Line() ([]byte, error) {
	payload, err := JSON(e.Payload)
	if err != nil {
		return nil, err
	}
	l := line{
		head: head{
			Seq: e.Seq, ID: e.ID, Session: e.Session, Timestamp: Stamp(e.Time), Type: e.Type(),
			Phase: e.Phase, Round: e.Round, Turn: e.Turn, Actor: e.Actor, Digest: e.Digest,
		},
		Sum:     e.Sum,
		Payload: payload,
		Salt:    e.Salt,

		Forgotten: e.Forgotten,
	}
	if e.Seq == 1 {
		l.Format = Format
	}
	text, _, err := l.bytes()
	return text, err
}
