package serve

//lint:file-ignore SA1019 clients name their roots for a year to come, and nothing takes the place of these yet

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/workspace/site"
)

// readable returns the real paths of the files and folders that a client names, all of which must lie within its roots.
// Where these are not known yet it returns what asks the client for them; the call is then put again.
func readable(r *toolCall, named []string) (real []string, ask *toolResult, err error) {
	if len(named) == 0 {
		return nil, nil, nil
	}
	answer, ok := r.Params.InputResponses["roots"].(*mcp.ListRootsResult)
	if !ok {
		if p := r.Session.InitializeParams(); p == nil || p.Capabilities == nil || p.Capabilities.RootsV2 == nil {
			return nil, nil, errors.New("the client names no roots, so nothing was read: say in the topic what matters")
		}
		return nil, &toolResult{InputRequests: mcp.InputRequestMap{"roots": &mcp.ListRootsParams{}}}, nil
	}
	for _, name := range named {
		path, err := filepath.Abs(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil || !inRoots(path, answer.Roots) {
			return nil, nil, fmt.Errorf("there is no file or folder %s within the client's roots, so nothing was read",
				site.Quote(name))
		}
		real = append(real, path)
	}
	return real, nil, nil
}

func inRoots(path string, roots []*mcp.Root) bool {
	for _, root := range roots {
		u, err := url.Parse(root.URI)
		if err != nil || u.Scheme != "file" {
			continue
		}
		folder, err := filepath.EvalSymlinks(filepath.FromSlash(u.Path))
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}
