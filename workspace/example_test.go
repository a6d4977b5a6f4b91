package workspace_test

import (
	"fmt"

	"github.com/council-engine/council/workspace"
)

// A finished session is read.
func Example() {
	w, err := workspace.Open(finished(), workspace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	session, err := w.Session("latest")
	if err != nil {
		fmt.Println(err)
		return
	}
	m := session.Minutes
	fmt.Println(m.Started.Topic.Text)
	fmt.Println("decided:", m.Outcome.Decided)
	// Output:
	// # Queue
	//
	// Should the queue write to disk before it acknowledges?
	// decided: true
}
