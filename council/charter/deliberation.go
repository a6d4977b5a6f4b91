package charter

// checkDeliberation holds that what is contested can be told.
func (c checking) checkDeliberation(p *problems) {
	d := c.Deliberation
	if d.ContestedOnly && !(d.Stances && d.SealedPositions) {
		p.add("/deliberation/contestedOnly", "whether anything is contested shows in the stances of sealed positions; set sealedPositions and stances too")
	}
}
