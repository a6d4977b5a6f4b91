package index_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

func TestSearch_SaysHowWellATextMatches(t *testing.T) {
	ix := open(t)
	texts := []string{"We adopt NATS for messaging between services.",
		"Die Datenbankmigration wird auf Freitag verschoben.", "我们决定在下周迁移数据库。", "C++ and Go 1.26, node.js; 42% of users"}
	for i, text := range texts {
		put(t, ix, turn(i, 1, text))
	}
	for _, c := range []struct {
		query string
		want  int // of texts; -1 for none
		match index.Match
	}{
		{"nats", 0, index.MatchAll},
		{"NATS messaging", 0, index.MatchAll},
		{"nats for messaging", 0, index.MatchPhrase},
		{`"for messaging"`, 0, index.MatchPhrase},
		{`"messaging for"`, -1, ""},
		{"messag", 0, index.MatchAll},
		{"migration", -1, ""},
		{"Datenbank Freitag", 1, index.MatchAll},
		{"迁移数据库", 2, index.MatchAll},
		{"据数", -1, ""},
		{"go 1.26", 3, index.MatchPhrase},
		{"node.js", 3, index.MatchPhrase},
		{"42%", 3, index.MatchAll},
		{"message servicing", 0, index.MatchAll},
		{"massage servicing", 0, index.MatchSome},
	} {
		found := search(t, ix, index.Query{Text: c.query})
		if c.want < 0 {
			if len(found.Hits) > 0 {
				t.Errorf("%q found %q", c.query, found.Hits[0].Text)
			}
			continue
		}
		if len(found.Hits) != 1 || found.Hits[0].Text != texts[c.want] || found.Hits[0].Match != c.match {
			t.Errorf("%q found %+v, not %q by %s", c.query, found.Hits, texts[c.want], c.match)
		}
	}
}

func TestSearch_PutsTheBetterMatchFirst(t *testing.T) {
	ix := open(t)
	put(t, ix, turn(1, 1, "the message queue is durable"), turn(2, 2, "a queue for each message, old"),
		turn(3, 3, "a queue for each message, new"), turn(4, 4, "messages go into queues"), turn(5, 5, "only a queue"))
	for _, c := range []struct{ query, want string }{
		{"message queue", "e1 e4 e3 e2"},
		{"queue", "e5 e4 e1 e3 e2"},
		{"queue unheard", "e5 e4 e1 e3 e2"},
		{"message queue unheard", "e4 e1 e3 e2 e5"},
	} {
		check.Is(t, c.query, c.want, ids(search(t, ix, index.Query{Text: c.query}).Hits))
	}
}

func TestSearch_NamesMissingWords(t *testing.T) {
	ix := open(t)
	put(t, ix, turn(1, 1, "kafka was refused because of its weight"), turn(2, 2, "of its own weight"))
	found := search(t, ix, index.Query{Text: "kafka weight zookeeper"})
	check.Equal(t, "it", []string{"zookeeper"}, found.Nowhere)
	check.That(t, len(found.Hits) != 0 && found.Hits[0].Match == index.MatchSome &&
		cmp.Diff([]string{"zookeeper"}, found.Hits[0].Lacks) == "", "found %+v", found.Hits)
	if found := search(t, ix, index.Query{Text: "?!"}); len(found.Hits)+len(found.Asked) > 0 {
		t.Errorf("a query without a word found %+v", found)
	}
}

func TestSearch_ShowsTheSuccessorOfASupersededRecord(t *testing.T) {
	ix := open(t)
	old, middle, current := record(1, "r-old", "Backups are kept for ten days"), record(2, "r-middle",
		"Backups are kept for a month"), record(0, "r-new", "Backups are kept for a year, said first and decided last")
	old.Status, old.SupersededBy = "superseded", "r-middle"
	middle.Status, middle.SupersededBy = "superseded", "r-new"
	put(t, ix, old, middle, current)

	found := search(t, ix, index.Query{Text: "backups"})
	check.Is(t, "found", "r-new r-middle r-old", ids(found.Hits))
	// The old one is the better match, and still comes after the one in its place.
	found = search(t, ix, index.Query{Text: "backups month kept"})
	got := ids(found.Hits)
	check.That(t, strings.HasPrefix(got, "r-new r-middle"), "found %s", got)
	// Where only the old one is found, the new one is shown with it.
	found = search(t, ix, index.Query{Text: "ten days"})
	check.That(t, len(found.Hits) == 1 && found.Hits[0].Instead != nil && found.Hits[0].Instead.ID == "r-middle",
		"found %+v", found.Hits)
}

func TestSearch_SurvivesARingOfSuccessors(t *testing.T) {
	ix := open(t)
	a, b := record(1, "r-a", "a ring of words"), record(2, "r-b", "a ring of words")
	a.SupersededBy, b.SupersededBy = "r-b", "r-a"
	put(t, ix, a, b)
	got := search(t, ix, index.Query{Text: "ring"})
	check.That(t, len(got.Hits) == 2, "found %+v", got.Hits)
}

func TestSearch_Filters(t *testing.T) {
	ix := open(t)
	brian := turn(3, 3, "the word")
	brian.Member = "brian-2"
	episode := index.Doc{ID: string(sessionID(4)), Kind: index.KindEpisode, Session: sessionID(4),
		At: day0.AddDate(0, 0, 4), Text: "the word"}
	put(t, ix, turn(1, 1, "the word"), record(2, "r-2", "the word"), brian, episode)
	for _, c := range []struct {
		q    index.Query
		want string
	}{
		{index.Query{Kinds: []string{"record"}}, "r-2"},
		{index.Query{Kinds: []string{"turn"}}, "e3 e1"},
		{index.Query{Kinds: []string{`turn" OR "word`}}, ""},
		{index.Query{Members: []council.MemberID{"brian-2"}}, "e3"},
		{index.Query{Members: []council.MemberID{"brian"}}, ""},
		{index.Query{Members: []council.MemberID{""}}, string(sessionID(4))},
		{index.Query{Members: []council.MemberID{"ada"}, Kinds: []string{"turn"}}, "e1"},
		{index.Query{Except: []council.SessionID{sessionID(4), sessionID(3)}}, "r-2 e1"},
		{index.Query{Without: []string{"r-2", string(sessionID(3)) + ".e3"}}, string(sessionID(4)) + " e1"},
		{index.Query{Limit: 1}, string(sessionID(4))},
	} {
		c.q.Text = "word"
		check.Is(t, c.q.Text, c.want, ids(search(t, ix, c.q).Hits))
	}
}

// A session that speaks of nothing else leaves room for the others.
func TestSearch_ShowsOneHitASession(t *testing.T) {
	ix := open(t)
	said := []index.Doc{turn(1, 1, "consensus was an old matter")}
	for seq := range 900 {
		said = append(said, turn(2, 100+seq, "consensus again"))
	}
	put(t, ix, said...)
	found := search(t, ix, index.Query{Text: "consensus"})
	check.Is(t, "found", "e999 e1", ids(found.Hits))
	if more := found.Hits[0].More; more < 100 || found.Hits[1].More != 0 {
		t.Errorf("says that there are %d more", more)
	}
	found = search(t, ix, index.Query{Text: "consensus again"})
	more := found.Hits[0].More
	check.That(t, more >= 100 && more <= 899, "says that there are %d more of 899", more)
	found = search(t, ix, index.Query{Text: "consensus", Limit: 4, AllHits: true})
	got := ids(found.Hits)
	check.That(t, got == "e999 e998 e997 e996" && found.Hits[0].More == 0, "found %s of all hits", got)
}

func TestSnippet_MarksMatchesHarmlessly(t *testing.T) {
	ix := open(t)
	long := strings.Repeat("Nothing of note was said here. ", 40)
	put(t, ix, turn(1, 1, long+"Then \x1b[31mthe crème\u202e\nbrûlée was served. "+long))
	got := search(t, ix, index.Query{Text: "creme brulee"}).Hits[0].Snippet
	check.That(t, !strings.ContainsAny(got.Text, "\x1b\n\u202e") && len(got.Text) <= 260 &&
		strings.HasPrefix(got.Text, "… ") && strings.HasSuffix(got.Text, " …"), "the snippet is %q", got.Text)
	var marked []string
	for _, m := range got.Marks {
		marked = append(marked, got.Text[m[0]:m[1]])
	}
	check.Equal(t, "it", []string{"crème", "brûlée"}, marked)
}

// FuzzSearch: any query has an answer and no error, and any text finds itself.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{`"`, `a" OR "b`, "NEAR(a b)", "terms: x", "* ^ - + ( )", "数", "ท", "\x00", "\xff\xfe",
		"'; DROP TABLE docs; --", strings.Repeat("word ", 3000), `""""`, "\ue000kturn", "İ", "ŉ"} {
		f.Add(s)
	}
	ix := open(f)
	put(f, ix, turn(1, 1, "some text to be found among the others"))
	f.Fuzz(func(t *testing.T, text string) {
		put(t, ix, turn(2, 1, text))
		found := search(t, ix, index.Query{Text: text})
		check.Get(ix.Recollect(t.Context(), text, index.Query{}))(t)
		if len(found.Asked) == 0 {
			return
		}
		for _, h := range found.Hits {
			if h.Text == text {
				return
			}
		}
		t.Fatalf("%q does not find itself but %+v", text, found)
	})
}

func TestSnippet_MarksMatchesInManyLanguages(t *testing.T) {
	ix := open(t)
	put(t, ix, turn(1, 1, "我们决定在下周迁移数据库，Große Straße, σοφός, İstanbul'da ısıtma, and\nHTTP/2 migrations."))
	for query, want := range map[string][]string{
		"数据库":          {"数据库"},
		"下周 数据":        {"下周", "数据"},
		"strasse":      {"Straße"},
		"ΣΟΦΟΣ":        {"σοφός"},
		"ISTANBUL":     {"İstanbul"},
		"isitma":       {"ısıtma"},
		"http/2":       {"HTTP", "2"},
		"migrate gros": {"Große", "migrations"},
	} {
		hits := search(t, ix, index.Query{Text: query}).Hits
		if len(hits) == 0 {
			t.Errorf("%q found nothing", query)
			continue
		}
		var got []string
		for _, m := range hits[0].Snippet.Marks {
			got = append(got, hits[0].Snippet.Text[m[0]:m[1]])
		}
		check.Equal(t, query, want, got)
	}
}

// TestSearch_CommonWordsAreLookedForInTheNewestDocuments has one old document beside 20,000 with its commonest word.
func TestSearch_CommonWordsAreLookedForInTheNewestDocuments(t *testing.T) {
	ix := open(t)
	old := record(0, "r-old", "the plan about zebras")
	docs := []index.Doc{old}
	for n := range 20_000 {
		docs = append(docs, turn(1+n/1000, 1+n%1000, "the plan"))
	}
	put(t, ix, docs...)
	for _, c := range []struct {
		q     index.Query
		found bool
	}{
		{index.Query{Text: "plan"}, false},
		{index.Query{Text: "the plan"}, false},
		{index.Query{Text: "zebras"}, true},
		{index.Query{Text: "the plan about zebras"}, true},
		{index.Query{Text: "plan", Kinds: []string{"record"}}, true},
	} {
		c.q.Limit = 100
		hits := search(t, ix, c.q).Hits
		found := slices.ContainsFunc(hits, func(h index.Hit) bool { return h.ID == old.ID })
		check.That(t, found == c.found && len(hits) != 0, "%+v: among %d hits is the old document: %t, want %t", c.q,
			len(hits), found, c.found)
	}
}

// TestSearch_SeesOneStateWhileAnotherWrites searches for a text that is replaced all the time.
func TestSearch_SeesOneStateWhileAnotherWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "council.db")
	ix, writer := open(t, path), open(t, path)
	put(t, ix, turn(1, 1, "the word"))
	done := make(chan error)
	go func() {
		var err error
		for n := range counciltest.Often(50, 200) {
			err = errors.Join(err, writer.Put(context.Background(), turn(1, 1, fmt.Sprintf("the word %d", n))))
		}
		done <- err
	}()
	for {
		check.Is(t, "hits", 1, len(search(t, ix, index.Query{Text: "word"}).Hits))
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
}

func TestSearch_ALongQueryIsAnswered(t *testing.T) {
	ix := open(t)
	var words []string
	for n := range 70 {
		words = append(words, fmt.Sprintf("word%d", n))
	}
	put(t, ix, turn(1, 1, strings.Join(words, " ")))
	check.Is(t, "hits", 1, len(search(t, ix, index.Query{Text: strings.Join(words, " ")}).Hits))
}
