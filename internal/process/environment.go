package process

import "slices"

// needed are the variables without which programs do not run, or not in the user's language. None holds a secret.
var needed = []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "SYSTEMROOT"}

// Environment returns what a program of the user's is given: the variables that programs need, and those that are
// named. It returns the first named variable that is not set, or "".
func Environment(getenv func(string) string, named []string) (env []string, unset string) {
	env = []string{} // nil would stand for the whole environment of this process
	for _, name := range slices.Concat(named, needed) {
		value := getenv(name)
		switch {
		case value != "":
			env = append(env, name+"="+value)
		case unset == "" && slices.Contains(named, name):
			unset = name
		}
	}
	return env, unset
}
