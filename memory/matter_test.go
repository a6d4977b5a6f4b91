package memory

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/hostile"
)

func TestNormalizedText_Same(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Shall we adopt NATS?", "Shall we adopt NATS?", true},
		{"Shall we adopt NATS?", "SHOULD WE ADOPT NATS", true},
		{"Shall we adopt NATS?", "Shall we adopt NATS now?", true},
		{"Shall we adopt NATS?", "NATS: shall we not adopt it?", true}, // a question is open both ways
		{"Shall we adopt NATS?", "Shall we adopt Kafka?", false},
		{"Shall we adopt NATS?", "Shall we adopt NATS in Berlin?", false}, // a name more
		{"Shall we adopt NATS?", "Shall we drop NATS?", false},
		{"Shall we adopt NATS?", "Shall we adopt NATS, and which clusters, accounts and leaf nodes?", false},
		{"Upgrade to Go 1.26", "Upgrade to Go 1.27", false},
		{"Upgrade to Go 1.26", "upgrade to go 1.26!", true},
		{"Shall we adopt Kafka for the billing queue of the shop in March?",
			"Shall we adopt NATS for the billing queue of the shop in March?", false},
		{"How do we store messages?", "How do we store a message?", true}, // endings
		{"Shall we?", "Shall we?", true},                                  // nothing but function words
		{"Shall we?", "Must we?", false},
		{"", "", false},
		{"?!", "…", false},

		{"Sollen wir NATS einführen?", "Sollten wir jetzt NATS einführen?", true},
		{"Sollen wir NATS einführen?", "Sollen wir Kafka einführen?", false},
		{"Die Nachrichten-Warteschlange ersetzen", "die Nachrichtenwarteschlange ersetzen", true},
		{"Straße sperren", "STRASSE SPERREN", true},

		{"เราควรใช้ NATS หรือไม่", "เราควรใช้ NATS ตอนนี้หรือไม่", true},
		{"เราควรใช้ NATS หรือไม่", "เราควรใช้ Kafka หรือไม่", false},
		{"เราควรย้ายฐานข้อมูลหรือไม่", "เราควรย้ายระบบคิวหรือไม่", false},
		{"เราควรย้ายฐานข้อมูลหรือไม่", "เราควรย้ายฐานข้อมูลไหม", false}, // unlike endings are taken for two matters

		{"我们应该采用微服务吗？", "我们现在应该采用微服务吗？", true},
		{"我们应该采用微服务吗？", "我们应该采用单体架构吗？", false},
		{"我们应该在三月采用微服务架构来处理所有订单吗", "我们应该在三月采用单体架构来处理所有订单吗", false},
		{"我们应该采用NATS吗", "我们应该采用Kafka吗", false},
		{"ＮＡＴＳ", "NATS", true}, // full width

		{"メッセージを保存するか", "メッセージをすぐ保存するか", true},
	} {
		a, b := normalize(c.a), normalize(c.b)
		if a.Same(b) != c.same || b.Same(a) != c.same {
			t.Errorf("%q and %q: the same is %t, %t the other way round, want %t", c.a, c.b, a.Same(b), b.Same(a), c.same)
		}
	}
}

func TestNormalizedText_Says(t *testing.T) {
	for _, c := range []struct {
		a, b string
		says bool
	}{
		{"The disk is honest.", "the disks are honest", true},
		{"The disk is honest.", "The disk is not honest.", false},
		{"Messages don't get lost", "Messages do get lost", false},
		{"Messages must be kept.", "Messages must be kept encrypted.", false},
		{"Messages of the shop must be kept in order.", "Messages of the shop must always be kept in order.", true},
		{"Latency stays under 5 ms", "Latency stays under 50 ms", false},
		{"必须保留所有消息", "必须不保留所有消息", false},
		{"ต้องเก็บข้อความทั้งหมด", "ไม่ต้องเก็บข้อความทั้งหมด", false},
		{"No figure for latency.", "There is still no figure for latency.", true},
		{"Serve 1000 users at once", "Serve 100000 users at once", false},
		{"Billing depends on shipping", "Shipping depends on billing", false},
		{"", "", false},
	} {
		a, b := normalize(c.a), normalize(c.b)
		check.Is(t, c.a, c.says, a.Says(b))
		check.Is(t, c.a, c.says, b.Says(a))
	}
}

func TestNormalizedText_IsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.OneOf(rapid.String(), rapid.StringMatching(`(NATS|Kafka|we|not|disk|disks|不|微|เรา|5|50|\W){0,8}`))
		a, b := normalize(texts.Draw(t, "a")), normalize(texts.Draw(t, "b"))
		if a.Same(b) != b.Same(a) || a.Says(b) != b.Says(a) || a.Equal(b) != b.Equal(a) {
			t.Fatal("likeness has a direction")
		}
		if a.Equal(a) && (!a.Same(a) || !a.Says(a)) {
			t.Fatal("a text is not like itself")
		}
		if a.Says(b) && !a.Same(b) {
			t.Fatal("two texts say the same of different matters")
		}
	})
}

func TestRootOf(t *testing.T) {
	for _, tt := range []struct{ memory, root, want string }{
		{".council/memory", ".council", ""},
		{"./.council/memory/", "./.council", ""},
		{"/srv/council/memory", "/srv/council", ""},
		{"memory", ".", ""},
		{"memory", ".council", "../.council"},
		{"docs/memory", ".council", "../../.council"},
		{"../shared/memory", ".council", UnknownRoot}, // the name of this folder is unknown
		{"../shared/memory", "../shared", ""},
		{"../memory", "../records/one", "../records/one"},
		{".", ".council", ".council"},
		{".council", ".council", "."},
		{"/srv/memory", ".council", UnknownRoot},
		{"memory", "/srv/council", UnknownRoot},
		{"/srv/memory", "/home/kim/council", "../../home/kim/council"},
		{`C:\memory`, `C:\council`, UnknownRoot},
	} {
		check.Is(t, tt.memory, tt.want, RootOf(council.Storage{RootDir: tt.root, MemoryDir: tt.memory}))
	}
}

func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"One\n  two\tthree ":             "One two three",
		"# Heading\n\n- a\n- b\n> > # c": "Heading. a b c",
		"## Why?\nBecause":               "Why? Because",
		"#\n-\n>":                        "",
		"a\u202eb\x1b[31m\u200b":         "ab[31m",
		" [forgotten]\n":                 "",
		"what was [forgotten] here":      "what was [forgotten] here",
		"-5 degrees":                     "-5 degrees",
		"**bold** and `code`":            "**bold** and `code`",
		"\xff broken":                    "\ufffd broken",
	} {
		check.Is(t, text, want, plainText(text))
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"fits", 4, "fits"},
		{"one two three", 12, "one two…"},
		{"one two, three", 12, "one two…"},
		{"one two three", 8, "one two…"},
		{strings.Repeat("x", 50), 10, "xxxxxxxxx…"},
		{"我们应该采用微服务吗", 5, "我们应该…"},
		{"aaaae\u0301\u0301", 6, "aaaa…"}, // no letter without its marks
	} {
		check.Is(t, c.text, c.want, shorten(c.text, c.n))
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"\n\n# Queue\n\nShould it?": "Queue",
		"- \n> Shall we?":           "Shall we?",
		"[forgotten]":               "",
		"":                          "",
	} {
		check.Is(t, text, want, firstLine(text))
	}
}

// Any text becomes one visible line within its bound, and stays the same when it is cut again.
func FuzzClip(f *testing.F) {
	f.Add("# A\n\n- b\x00\u202e", 3)
	f.Add(strings.Repeat("👩\u200d👩\u200d👧 ", 40), 100)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = 2 + (n&0x7fffffff)%400
		got := clip(text, n)
		if utf8.RuneCountInString(got) > n || hostile.Line(got) != got || strings.Contains(got, "  ") {
			t.Fatalf("%q in %d is %q", text, n, got)
		}
	})
}
