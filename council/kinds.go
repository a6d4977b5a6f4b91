package council

import "slices"

// MemberKind describes one provider: who speaks for its members, what they need and what they take. The table of
// kinds is all that the engine knows of a provider outside the package that calls it.
type MemberKind struct {
	Provider string // as a charter names it

	// Who speaks.
	Person   bool // who answers by typing
	Program  bool // a program, which the settings command, program, outputFormat, env and tools are for
	Rehearse bool // the built-in rehearsal
	Unchosen bool // the command chooses a model before it opens a session
	NoModel  bool // its words are not a model's: no tokens are estimated, and it has no model family

	Unmetered    bool     // no call is made: nothing is paid, limited, timed or tried again
	NoFallback   bool     // it cannot stand in for a model
	NoServer     bool     // it is asked at no server, unless a program names one
	NeedsNoName  bool     // a member need not name a model
	NoTools      string   // why its members are refused tools; empty: they may have some
	IgnoresTools bool     // its members may have tools, and call none
	DefaultModel string   // the one that is asked where none is named; empty: one has to be named
	Unused       []string // settings of a model, by their JSON names, that it does not use

	// Of a provider with a server. docs/members.md has the sources and dates.
	Protocol Protocol // empty: it has no server
	Address  string   // its own; empty for one that has none, and needs a baseUrl
	Example  string   // of a baseUrl, for messages
	Key      string   // the variable with the key for its own address; empty where it takes none
	KeyPage  string   // where people get a key
	NeedsKey bool     // at any address but this machine's
	// KeyHeader is the header in which a key is sent, where it is not a bearer token.
	KeyHeader string
	Path      string // of the protocol, where a baseUrl names a host alone
	Fetch     string // the command that fetches a model for the server

	// BoundsCompletion: a reply is bounded by max_completion_tokens; elsewhere by max_tokens, its older name.
	BoundsCompletion bool
	// SchemaIsPrompt: the schema of a reply becomes a part of the prompt, before all else. With each other schema a
	// provider's cache serves nothing. Servers that hold a reply to a grammar while they write it do without.
	SchemaIsPrompt bool
	// Bills: the server reports the cost of each reply.
	Bills bool
	// Roomy: its models hold more than any conversation has, so that its server is not asked how much.
	Roomy bool
}

// Protocol is the family of a provider's calls.
type Protocol string

// The protocols.
const (
	ProtocolOpenAI    Protocol = "openai"
	ProtocolAnthropic Protocol = "anthropic"
)

// The providers that are named in the code.
const (
	ProviderUnchosen   = "default" // in ready-made councils
	ProviderCompatible = "openai-compatible"
)

// served are the settings that only a model at a server reads.
var served = []string{"api", "apiKeyEnv", "auth", "baseUrl", "contextWindow", "headers", "maxTokens", "temperature",
	"parallel", "timeout", "firstByteTimeout"}

// unasked are the settings that members without a model do not use.
var unasked = append(slices.Clone(served), "callsPerMinute", "tokensPerMinute", "fallbacks", "maxReplyBytes")

var kinds = []MemberKind{
	{Provider: "anthropic", Protocol: ProtocolAnthropic, Address: "https://api.anthropic.com",
		Key: "ANTHROPIC_API_KEY", KeyPage: "https://console.anthropic.com/settings/keys", KeyHeader: "X-Api-Key",
		DefaultModel: "claude-sonnet-5-5", SchemaIsPrompt: true, Roomy: true},
	{Provider: "openai", Protocol: ProtocolOpenAI, Address: "https://api.openai.com/v1",
		Key: "OPENAI_API_KEY", KeyPage: "https://platform.openai.com/api-keys",
		DefaultModel: "gpt-5.4", BoundsCompletion: true, SchemaIsPrompt: true, Roomy: true},
	{Provider: "gemini", Protocol: ProtocolOpenAI, Address: "https://generativelanguage.googleapis.com/v1beta/openai",
		Key: "GEMINI_API_KEY", KeyPage: "https://aistudio.google.com/app/apikey", SchemaIsPrompt: true, Roomy: true},
	{Provider: "openrouter", Protocol: ProtocolOpenAI, Address: "https://openrouter.ai/api/v1",
		Key: "OPENROUTER_API_KEY", KeyPage: "https://openrouter.ai/keys", SchemaIsPrompt: true, Bills: true},
	{Provider: "azure", Protocol: ProtocolOpenAI, Example: "https://my-resource.openai.azure.com", Path: "openai/v1",
		NeedsKey: true, KeyHeader: "Api-Key", BoundsCompletion: true, SchemaIsPrompt: true, Roomy: true},
	{Provider: "ollama", Protocol: ProtocolOpenAI, Address: "http://127.0.0.1:11434/v1", Fetch: "ollama pull"},
	{Provider: "lmstudio", Protocol: ProtocolOpenAI, Address: "http://127.0.0.1:1234/v1"},
	{Provider: "vllm", Protocol: ProtocolOpenAI, Address: "http://127.0.0.1:8000/v1"},
	{Provider: "llamacpp", Protocol: ProtocolOpenAI, Address: "http://127.0.0.1:8080/v1"},
	{Provider: ProviderCompatible, Protocol: ProtocolOpenAI, Example: "http://127.0.0.1:8000/v1"},
	{Provider: "command", Program: true, NeedsNoName: true, Unused: []string{"api", "auth", "contextWindow",
		"firstByteTimeout", "headers", "maxTokens", "temperature"}},
	{Provider: "human", Person: true, NoModel: true, Unmetered: true, NoFallback: true, NoServer: true, NeedsNoName: true,
		NoTools: "people look things up themselves", Unused: unasked},
	// A script may hold faults, which are waited for and answered by others like any.
	{Provider: "script", NoModel: true, NoServer: true, Unused: served},
	{Provider: "rehearsal", Rehearse: true, NoModel: true, Unmetered: true, NoFallback: true, NoServer: true,
		NeedsNoName: true, IgnoresTools: true, DefaultModel: "rehearsal", Unused: unasked},
	{Provider: ProviderUnchosen, Unchosen: true, NoFallback: true, NoServer: true, NeedsNoName: true, Unused: unasked},
}

// MemberKinds lists the kinds that a member may be of, in the order in which people are told of them.
func MemberKinds() []MemberKind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k MemberKind) bool { return k.Unchosen })
}

// KindOf returns the kind of a provider. One that this version does not have has nothing but its name; ok is false.
func KindOf(provider string) (k MemberKind, ok bool) {
	i := slices.IndexFunc(kinds, func(k MemberKind) bool { return k.Provider == provider })
	if i < 0 {
		return MemberKind{Provider: provider}, false
	}
	return kinds[i], true
}

// Kind returns the kind of the member that a model speaks for. A provider of any other name that says where its server
// is speaks the protocol that its api names, or else OpenAI's.
func (m *Model) Kind() MemberKind {
	k, ok := KindOf(m.Provider)
	if m.BaseURL == "" || ok && !k.Server() {
		return k
	}
	if speaks := spoken[m.API]; !ok || speaks != "" && speaks != k.Protocol {
		k, _ = KindOf(map[bool]string{true: "anthropic", false: ProviderCompatible}[speaks == ProtocolAnthropic])
	}
	return k
}

// spoken are the protocols of the names that an api may have.
var spoken = map[string]Protocol{
	"chat-completions": ProtocolOpenAI, "openai-completions": ProtocolOpenAI,
	"responses": ProtocolOpenAI, "openai-responses": ProtocolOpenAI, "openai-codex-responses": ProtocolOpenAI,
	"anthropic-messages": ProtocolAnthropic,
}

// Server reports whether the kind has a server.
func (k *MemberKind) Server() bool { return k.Protocol != "" }

// Answering lists who is asked: the members, and the convener where that person answers questions.
func (c *Charter) Answering() []Member {
	if !c.Deliberation.Convener {
		return c.Members
	}
	return append(slices.Clone(c.Members), *c.Asked(Convener))
}

// Rehearsing counts the members that are the rehearsal: no model and no person answers for them.
func (c *Charter) Rehearsing() (n int) {
	for _, m := range c.Members {
		if m.Model.Kind().Rehearse {
			n++
		}
	}
	return n
}
