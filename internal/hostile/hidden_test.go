package hostile

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Everyday text holds nothing hidden, in any script.
func TestHidden_NothingIsHiddenInOrdinaryText(t *testing.T) {
	for name, text := range map[string]string{
		"English":                   "It’s 5 % — “fine”, isn’t it?\r\n\tIndented.\fA new page.",
		"German with a soft hyphen": "Donau\u00addampf\u00adschiff\u00adfahrt",
		"emoji": "👩🏽‍🚀 👨‍👩‍👧‍👦 ❤️‍🔥 🏳️‍🌈 🏴‍☠️ 🐻‍❄️ 👁️‍🗨️ 🙂‍↔️ 🧑🏿‍🤝‍🧑🏻 ☎︎ ©️ ™️ ↔️ ▶️ ℹ️ ‼️ ⁉️ 〰️ " +
			"㊗️ Ⓜ️ 1️⃣ #️⃣ 🇩🇪",
		"flags of regions": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f " +
			"🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
		"Arabic":                        "مرحبا بالعالم، \u200f(v2.0)\u200f تم النشر.",
		"Arabic with an isolate":        "الملف \u2066config.json\u2069 مفقود.",
		"Persian":                       "نمی\u200cخواهم کتاب\u200cها را ببینم",
		"Persian at the end of a word":  "ه\u200d .",
		"Urdu":                          "یہ ایک مثال ہے۔",
		"Hebrew":                        "שלום \u200eC++\u200e עולם, \u202aREADME.md\u202c.",
		"Hebrew with points":            "יְר֖וּשָׁלַ\u034fִם",
		"Syriac":                        "ܫܠܡܐ",
		"Hindi":                         "क्\u200dष क्\u200cष विद्या\u200dलय",
		"Bengali":                       "র\u200d্যাব",
		"Malayalam":                     "അവന്\u200d പറഞ്ഞു",
		"Malayalam, on Chromium's icon": "ഇന്റര്\u200d\u200cനെറ്റ് ആക്\u200cസസ്",
		"Sinhala":                       "ශ්\u200dරී ලංකාව",
		"Kannada":                       "ರ\u200d್ಯಾಂಕ್",
		"Thai":                          "ภาษา\u200bไทย\u200bง่าย",
		"Khmer":                         "ភាសា\u200bខ្មែរ",
		"Burmese":                       "မြန်မာ\u200bဘာသာ",
		"Tibetan":                       "བོད་\u200bསྐད་",
		"Mongolian":                     "ᠮᠣᠩᠭᠣᠯ\u180eᠠ ᠨ\u180bᠠ",
		"Japanese with a variant":       "葛\U000e0100飾区、辻\U000e0101",
		"Chinese":                       "你好，世界。、\ufe00",
		"Korean":                        "한국어 \u1112\u1161\u11ab \u115f\u1161\u1112\u1160\u11ab",
		"mathematics":                   "∩\ufe00 ≨\ufe00 ∀x∈ℝ: 0\ufe00",
		"Braille":                       "⠓⠑⠇⠇⠕\u2800⠺⠕⠗⠇⠙",
		"Vietnamese, decomposed":        "Tie\u0302\u0301ng Vie\u0323\u0302t",
		"byte order mark at the start":  "\ufeff# Title",
		"line ends of other platforms":  "a\rb\u2028c\u2029d",
		"Arabic number sign":            "\u0600١٢",
		"box drawing and symbols":       "┌─┐ ✓ ✗ → ½ €",
		"hieroglyphs with their layout": "𓀀\U00013430𓀁",
	} {
		shown, found := Expose(text)
		if len(found) > 0 || shown != text {
			t.Errorf("%s: %v in %q", name, found, text)
		}
	}
}

func TestClean_RemovesAndNamesHiddenCharacters(t *testing.T) {
	smuggled := func(text string) string { // one selector a byte
		return strings.Map(func(r rune) rune { return 0xe0100 + r }, text)
	}
	for name, c := range map[string]struct {
		in, shown string
		found     map[string]int
	}{
		"tags that spell":           {"Good." + tagged("vote YES"), "Good.", map[string]int{"tag": 8}},
		"tags behind a flag":        {"🏴" + tagged("vote"), "🏴", map[string]int{"tag": 4}},
		"an override":               {"abc \u202eSEY etov\u202c", "abc SEY etov", map[string]int{"bidirectional-control": 2}},
		"an override beside Hebrew": {"שלום \u202eSEY\u202c", "שלום SEY", map[string]int{"bidirectional-control": 2}},
		"Trojan source": {"if x {\u2066 // \u2069 \u2066}", "if x { //  }",
			map[string]int{"bidirectional-control": 3}},
		"an isolate that is left open":  {"الملف \u2066config", "الملف config", map[string]int{"bidirectional-control": 1}},
		"Hebrew on another line":        {"שלום\na\u200fb", "שלום\nab", map[string]int{"bidirectional-control": 1}},
		"spaces without width":          {"V\u200bo\u200bt\u2060e", "Vote", map[string]int{"zero-width": 3}},
		"joiners between Latin letters": {"Y\u200dE\u200cS", "YES", map[string]int{"zero-width": 2}},
		"joiners in a row":              {"न\u200d\u200d\u200dम", "न\u200dम", map[string]int{"zero-width": 2}},
		"a byte order mark within":      {"a\ufeffb", "ab", map[string]int{"zero-width": 1}},
		"selectors that carry bytes":    {"😀" + smuggled("hi"), "😀", map[string]int{"variation-selector": 2}},
		"a selector for each letter":    {"x\ufe01y\U000e0141", "xy", map[string]int{"variation-selector": 2}},
		"selectors in a row":            {"❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f", map[string]int{"variation-selector": 2}},
		"fillers":                       {"a\u3164b\u115f\uffa0\u2800", "ab", map[string]int{"filler": 4}},
		"soft hyphens outside of words": {"a \u00ad\u00ad b", "a  b", map[string]int{"soft-hyphen": 2}},
		"escapes":                       {"\x1b[2Ja\bb\u009bc\x7f", "[2Jabc", map[string]int{"control": 4}},
		"annotations":                   {"a\ufff9b\ufffbc\ufdd0", "abc", map[string]int{"format": 3}},
		"private use stays": {"\ue0a0 main \U000f0001", "\ue0a0 main \U000f0001",
			map[string]int{"private-use": 2}},
		"several kinds in their order": {"\u200ba\u202e" + tagged("x"), "a",
			map[string]int{"bidirectional-control": 1, "tag": 1, "zero-width": 1}},
		"reserved beside the tags":       {"a\U000e0fff\U000e0001", "a", map[string]int{"tag": 2}},
		"the end of a flag that is none": {"🏴\U000e0067\U000e0062\U000e007f", "🏴", map[string]int{"tag": 3}},
	} {
		shown, found := Expose(c.in)
		if shown != c.shown || !maps.Equal(found, c.found) {
			t.Errorf("%s: %q with %v, want %q with %v", name, shown, found, c.shown, c.found)
		}
	}
}

// tagged spells a text in invisible characters.
func tagged(text string) string {
	return strings.Map(func(r rune) rune { return 0xe0000 + r }, text)
}

// Nothing visible is taken out, lines stay, and nothing is left to find.
func TestHidden_ExposingTakesNothingThatIsSeen(t *testing.T) {
	const special = "aé \n\t\r\x1b\u00ad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e" +
		"\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2069\u2800\u3164" +
		"\ufe00\ufe0f\ufeff\ufff9\ue000\U000e0061\U000e007f\U000e0100🏴👩שनไ葛"
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.OneOf(rapid.SampledFrom([]rune(special)), rapid.Rune())).Draw(t, "text"))
		shown, found := Expose(s)
		if strings.Count(shown, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q has other lines than %q", shown, s)
		}
		seen := func(s string) string {
			return strings.Map(func(r rune) rune {
				if isInvisible(r) || isSelector(r) {
					return -1
				}
				return r
			}, s)
		}
		if seen(shown) != seen(s) {
			t.Fatalf("%q shows other than %q (%v)", shown, s, found)
		}
		n := 0
		for kind, of := range found {
			if kind != PrivateUse {
				n += of
			}
		}
		if removed := len([]rune(s)) - len([]rune(shown)); removed != n {
			t.Fatalf("%d were taken out of %q, and %v counted", removed, s, found)
		}
	})
}
