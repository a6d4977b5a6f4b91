package approving

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/council-engine/council/cmd/council/desk"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder"
)

// approves reports whether the rulings approve the brief.
func (m *matter) approves() bool {
	if len(m.rulings) == 0 {
		return false
	}
	_, ok := m.rulings[len(m.rulings)-1].(council.ExecutionApproved)
	return ok
}

// mayApprove refuses an approval that the flags do not give and that nobody can be asked for.
func (d Desk) mayApprove(o options, root *recorder.Root, m *matter) error {
	command := func(flags string) string {
		return desk.CommandLine(root, "council approve "+string(m.session.ID())+" "+flags)
	}
	switch {
	case !m.approves():
	case !o.yes && !d.Keyboard:
		return desk.Refuse("nobody can be asked, because this is not a terminal",
			"Read the brief: "+command("--show")+"\nThen approve exactly that brief: "+command("--yes --sha256 SUM"))
	case o.yes && m.rejected != nil && !o.despite:
		return desk.Refuse(m.rejection(), "To approve it all the same, add --despite-rejection.")
	}
	return nil
}

// ask asks whoever sits at the terminal, unless the flags say yes. A [*desk.Told]: the person did not.
func (d Desk) ask(o options, m *matter) error {
	if !m.approves() || o.yes {
		return nil
	}
	question := "Approve this brief?"
	if m.rejected != nil && !o.despite {
		question = "Approve it all the same?"
	}
	fmt.Fprintf(d.Out, "\n%s [y/N] ", question)
	answer, err := bufio.NewReader(d.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		fmt.Fprintln(d.Out, "Not approved. Nothing was changed.")
		return &desk.Told{Err: desk.ErrFindings}
	}
	return nil
}
