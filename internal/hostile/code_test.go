package hostile

import (
	"strings"
	"testing"
)

func TestCode(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"a line", "one", "```\none\n```"},
		{"two lines and blank ones around", "\n\none\n\n  two\n", "```\none\n\n  two\n```"},
		{"a fence", "```\n# x\n```", "````\n```\n# x\n```\n````"},
		{"what cannot be seen", "a\u202eb\x1b", "```\nab\n```"},
		{"nothing", " \n\t\u200b\n", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Code(c.in); got != c.want {
				t.Errorf("Code(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
	for _, c := range append(proseCases, struct{ name, in, want string }{"backticks", strings.Repeat("`", 220), ""}) {
		if p := structure(Code(c.in)); len(p) > 0 {
			t.Errorf("Code(%q) has: %s", c.in, strings.Join(p, "; "))
		}
	}
}
