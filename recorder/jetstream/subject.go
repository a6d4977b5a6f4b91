package jetstream

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/council-engine/council/council"
)

// truth matches the files of a workspace that the cluster keeps, by their paths in it.
var truth = regexp.MustCompile(`^(?:sessions/[^/]+/(?:events\.json|doubts\.json|conversations/[^/]+\.jsonl)|` +
	`audit/audit(?:-\d+)?\.jsonl|memory/journal\.jsonl)$`)

// shared reports whether several machines append to a file by turns. A session is of one machine at a time.
func shared(file string) bool { return !strings.HasPrefix(file, "sessions/") }

// Subjects of NATS have dots between their tokens, and stars and angles as wildcards.
var escapes = strings.NewReplacer("%", "%25", ".", "%2E", "*", "%2A", ">", "%3E", " ", "%20", "/", ".")

// subject returns the subject of a file of the workspace; that of all is its beginning.
func (c *Cluster) subject(file string) string {
	return strings.TrimSuffix("council."+c.Workspace+".log."+escapes.Replace(file), ".")
}

// topics is the subject of the queue.
func (c *Cluster) topics() string { return "council." + c.Workspace + ".topics" }

// file returns the file of a subject, or "" for one that holds none of ours.
func (c *Cluster) file(subject string) string {
	steps := strings.Split(strings.TrimPrefix(subject, c.subject("")+"."), ".")
	for i, step := range steps {
		steps[i], _ = url.PathUnescape(step)
	}
	if file := strings.Join(steps, "/"); truth.MatchString(file) {
		return file
	}
	return ""
}

// inSession reports whether a file is one of a session.
func inSession(file string, id council.SessionID) bool {
	return strings.HasPrefix(file, "sessions/"+string(id)+"/")
}
