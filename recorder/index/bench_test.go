package index_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/index"
)

const turnsPerSession = 30

// corpus makes sessions of generated words: their frequencies fall as those of a language do, and one word in five
// hundred is new.
type corpus struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	fresh int
}

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, 1))
	return &corpus{r: r, zipf: rand.NewZipf(r, 1.07, 2.7, 200_000)}
}

// word returns the n-th most frequent word: short if it is frequent.
func word(n uint64) string {
	const syllables = "baberobidufagesohinujakilomepu"
	var b strings.Builder
	for n += 15; n > 0; n /= 15 {
		i := n % 15 * 2
		b.WriteString(syllables[i : i+2])
	}
	return b.String()
}

func (c *corpus) text() string {
	var b strings.Builder
	for range 30 + c.r.IntN(60) {
		if c.r.IntN(500) == 0 {
			c.fresh++
			b.WriteString("x" + word(uint64(c.fresh)) + "x ")
			continue
		}
		b.WriteString(word(c.zipf.Uint64()))
		b.WriteByte(' ')
	}
	return b.String()
}

func (c *corpus) session(n int) []index.Doc {
	at := day0.Add(time.Duration(n) * 50 * time.Minute)
	id := council.SessionID(fmt.Sprintf("%s-a-topic-of-some-words-%06d", at.Format("20060102-150405"), n))
	docs := []index.Doc{{ID: string(id), Kind: index.KindEpisode, Session: id, Topic: "A topic of some words", At: at,
		Text: c.text()}}
	for seq := range turnsPerSession {
		member := strconv.Itoa(seq % 5)
		docs = append(docs, index.Doc{ID: fmt.Sprintf("%s.e%d", id, seq), Kind: index.KindTurn, Session: id,
			Event: "e" + strconv.Itoa(seq), Member: council.MemberID("member-" + member), Name: "Member " + member,
			At: at.Add(time.Duration(seq) * time.Second), Text: c.text()})
	}
	return docs
}

func (c *corpus) sessions(n int) iter.Seq2[index.Doc, error] {
	return func(yield func(index.Doc, error) bool) {
		for i := range n {
			for _, d := range c.session(i) {
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

// built returns an index of so many sessions. One that is kept in COUNCIL_BENCH, a folder, is used again.
func built(b *testing.B, sessions int) (*index.Index, string) {
	dir := os.Getenv("COUNCIL_BENCH")
	if dir == "" {
		dir = b.TempDir()
	}
	path := filepath.Join(dir, fmt.Sprintf("council-%d.db", sessions))
	_, err := os.Stat(path)
	ix := open(b, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return ix, path
	}
	started := time.Now()
	check.OK(b, ix.Rebuild(context.Background(), newCorpus(1).sessions(sessions)))
	b.Logf("built in %v", time.Since(started).Round(time.Second))
	return ix, path
}

// queries returns typical queries: words of all frequencies, alone and together, with and without a common one, parts
// of words, phrases, and unknown words.
func queries() map[string][]string {
	r := rand.New(rand.NewPCG(7, 7))
	pick := func(limit uint64) string { return word(r.Uint64N(limit)) }
	all := map[string][]string{}
	for range 40 {
		all["the most common word"] = append(all["the most common word"], pick(5))
		all["common words"] = append(all["common words"], pick(50)+" "+pick(50)+" "+pick(50))
		all["a phrase of common words"] = append(all["a phrase of common words"], `"`+pick(20)+" "+pick(20)+" "+pick(20)+`"`)
		all["middling words"] = append(all["middling words"], pick(3000)+" "+pick(3000))
		all["rare and common"] = append(all["rare and common"], pick(10)+" "+pick(100_000)+" "+pick(10))
		all["rare words"] = append(all["rare words"], pick(200_000)+" "+pick(200_000))
		all["a sentence"] = append(all["a sentence"],
			strings.Join([]string{pick(30), pick(30), pick(3000), pick(30), pick(100_000), pick(300), pick(30), pick(3000)},
				" "))
		all["part of a word"] = append(all["part of a word"], "x"+pick(5000))
		all["unheard of"] = append(all["unheard of"], "qqqqqq "+pick(20)+" "+pick(3000))
	}
	return all
}

func benchmarkSearch(b *testing.B, sessions int) {
	ix, path := built(b, sessions)
	info := check.Get(os.Stat(path))(b)
	all := queries()
	var every []time.Duration
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				took = took[:0]
				for _, warm := range []bool{true, false} {
					for _, q := range all[name] {
						started := counciltest.CPUTime()
						check.Get(ix.Search(context.Background(), index.Query{Text: q}))(b)
						if !warm {
							took = append(took, counciltest.CPUTime()-started)
						}
					}
				}
			}
			report(b, took)
			every = append(every, took...)
		})
	}
	b.Run("topics", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			took = took[:0]
			for _, q := range all["a sentence"] {
				started := counciltest.CPUTime()
				check.Get(ix.Recollect(context.Background(), q, index.Query{}))(b)
				took = append(took, counciltest.CPUTime()-started)
			}
		}
		report(b, took)
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			ix := check.Get(index.Open(context.Background(), path))(b)
			ix.Close()
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
		}
		report(b, every)
		b.ReportMetric(float64(info.Size())/1e6, "MB")
	})
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	if len(took) == 0 {
		return
	}
	at := func(share float64) float64 { return took[int(share*float64(len(took)-1))].Seconds() * 1000 }
	b.ReportMetric(at(0.5), "cpu-ms-p50")
	b.ReportMetric(at(0.95), "cpu-ms-p95")
	b.ReportMetric(at(1), "cpu-ms-worst")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSearch searches 155,000 documents.
func BenchmarkSearch(b *testing.B) { benchmarkSearch(b, 5_000) }

// BenchmarkSearchLong searches 3,100,000 documents, if COUNCIL_LONG is set: to make them takes minutes and gigabytes.
func BenchmarkSearchLong(b *testing.B) {
	if os.Getenv("COUNCIL_LONG") == "" {
		b.Skip("set COUNCIL_LONG")
	}
	benchmarkSearch(b, 100_000)
}

// BenchmarkPut puts one session into indexes of different sizes, each time as a command does: open, put, close. The
// bytes are all that the process writes.
func BenchmarkPut(b *testing.B) {
	sizes := []int{30, 5_000}
	if os.Getenv("COUNCIL_LONG") != "" {
		sizes = append(sizes, 100_000)
	}
	for _, size := range sizes {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			ix, path := built(b, size)
			ix.Close()
			c := newCorpus(2)
			c.fresh = 10_000_000
			next := size
			written, cpu := bytesWritten(b), counciltest.CPUTime()
			for b.Loop() {
				ix := check.Get(index.Open(context.Background(), path))(b)
				check.OK(b, ix.Put(context.Background(), c.session(next)...))
				check.OK(b, ix.Close())
				next++
			}
			b.ReportMetric((counciltest.CPUTime()-cpu).Seconds()*1000/float64(b.N), "cpu-ms/put")
			b.ReportMetric(float64(bytesWritten(b)-written)/1000/float64(b.N), "KB/put")
		})
	}
}

// bytesWritten returns the number of bytes that this process has written.
func bytesWritten(b *testing.B) int64 {
	file, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip("this system does not say what was written")
	}
	_, rest, _ := strings.Cut(string(file), "wchar: ")
	line, _, _ := strings.Cut(rest, "\n")
	return check.Get(strconv.ParseInt(line, 10, 64))(b)
}
