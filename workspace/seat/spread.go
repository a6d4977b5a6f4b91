package seat

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/policy"
	"github.com/council-engine/council/workspace/site"
)

// spreadFile holds the user's answers to whether seats are spread across vendors, one a line, in the folders of the
// user's state and settings.
const spreadFile = "vendors"

// Consent is whether the user agrees to seats across the models of several vendors.
type Consent struct {
	Given   bool
	Why     string // given, in words
	Unasked bool   // not given, because nobody could be asked
}

// askSpread returns the user's consent to send what members are given to the servers of several models. The user's own
// policy gives it by naming the providers. Else the user is asked, once for a workspace and these servers; yes and no
// are kept outside of the workspace, because its files may come from others.
func askSpread(ctx context.Context, w *site.World, root string, models []council.Model,
	confirm func(context.Context, string) (bool, error)) (Consent, error) {
	own, err := w.OwnPolicy()
	if err != nil {
		return Consent{}, err
	}
	unnamed := func(m council.Model) bool { return !own.Names(policy.Providers, m.Provider) }
	if !slices.ContainsFunc(models, unnamed) {
		return Consent{Given: true, Why: "because your policy names them"}, nil
	}
	if root, err = filepath.Abs(root); err != nil {
		return Consent{}, err
	}
	hosts := hostsOf(models)
	digest := council.Digest(council.CompactJSON([]any{root, slices.Sorted(slices.Values(hosts))}))
	agreed := Consent{Given: true, Why: "because you agreed to that"}
	switch kept := findAnswer(w, spreadFile, digest); {
	case len(kept) > 1 && kept[1] == "yes":
		return agreed, nil
	case kept != nil:
		return Consent{}, nil
	case confirm == nil:
		return Consent{Unasked: true}, nil
	}
	w.Warn("There are keys for models of several families, which make fewer of the same mistakes. Seats can take " +
		"them in turn.")
	yes, err := confirm(ctx, "Send the topic and all documents to "+site.Join(hosts)+", now and later in this workspace?")
	if err != nil { // nobody answered
		return Consent{}, ctx.Err()
	}
	word := map[bool]string{true: "yes", false: "no"}[yes]
	if err := keepAnswer(w, spreadFile, digest+" "+word, root+": "+strings.Join(hosts, " ")); err != nil {
		w.Warn("This answer cannot be kept, so you will be asked again: %v", err)
	}
	if !yes {
		return Consent{}, nil
	}
	return agreed, nil
}

// hostsOf returns the servers of models, in their order.
func hostsOf(models []council.Model) (hosts []string) {
	for _, m := range models {
		hosts = append(hosts, Server(m))
	}
	return hosts
}
