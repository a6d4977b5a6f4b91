// Package text holds the views in which a text is searched: as it is seen, with escapes resolved, and joined over line ends and
// string literals; with the way back to the text as it is.
package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// View is a text as it is searched, with the way back to the text as it is.
type View struct {
	Text string
	segs []segment // in order; the first begins at 0
	from string    // the text behind it
	bits []uint64  // where a segment begins, a bit for a byte
}

// segment maps a stretch of a view. A unit was written as one escape: its bytes stand and fall together.
type segment struct {
	at     int // in the view
	origin int // in the text
	unit   int // bytes of the escape in the text; 0: byte for byte
}

// Of is s, and nothing else.
func Of(s string) *View { return &View{Text: s, segs: []segment{{}}, from: s} }

// Seen is s without what cannot be seen.
func Seen(s string) *View {
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

func (w *writer) done() *View {
	if w.last == 0 && len(w.segs) == 0 {
		return &View{Text: w.source, segs: []segment{{}}, from: w.source}
	}
	w.upTo(len(w.source))
	if len(w.segs) == 0 {
		w.segs = []segment{{}}
	}
	return &View{Text: w.b.String(), segs: w.segs, from: w.source}
}

func (v *View) segment(at int) segment {
	i, found := slices.BinarySearchFunc(v.segs, at, func(s segment, at int) int { return s.at - at })
	if !found {
		i--
	}
	return v.segs[i]
}

// Omitted is what was left out right before at: "" where nothing was.
func (v *View) Omitted(at int) string {
	if len(v.segs) == 1 || at <= 0 || at >= len(v.Text) {
		return ""
	}
	if v.bits == nil {
		v.bits = make([]uint64, len(v.Text)/64+1)
		for _, s := range v.segs {
			v.bits[s.at/64] |= 1 << (s.at % 64)
		}
	}
	if v.bits[at/64]&(1<<(at%64)) == 0 {
		return ""
	}
	_, before := v.Origin(at-1, at)
	after, _ := v.Origin(at, at+1)
	return v.from[min(before, after):after]
}

// Broken reports whether a line ended right before at, where nothing shows it any more.
func (v *View) Broken(at int) bool {
	s := v.Omitted(at)
	return strings.Contains(s, "\n") || strings.Contains(s, `\n`) || strings.Contains(s, "%0")
}

// NextBreak returns the first place in (at, end) that is [View.Broken], or end.
func (v *View) NextBreak(at, end int) int {
	if len(v.segs) == 1 {
		return end
	}
	i, _ := slices.BinarySearchFunc(v.segs, at+1, func(s segment, at int) int { return s.at - at })
	for ; i < len(v.segs) && v.segs[i].at < end; i++ {
		if v.Broken(v.segs[i].at) {
			return v.segs[i].at
		}
	}
	return end
}

// Origin maps text[start:end] of the view, which is not empty, to the text behind it.
func (v *View) Origin(start, end int) (from, to int) {
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
func (v *View) behind(base *View) *View {
	if len(base.segs) == 1 {
		return v
	}
	var segs []segment
	for i, s := range v.segs {
		end := len(v.Text)
		if i+1 < len(v.segs) {
			end = v.segs[i+1].at
		}
		if s.unit > 0 {
			from, to := base.Origin(s.origin, s.origin+s.unit)
			segs = append(segs, segment{s.at, from, to - from})
			continue
		}
		for at := s.at; at < end; {
			inner := s.origin + at - s.at
			b := base.segment(inner)
			stop := len(base.Text)
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
	return &View{Text: v.Text, segs: segs, from: base.from}
}
