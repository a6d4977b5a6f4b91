package charter

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// checkProgram holds what a member that is a program needs, and that no other member has it.
func checkProgram(p *problems, at string, m council.Model) {
	if !m.Kind().Program {
		const only = "only members of the provider command have it"
		p.refuse(m.Command != nil, at+"/command", only)
		p.refuse(m.Program != "", at+"/program", only)
		p.refuse(m.OutputFormat != "", at+"/outputFormat", only)
		p.refuse(m.Env != nil, at+"/env", only)
		p.refuse(m.Tools, at+"/tools", only)
		return
	}
	p.refuse(strings.TrimSpace(m.Model) == "" && m.Command == nil, at+"/model",
		"it must name an agent, such as claude, unless command names a program")
	if m.Command != nil {
		checkCommand(p, at+"/command", m.Command)
		p.refuse(m.Tools, at+"/tools",
			"it has no effect with command: what a program of your own may do is up to its arguments")
		p.refuse(m.Program != "", at+"/program",
			"it has no effect with command, which begins with a program; it is the path of the agent that model names")
	} else if m.OutputFormat != "" {
		p.add(at+"/outputFormat", "it has no effect without command: what an agent prints is known")
	}
	if m.OutputFormat != "" {
		p.oneOf(at+"/outputFormat", m.OutputFormat, "text", "json")
	}
	p.refuse(strings.ContainsFunc(m.Program, func(r rune) bool { return r < ' ' || r == 0x7f }), at+"/program",
		"it must not contain control characters")
	checkEnvs(p, at+"/env", m.Env)
}

// checkEnvs holds a list of environment variables to names, each given once.
func checkEnvs(p *problems, at string, names []string) {
	for i, name := range names {
		where := at + "/" + strconv.Itoa(i)
		if name == "" {
			p.text(where, name)
		}
		checkEnv(p, where, name)
		p.refuse(slices.Contains(names[:i], name), where, "%q is named twice", name)
	}
}

// checkCommand refuses arguments that cannot be passed, and secrets: the charter is kept in the record, and every
// user of a machine can read the arguments of a program that runs. It does not quote them.
func checkCommand(p *problems, at string, argv []string) {
	p.refuse(len(argv) == 0 || strings.TrimSpace(argv[0]) == "", at, "it must begin with a program")
	secret := false // the argument before this one was the name of a secret
	for i, arg := range argv {
		where := at + "/" + strconv.Itoa(i)
		if strings.ContainsFunc(arg, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == 0x7f }) {
			p.add(where, "it must not contain control characters")
		}
		name, value, assigned := strings.Cut(arg, "=")
		flag := strings.HasPrefix(arg, "-")
		named := secretName(strings.TrimLeft(name, "-"))
		p.refuse(secretValue(arg) || assigned && (secretValue(value) || named && value != "") || secret && !flag,
			where, "it looks like a secret; name an environment variable in env, and let the program read that")
		secret = flag && !assigned && named
	}
}
