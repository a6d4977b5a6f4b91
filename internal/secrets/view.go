package secrets

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// view is a text as it is searched, with the way back to the text as it is.
type view struct {
	text string
	segs []segment // in order; the first begins at 0
	from string    // the text behind it
	bits []uint64  // where a segment begins, a bit for a byte
	past int       // where the last value ended that was looked at and found to be no secret
}

// segment maps a stretch of a view. A unit was written as one escape: its bytes stand and fall together.
type segment struct {
	at     int // in the view
	origin int // in the text
	unit   int // bytes of the escape in the text; 0: byte for byte
}

// seen is s without what cannot be seen.
func seen(s string) *view {
	w := &writer{source: s}
	for i, r := range s {
		if r >= utf8.RuneSelf && hidden(r) {
			w.skip(i, i+utf8.RuneLen(r))
		}
	}
	return w.done()
}

// hidden reports whether a character that is not ASCII takes no room.
func hidden(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2064, r == 0xfeff, r == 0xad:
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// writer makes a view by leaving stretches out of a text, or putting something into their place.
type writer struct {
	source string
	b      strings.Builder
	segs   []segment
	last   int // what comes before is written
}

func (w *writer) upTo(i int) {
	if i > w.last {
		w.segs = append(w.segs, segment{at: w.b.Len(), origin: w.last})
		w.b.WriteString(w.source[w.last:i])
	}
}

// skip leaves source[from:to] out.
func (w *writer) skip(from, to int) {
	if from < w.last {
		return
	}
	w.upTo(from)
	w.last = to
}

// put writes s in the place of source[from:to].
func (w *writer) put(from, to int, s string) {
	w.skip(from, to)
	if s == "" {
		return
	}
	w.segs = append(w.segs, segment{at: w.b.Len(), origin: from, unit: to - from})
	w.b.WriteString(s)
}

func (w *writer) done() *view {
	if w.last == 0 && len(w.segs) == 0 {
		return &view{text: w.source, segs: []segment{{}}, from: w.source}
	}
	w.upTo(len(w.source))
	if len(w.segs) == 0 {
		w.segs = []segment{{}}
	}
	return &view{text: w.b.String(), segs: w.segs, from: w.source}
}

func (v *view) segment(at int) segment {
	i, found := slices.BinarySearchFunc(v.segs, at, func(s segment, at int) int { return s.at - at })
	if !found {
		i--
	}
	return v.segs[i]
}

// omitted is what was left out right before at: "" where nothing was.
func (v *view) omitted(at int) string {
	if len(v.segs) == 1 || at <= 0 || at >= len(v.text) {
		return ""
	}
	if v.bits == nil {
		v.bits = make([]uint64, len(v.text)/64+1)
		for _, s := range v.segs {
			v.bits[s.at/64] |= 1 << (s.at % 64)
		}
	}
	if v.bits[at/64]&(1<<(at%64)) == 0 {
		return ""
	}
	_, before := v.origin(at-1, at)
	after, _ := v.origin(at, at+1)
	return v.from[min(before, after):after]
}

// broken reports whether a line ended right before at, where nothing shows it any more.
func (v *view) broken(at int) bool {
	s := v.omitted(at)
	return strings.Contains(s, "\n") || strings.Contains(s, `\n`) || strings.Contains(s, "%0")
}

// nextBreak returns the first place in (at, end) that is [view.broken], or end.
func (v *view) nextBreak(at, end int) int {
	if len(v.segs) == 1 {
		return end
	}
	i, _ := slices.BinarySearchFunc(v.segs, at+1, func(s segment, at int) int { return s.at - at })
	for ; i < len(v.segs) && v.segs[i].at < end; i++ {
		if v.broken(v.segs[i].at) {
			return v.segs[i].at
		}
	}
	return end
}

// origin maps text[start:end] of the view, which is not empty, to the text behind it.
func (v *view) origin(start, end int) (from, to int) {
	a, b := v.segment(start), v.segment(end-1)
	from, to = a.origin, b.origin+b.unit
	if a.unit == 0 {
		from = a.origin + start - a.at
	}
	if b.unit == 0 {
		to = b.origin + end - b.at
	}
	return from, to
}

// behind returns v as a view of the text that base is a view of, where v is a view of base's text.
func (v *view) behind(base *view) *view {
	if len(base.segs) == 1 {
		return v
	}
	var segs []segment
	for i, s := range v.segs {
		end := len(v.text)
		if i+1 < len(v.segs) {
			end = v.segs[i+1].at
		}
		if s.unit > 0 {
			from, to := base.origin(s.origin, s.origin+s.unit)
			segs = append(segs, segment{s.at, from, to - from})
			continue
		}
		for at := s.at; at < end; {
			inner := s.origin + at - s.at
			b := base.segment(inner)
			stop := len(base.text)
			if k, _ := slices.BinarySearchFunc(base.segs, inner+1, func(s segment, at int) int { return s.at - at }); k < len(base.segs) {
				stop = base.segs[k].at
			}
			if b.unit > 0 {
				segs = append(segs, segment{at, b.origin, b.unit})
			} else {
				segs = append(segs, segment{at: at, origin: b.origin + inner - b.at})
			}
			at += stop - inner
		}
	}
	return &view{text: v.text, segs: segs, from: base.from}
}
