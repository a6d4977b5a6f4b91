// Package recalls holds council recall, which finds what was said however long ago.
package recalls

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/index"
)

// Desk is where the index is searched.
type Desk struct {
	desk.Desk

	// Index opens the index of the record in a folder, whole: where there was none, it has been built, and the user was
	// told on Errs. Leave closes everything.
	Index func(cmd *cobra.Command, root string) (ix *index.Index, leave func() error, err error)
}

// maxLimit is how many hits one may ask for.
const maxLimit = 200

// options are what the command line says.
type options struct {
	query, root, member, kind string
	limit                     int
	json                      bool
}

// Command is council recall.
func (d Desk) Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "recall QUERY",
		Short: "Find what was said, decided and remembered, however long ago",
		Long: `recall searches every turn, episode and record of all sessions that have closed. All words of the query are looked for;
words in quotation marks stand side by side. Case and accents do not matter. A word is found within a longer one too,
and in writing without spaces any part is.

First comes what has the words one after the other, then what has all of them, then, if that is little, what has the
rarer ones; among equals the newest. At most three hits of one session are shown. What another record has superseded
comes after that one, and says so.

These are words from long ago, which nobody has checked since. Nothing found is not an error: the exit code is 0.`,
		Example: `  council recall NATS messaging
  council recall '"exactly once"' --member skeptic
  council recall Migration --kind record`,
		Args: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return desk.Usage(cmd, errors.New("recall needs words to look for"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.query = strings.Join(args, " ")
			return d.recall(cmd, o)
		},
	}
	f := cmd.Flags()
	desk.RootFlag(f, &o.root)
	f.IntVar(&o.limit, "limit", 10, fmt.Sprintf("how many hits to show, at most %d", maxLimit))
	f.StringVar(&o.member, "member", "", "only what the member with this id said or remembers")
	f.StringVar(&o.kind, "kind", "", "only turns, episodes or records: "+kinds(", "))
	f.BoolVar(&o.json, "json", false, "one JSON object a line, best first")
	return cmd
}

func kinds(between string) string {
	var all []string
	for _, k := range index.Kinds() {
		all = append(all, string(k))
	}
	return strings.Join(all, between)
}

func (d Desk) recall(cmd *cobra.Command, o options) error {
	if err := desk.NotBlank(cmd, "root", "member", "kind"); err != nil {
		return err
	}
	q := index.Query{Text: o.query, Limit: o.limit}
	if o.limit < 1 || o.limit > maxLimit {
		return desk.Usage(cmd, fmt.Errorf("--limit is a number from 1 to %d, not %d", maxLimit, o.limit))
	}
	if o.kind != "" {
		if !slices.Contains(index.Kinds(), index.Kind(o.kind)) {
			return desk.Refuse("--kind is "+kinds(" or ")+", not "+desk.Quote(o.kind),
				desk.DidYouMean(o.kind, strings.Split(kinds(" "), " "), "Nothing was searched."))
		}
		q.Kinds = []index.Kind{index.Kind(o.kind)}
	}
	if o.member != "" {
		q.Members = []council.MemberID{council.MemberID(o.member)}
	}
	ix, leave, err := d.Index(cmd, o.root)
	if err != nil {
		return err
	}
	found, err := ix.Search(cmd.Context(), q)
	if err = errors.Join(err, leave()); err != nil {
		return err
	}
	if o.json {
		return d.printJSON(found)
	}
	return d.print(found, o)
}

func (d Desk) printJSON(found index.Found) error {
	for _, h := range found.Hits {
		if err := terminal.JSON(d.Out, h); err != nil {
			return err
		}
	}
	return nil
}
