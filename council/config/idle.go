package config

import (
	"fmt"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// checkIdle refuses what has no effect in how a model is asked and let in: its author believes that it has one. The
// charter's own rules do not ask for it, so that records of earlier versions stay readable.
func (r *reader) checkIdle(c *council.Charter) {
	for i, m := range c.Members {
		at := fmt.Sprintf("/members/%d/model", i)
		r.checkIdleModel(at, m.Model)
		r.checkIdleAuth(at, m.Model)
		for j, f := range m.Model.Fallbacks {
			if place := fmt.Sprintf("%s/fallbacks/%d", at, j); !r.named[place] {
				r.checkIdleModel(place, f)
				r.checkIdleAuth(place, f)
			}
		}
	}
}

// seldom is the lowest rate of calls that anybody waits for, in calls a minute.
const seldom = 0.016

// fewTokens is the lowest rate of tokens a minute at which a session comes to an end on the same day.
const fewTokens = 100

// checkIdleModel refuses settings that a kind of member does not use.
func (r *reader) checkIdleModel(at string, m council.Model) {
	if m.CallsPerMinute > 0 && m.CallsPerMinute < seldom {
		r.add(at+"/callsPerMinute", "it must be 0, for no limit, or at least %v, about a call an hour", seldom)
	}
	if m.TokensPerMinute > 0 && m.TokensPerMinute < fewTokens {
		r.add(at+"/tokensPerMinute", "it must be 0, for no limit, or at least %d", fewTokens)
	}
	unused := m.Kind().Unused
	if m.Kind().Program && m.BaseURL == "" {
		unused = append(slices.Clone(unused), "parallel")
	}
	for _, name := range unused {
		if r.has(at + "/" + name) {
			r.add(at+"/"+name, "the provider %s does not use it", m.Provider)
		}
	}
}

func (r *reader) checkIdleAuth(at string, m council.Model) {
	if m.Auth == nil {
		return
	}
	a := *m.Auth
	if m.APIKeyEnv != "" && a.Method != "api-key-env" {
		r.add(at+"/apiKeyEnv", "it has no effect with auth with the method %s: leave one of them out", a.Method)
	}
	for _, f := range charter.AuthFields(a) {
		if f.Given && !slices.Contains(f.Needed, a.Method) && !slices.Contains(f.Used, a.Method) {
			r.add(at+"/auth/"+f.Name, "the method %s does not use it", a.Method)
		}
	}
}
