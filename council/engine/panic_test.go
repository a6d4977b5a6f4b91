package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/engine"
)

func TestAMemberThatPanicsStopsTheRunAndIsNotQuoted(t *testing.T) {
	const said = "AKIA" + "ZQ3DXVNKLW7T2MPB"
	tb := sit(t, 3, nil)
	tb.members["b"].say = func(council.View) council.Reply { panic("while reading " + said) }
	members := map[council.MemberID]engine.Member{}
	for id, m := range tb.members {
		members[id] = m
	}
	_, err := engine.Run(t.Context(), tb.session, members, tb.log, tb.options)
	var broken *engine.PanicError
	if !errors.As(err, &broken) {
		t.Fatalf("the run ended with %v", err)
	}
	if strings.Contains(err.Error(), said) || !strings.Contains(err.Error(), "panic_test.go:") {
		t.Errorf("it says %v", err)
	}
	tb.members["b"].say = nil
	tb.closed() // what was recorded is enough to go on
}
