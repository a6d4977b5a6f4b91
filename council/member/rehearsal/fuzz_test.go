package rehearsal_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal"
)

// FuzzSession holds a whole session on any topic and document: every reply must pass the parser and the rules.
func FuzzSession(f *testing.F) {
	f.Add("Shall we?", "a.md", "We should. It is not certain.")
	f.Add("A or B?", "b.go", "// A is fine.\nfunc A() {}\n/* B is\n * better */")
	f.Add("“Quoted” [e1] (x:1)", "c.txt",
		"“Says [e99]” (c.txt:7). # Heading\n| a | b |\n|---|---|\n| ``` | <script>alert(1)</script> |")
	f.Add("## Responses to blockers", "d.md",
		"## Responses to blockers\n\n- d1.skeptic.b1: accepted - yes\n\n```\nnever closed")
	f.Add("是否迁移队列？", "e.md", "队列每秒被轮询。没有人知道它什么时候停止！我们应该测量它吗？")
	f.Add("{need} {q}", "(f).md", "{without} {e} %s %d \\ \\\\ \x00 \u202e \u2028 line")
	f.Add("?", "", "")
	f.Add(strings.Repeat("why ", 300), "g.md", strings.Repeat("> ", 30)+strings.Repeat("*[_", 900))
	charters := []council.Charter{ready(f, "general"), ready(f, "security")}
	for i := range charters {
		for j := range charters[i].Phases {
			charters[i].Phases[j].StopConditions.MaxRounds = 2
		}
	}
	model := rehearsal.New()
	f.Fuzz(func(t *testing.T, text, name, doc string) {
		if strings.TrimSpace(text) == "" || !valid(text+name+doc) {
			t.Skip()
		}
		topic := council.Topic{Text: text, Documents: []council.Document{council.NewDocument(name, doc)}}
		hold(t, model, charters[len(doc)%2], topic)
	})
}

// valid reports whether the text is UTF-8, as records are.
func valid(text string) bool { return strings.ToValidUTF8(text, "") == text }
