// Command mutants measures what the tests of a package notice. It changes the package in one small place at a time and
// runs the package's own tests: a mutant is killed when they fail or take far too long, and survives when they pass.
// What does not compile is not a mutant. The order is fixed, random tests have a fixed seed, and no file of the
// repository is written.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

func main() {
	every := flag.Int("every", 1, "try every n-th mutant only")
	workers := flag.Int("workers", 2, "how many mutants are tried at once")
	least := flag.Float64("least", 0, "the share of mutants in percent below which the command fails")
	only := flag.String("only", "", "try only the mutants whose line in the list matches this regular expression")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil || flag.NArg() == 0 || *every < 1 || *workers < 1 {
		fmt.Fprintln(os.Stderr, "usage: mutants [-every n] [-workers n] [-least percent] [-only pattern] package ...")
		os.Exit(2)
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err == nil {
		defer os.RemoveAll(dir)
		for _, name := range flag.Args() {
			if err = measure(name, dir, *every, *workers, *least, pattern); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		_ = os.RemoveAll(dir)
		os.Exit(1)
	}
}

// pkg is a package, as go list tells of it, and how its tests are run.
type pkg struct {
	Dir, ImportPath           string
	GoFiles                   []string
	TestImports, XTestImports []string
	arguments                 []string // of the test binary
	timeout                   time.Duration
}

type result struct {
	fate
	err error
}

// fate is what became of a mutant.
type fate int

const (
	survived fate = iota
	killed
	late      // killed by the clock
	stillborn // did not compile
)

// measure prints the score of a package and its survivors. It fails when the score is less than the least.
func measure(name, dir string, every, workers int, least float64, only *regexp.Regexp) error {
	p, all, err := load(name)
	if err != nil {
		return err
	}
	for range 2 { // the second time nothing but the tests takes time
		began := time.Now()
		if got, err := p.try(mutant{}, filepath.Join(dir, "unchanged")); err != nil || got != survived {
			return fmt.Errorf("the tests of %s fail without any change (%v); run go test %s", name, err, name)
		}
		p.timeout = 5*time.Since(began) + 10*time.Second
	}
	var tried []mutant
	for i := 0; i < len(all); i += every {
		if only.MatchString(all[i].String()) {
			tried = append(tried, all[i])
		}
	}
	results, next := make([]chan result, len(tried)), make(chan int, len(tried))
	for i := range tried {
		results[i] = make(chan result, 1)
		next <- i
	}
	close(next)
	for w := range workers {
		go func() {
			for i := range next {
				fate, err := p.try(tried[i], filepath.Join(dir, strconv.Itoa(w)))
				results[i] <- result{fate, err}
			}
		}()
	}
	var of [4]int
	for i, m := range tried {
		r := <-results[i]
		if r.err != nil {
			return r.err
		}
		of[r.fate]++
		if r.fate == survived {
			fmt.Println(m)
		}
	}
	dead, sum := of[killed]+of[late], len(tried)-of[stillborn]
	score := 100 * float64(dead) / float64(max(1, sum))
	fmt.Printf("%s: killed %d of %d (%.1f %%), %d of them by the clock\n", name, dead, sum, score, of[late])
	if score < least {
		return fmt.Errorf("%s is below %g %%; write tests for the lines above", name, least)
	}
	return nil
}

// load finds a package and all its mutants.
func load(name string) (*pkg, []mutant, error) {
	out, err := exec.Command("go", "list", "-json", name).Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list %s: %w", name, err)
	}
	p := &pkg{timeout: 10 * time.Minute, arguments: []string{"-test.failfast", "-test.count=1"}}
	if err := json.Unmarshal(out, p); err != nil {
		return nil, nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	dir, err := filepath.Rel(here, p.Dir)
	if err != nil {
		return nil, nil, err
	}
	if slices.Contains(slices.Concat(p.TestImports, p.XTestImports), "pgregory.net/rapid") {
		p.arguments = append(p.arguments, "-rapid.seed=1", "-rapid.nofailfile", "-rapid.shrinktime=0s")
	}
	var all []mutant
	for _, file := range p.GoFiles {
		path := filepath.Join(dir, file)
		src, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, err
		}
		found, err := find(path, src)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, found...)
	}
	return p, all, nil
}

// try compiles the tests over the mutant, outside the repository, and runs them. base is where it may write.
func (p *pkg) try(m mutant, base string) (fate, error) {
	build := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", base + ".test"}
	if m.path != "" {
		src, err := os.ReadFile(m.path)
		if err != nil {
			return 0, err
		}
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{m.path: base + ".go"}})
		if err != nil {
			return 0, err
		}
		changed := slices.Concat(src[:m.start], []byte(m.with), src[m.end:])
		if err := os.WriteFile(base+".go", changed, 0o600); err != nil {
			return 0, err
		}
		if err := os.WriteFile(base+".json", overlay, 0o600); err != nil {
			return 0, err
		}
		build = append(build, "-overlay", base+".json")
	}
	if out, err := exec.Command("go", append(build, p.ImportPath)...).CombinedOutput(); err != nil {
		if m.path == "" || !bytes.Contains(out, []byte(filepath.Base(base)+".go:")) &&
			!bytes.Contains(out, []byte(filepath.Base(m.path)+":")) {
			return 0, fmt.Errorf("go test -c %s: %w\n%s", p.ImportPath, err, out)
		}
		return stillborn, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.timeout)
	defer cancel()
	// A loop that never ends may also eat all memory: half a dozen gigabytes are enough for any test.
	limited := []string{"-c", `ulimit -v 6000000 2>/dev/null; exec "$@"`, "sh", base + ".test"}
	tests := exec.CommandContext(ctx, "sh", append(limited, p.arguments...)...)
	tests.Dir = p.Dir
	err := tests.Run()
	switch {
	case err == nil:
		return survived, nil
	case ctx.Err() != nil:
		return late, nil
	}
	return killed, nil
}
