package seating

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/council-engine/council/cmd/council/cli"
)

// ollamaHost returns the address in OLLAMA_HOST, without a slash at its end, as Ollama's own client reads it (Host and
// ConnectableHost in its package envconfig): with or without a scheme, a port and a path. An address to listen at, such
// as 0.0.0.0 or :11434, is one of this machine. What Ollama would only guess at is refused.
func ollamaHost(value string) (string, error) {
	value = strings.TrimSpace(strings.Trim(strings.TrimSpace(value), `"'`))
	refuse := func(why string) (string, error) {
		return "", cli.Refuse("OLLAMA_HOST is "+cli.Quote(value)+", "+why,
			"Set it to a host, with a port or without, such as 127.0.0.1:11434 or https://ollama.example.com, or unset it.")
	}
	if strings.Contains(value, "@") { // it is not quoted, because it may hold a password
		return "", cli.Refuse("OLLAMA_HOST names a user",
			"Set it to a host alone, with a port or without; a server that wants a key is configured by baseUrl and apiKeyEnv.")
	}
	scheme, rest, schemed := strings.Cut(value, "://")
	usual := "11434"
	switch {
	case value == "ollama.com":
		scheme, rest, usual = "https", value, "443"
	case !schemed:
		scheme, rest = "http", value
	case scheme == "http":
		usual = "80"
	case scheme == "https":
		usual = "443"
	default:
		return refuse("which is not an http or https address.")
	}
	place, path, _ := strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(place)
	if err != nil { // there is no port
		host, port = strings.Trim(place, "[]"), usual
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return refuse("and " + cli.Quote(port) + " is not a port from 1 to 65535.")
	}
	switch ip := net.ParseIP(host); {
	case host == "", ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	case ip == nil && strings.ContainsAny(host, ":[]?# "):
		return refuse("which is not a host.")
	}
	u, err := url.Parse(scheme + "://" + net.JoinHostPort(host, port) + "/" + strings.Trim(path, "/"))
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return refuse("which is not an address.")
	}
	return strings.TrimRight(u.String(), "/"), nil
}
