package terms_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/recorder/index/terms"
)

func TestOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Shall we adopt NATS?", "shall we adopt nats"},
		{"Crème brûlée, Ångström", "creme brulee angstrom"},
		{"cre\u0300me", "creme"},
		{"STRASSE Straße", "strasse strasse"},
		{"ΣΟΦΟΣ σοφός", "σοφοσ σοφοσ"},
		{"don't v2.1 snake_case", "don t v2 1 snake case"},
		{"ＮＡＴＳ ﬁle", "nats file"},
		{"数据库迁移", "数据 据库 库迁 迁移 移"},
		{"NATSに移行。", "nats に移 移行 行"},
		{"サーバー", "サー ーバ バー ー"},
		{"ｻｰﾊﾞｰ", "サー ーバ バー ー"},
		{"ประชุม", "ปร ระ ะช ชุ ุม ม"},
		{"회의에서", "회의 의에 에서 서"},
		{"हिन्दी में", "हिन्दी में"},
		{"שָׁלוֹם", "שלום"},
		{"миграция Базы", "миграция базы"},
		{"a\xff\xfeb\x00c", "a b c"},
		{"\u0301 \ue000kturn", "kturn"},
		{strings.Repeat("x", 500), strings.Repeat("x", 120)},
	} {
		var got []string
		for tok := range terms.Of(c.text) {
			got = append(got, tok.Term)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// A token says where in the text it stands.
func TestOfPlaces(t *testing.T) {
	const text = "«Größe» of 数据库"
	var got []string
	for tok := range terms.Of(text) {
		got = append(got, text[tok.Start:tok.End])
	}
	if diff := cmp.Diff([]string{"Größe", "of", "数据", "据库", "库"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ text, want, phrase string }{
		{"", "", ""},
		{`?! "" ***`, "", ""},
		{"one", `"one"`, ""},
		{"one two one", `"one" "two"`, `"one two one"`},
		{`"one two" three`, `"one two" "three"`, `"one two three"`},
		{`three "one two`, `"three" "one" "two"`, `"three one two"`},
		{`„one two“ «three four»`, `"one two" "three four"`, `"one two three four"`},
		{`a AND b NOT (c* OR ^d) NEAR(e, 5) terms:f`, `"a" "and" "b" "not" "c" "or" "d" "near" "e" "5" "terms" "f"`,
			`"a and b not c or d near e 5 terms f"`},
		{"数据", `"数据"`, ""},
		{"数", `"数" *`, ""},
		{"数据库 NATS", `"数据 据库" "nats"`, `"数据 据库 库 nats"`},
		{"NATS 数据库", `"nats" "数据 据库"`, `"nats 数据 据库"`},
		{`"数据库 移"`, `"数据 据库 库 移" *`, ""},
	} {
		q := terms.Read(c.text)
		var units []string
		for _, u := range q.Units {
			units = append(units, u.Match())
		}
		phrase := ""
		if len(q.Phrase.Terms) > 0 {
			phrase = q.Phrase.Match()
		}
		if diff := cmp.Diff([]string{c.want, c.phrase}, []string{strings.Join(units, " "), phrase}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// Nothing in a query is an operator of FTS5 but the quotation marks and stars of ours, and terms are stable.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", `"`, `a"b"c`, "数据库", "é\u0301\u0301", "\xff\"", "a*b^c:d", "İı", "ﷺ", "ｶﾞ゙", "ŉ",
		"ǅ", "ﬃ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := terms.Read(text)
		for _, u := range append(q.Units, q.Phrase) {
			for _, term := range u.Terms {
				if term == "" || strings.ContainsAny(term, "\"*^:()+-{} \x00\ue000") {
					t.Fatalf("%q has the term %q", text, term)
				}
				if first, _ := utf8.DecodeRuneInString(term); len(term) > 100 || unicode.IsMark(first) {
					continue
				}
				var again []string
				for tok := range terms.Of(term) {
					again = append(again, tok.Term)
				}
				pair := len(again) == 2 && strings.HasSuffix(term, again[1]) // of a run: it and its last character
				if len(again) == 0 || again[0] != term || len(again) > 1 && !pair {
					t.Fatalf("the term %q of %q comes apart into %q", term, text, again)
				}
			}
		}
	})
}
