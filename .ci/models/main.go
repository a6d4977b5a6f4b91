// Command models is the bench of real models: it fetches small language models and llama.cpp, serves them on this
// machine, puts every kind of question to them by council's own code, and holds sessions with the built command. It
// prints tables of their usable replies. See docs/testing.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// bench is one run.
type bench struct {
	cache   string // of the engine and the weights
	out     string // where sessions, replies and logs are kept
	repo    string
	command string // the built council
	samples int    // how often each question is put in each form
	threads int    // of a model server
	began   time.Time

	answers []answer
	held    []heldSession
}

func main() {
	home, err := os.UserCacheDir()
	if err != nil {
		home = os.TempDir()
	}
	b := &bench{began: time.Now()}
	flag.StringVar(&b.cache, "cache", filepath.Join(home, "council-models"), "folder of the engine and the weights")
	flag.StringVar(&b.out, "out", "",
		"folder for sessions and replies; in that of an earlier run its questions are not put again (default: a new one)")
	flag.IntVar(&b.threads, "threads", 2, "threads of a model server")
	short := flag.Bool("short", false, "the smallest model and one session with options: at most 3 minutes")
	full := flag.Bool("full", false, "at least 100 replies of each model in each form, without limit")
	only := flag.String("only", "", "questions or sessions alone")
	named := flag.String("models", "", "names of models, with commas between (default: all)")
	forms := flag.String("forms", "", "forms of asking, with commas between (default: all)")
	sessions := flag.String("sessions", "",
		"sessions, with commas between: ask, killed, stopped, too-small, others, families, auto, kinds, twenty "+
			"(default: all but twenty)")
	kinds := flag.String("kinds", "", "kinds of questions, with commas between (default: all)")
	flag.IntVar(&b.samples, "samples", 0,
		"how often each question is put in each form (default: 1, with --full 2)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.run(ctx, *short, *full, *only, list(*named), list(*forms), list(*kinds),
		list(*sessions)); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

// list splits a flag at its commas.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

func (b *bench) run(ctx context.Context, short, full bool, only string, named, forms, kinds, sessions []string) error {
	var err error
	if b.repo, err = os.Getwd(); err != nil {
		return err
	}
	if b.out == "" {
		if b.out, err = os.MkdirTemp("", "council-models-"); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.out, 0o700); err != nil {
		return err
	}
	b.say("Sessions, replies and logs are kept in %s.", b.out)
	if err := b.load(); err != nil {
		return err
	}
	missing, err := b.fetch(ctx, named)
	if err != nil {
		return err
	}
	b.command = filepath.Join(b.out, "council")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", b.command, "./cmd/council").CombinedOutput(); err != nil {
		return fmt.Errorf("building council: %w\n%s", err, out)
	}
	able := slices.DeleteFunc(slices.Clone(models), func(m model) bool {
		return slices.Contains(missing, m.name) || named != nil && !slices.Contains(named, m.name)
	})
	if len(able) == 0 {
		return fmt.Errorf("no model is there")
	}
	if short {
		if err := b.holdShort(ctx, able[0]); err != nil {
			return err
		}
		return b.conclude()
	}
	if b.samples == 0 {
		b.samples = 1
		if full {
			b.samples = fullSamples
		}
	}
	if only != "sessions" {
		for i, m := range able {
			of := forms
			if of == nil && i > 0 && !full {
				of = []string{string(formSchema)}
			}
			if err := b.question(ctx, m, of, kinds, full); err != nil {
				return err
			}
		}
	}
	if only != "questions" {
		if err := b.hold(ctx, able, sessions); err != nil {
			return err
		}
	}
	return b.conclude()
}

// say prints one line with the time since the start.
func (b *bench) say(format string, args ...any) {
	fmt.Printf("%6s  %s\n", time.Since(b.began).Round(time.Second), fmt.Sprintf(format, args...))
}

// conclude prints the tables, and fails where a session ended in an error of council's own.
func (b *bench) conclude() error {
	b.tabulate(os.Stdout)
	return b.judge()
}
