package council

import (
	"slices"
	"strings"
)

// MemberKind describes one provider: who speaks for its members, and the settings that they need and take. The table of
// kinds holds everything that is known of a provider outside the package that calls it.
type MemberKind struct {
	Provider string // as a charter names it

	// Who speaks.
	Person   bool // who answers by typing
	Program  bool // a program, which the settings command, program, outputFormat, env and tools are for
	Rehearse bool // the built-in rehearsal
	Scripted bool // the person who convenes wrote its answers
	Unchosen bool // the command chooses a model before it opens a session
	NoModel  bool // its words are not a model's: no tokens are estimated, and it has no model family

	Unmetered    bool     // no call is made: nothing is paid, limited, timed or tried again
	NoFallback   bool     // it cannot be a fallback
	NoServer     bool     // it is asked at no server, unless a program names one
	NeedsNoName  bool     // a member need not name a model
	NoTools      string   // why its members are refused tools; empty: they may have some
	IgnoresTools bool     // its members may have tools, and call none
	DefaultModel string   // the one that is asked where none is named; empty: one has to be named
	Unused       []string // settings of a model, by their JSON names, that it does not use

	// Of a provider with a server. docs/members.md has the sources and dates.
	Protocol  Protocol // empty: it has no server
	Address   string   // its own; empty for one that has none, and needs a baseUrl
	Example   string   // of a baseUrl, for messages
	Key       string   // the variable with the key for its own address; empty where it takes none
	KeyPage   string   // where people get a key
	NeedsKey  bool     // at any address but this machine's
	KeyHeader string   // in which a key is sent, where it is not a bearer token
	Path      string   // of the protocol, where a baseUrl names a host alone
	Fetch     string   // the command that fetches a model for the server

	// BoundsCompletion: a reply is bounded by max_completion_tokens; elsewhere by max_tokens, its older name.
	BoundsCompletion bool
	// SchemaIsPrompt: the schema of a reply becomes a part of the prompt, before all else. With each other schema a
	// provider's cache serves nothing. Servers that hold a reply to a grammar while they write it do without.
	SchemaIsPrompt bool
	CacheKey       bool // the server takes a key by which calls whose prompts begin alike come to one cache
	Bills          bool // the server reports the cost of each reply
	Roomy          bool // its models hold more than any conversation has, so that its server is not asked how much
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

// serverSettings are the settings that only a model at a server reads.
var serverSettings = []string{"api", "apiKeyEnv", "auth", "baseUrl", "contextWindow", "headers", "maxTokens",
	"reasoningEffort", "temperature", "parallel", "timeout", "firstByteTimeout"}

var unusedSettings = append(slices.Clone(serverSettings), "callsPerMinute", "tokensPerMinute", "fallbacks",
	"maxReplyBytes")

var kinds = []MemberKind{
	{Provider: "anthropic", Protocol: ProtocolAnthropic, Address: "https://api.anthropic.com",
		Key: "ANTHROPIC_API_KEY", KeyPage: "https://console.anthropic.com/settings/keys", KeyHeader: "X-Api-Key",
		DefaultModel: "claude-sonnet-5-5", SchemaIsPrompt: true, Roomy: true},
	{Provider: "openai", Protocol: ProtocolOpenAI, Address: "https://api.openai.com/v1",
		Key: "OPENAI_API_KEY", KeyPage: "https://platform.openai.com/api-keys",
		DefaultModel: "gpt-5.4", BoundsCompletion: true, SchemaIsPrompt: true, CacheKey: true, Roomy: true},
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
		"firstByteTimeout", "headers", "maxTokens", "reasoningEffort", "temperature"}},
	{Provider: "human", Person: true, NoModel: true, Unmetered: true, NoFallback: true, NoServer: true, NeedsNoName: true,
		NoTools: "people look things up themselves", Unused: unusedSettings},
	// A script may hold faults, which are waited for and answered by others like any.
	{Provider: "script", Scripted: true, NoModel: true, NoFallback: true, NoServer: true, Unused: serverSettings},
	{Provider: "rehearsal", Rehearse: true, NoModel: true, Unmetered: true, NoFallback: true, NoServer: true,
		NeedsNoName: true, IgnoresTools: true, DefaultModel: "rehearsal", Unused: unusedSettings},
	{Provider: ProviderUnchosen, Unchosen: true, NoFallback: true, NoServer: true, NeedsNoName: true,
		Unused: unusedSettings},
}

// MemberKinds lists the kinds that a member may be of, in the order in which people see them.
func MemberKinds() []MemberKind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k MemberKind) bool { return k.Unchosen })
}

// KindOf returns the kind of a provider. One that this version does not have has nothing but its name; ok is false.
func KindOf(provider string) (k MemberKind, ok bool) {
	if known := Find(kinds, func(k MemberKind) bool { return k.Provider == provider }); known != nil {
		return *known, true
	}
	return MemberKind{Provider: provider}, false
}

// Kind returns the kind of the member that a model speaks for. A provider of any other name that says where its server
// is speaks the protocol that its api names, or else OpenAI's.
func (m *Model) Kind() MemberKind {
	k, ok := KindOf(m.Provider)
	if m.BaseURL == "" || ok && !k.Server() {
		return k
	}
	if speaks := apiProtocols[m.API]; !ok || speaks != "" && speaks != k.Protocol {
		k, _ = KindOf(map[bool]string{true: "anthropic", false: ProviderCompatible}[speaks == ProtocolAnthropic])
	}
	return k
}

// apiProtocols are the protocols of the names that an api may have.
var apiProtocols = map[string]Protocol{"chat-completions": ProtocolOpenAI, "openai-completions": ProtocolOpenAI,
	"responses": ProtocolOpenAI, "openai-responses": ProtocolOpenAI, "openai-codex-responses": ProtocolOpenAI,
	"anthropic-messages": ProtocolAnthropic}

// Server reports whether the kind has a server.
func (k *MemberKind) Server() bool { return k.Protocol != "" }

// AskedMembers lists who is asked: the members, and the convener where that person answers questions.
func (c *Charter) AskedMembers() []Member {
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

// Scripted reports whether a member answers from a script, so that its votes are the convener's own words.
func (c *Charter) Scripted(id MemberID) bool {
	m := c.Member(id)
	return m != nil && m.Model.Kind().Scripted
}

// VoterMark returns the mark behind the name of a member beside its votes: "" unless it is scripted.
func (c *Charter) VoterMark(id MemberID) string {
	if c.Scripted(id) {
		return " (scripted)"
	}
	return ""
}

// families lists the words in the names of models by which their family is known, which has the name of the first; the
// first family that matches counts. Models of one family were taught alike and make the same mistakes, so a council of
// one family is worth less than its number of seats.
var families = []string{"claude", "gpt chatgpt codex o1 o3 o4", "gemini gemma", "deepseek",
	"mistral mixtral magistral ministral codestral devstral pixtral voxtral", "qwen qwq qvq", "llama", "grok",
	"cohere command-r command-a aya c4ai", "phi", "kimi", "glm", "nova", "granite"}

// ModelFamily returns the family of a model, by its name. A name with none of the known words begins with its family.
// It is empty for a name without letters.
func ModelFamily(model string) string {
	model = strings.ToLower(model)
	parts := strings.FieldsFunc(model, func(r rune) bool { return strings.ContainsRune("/-_:. ", r) })
	for _, family := range families {
		words := strings.Fields(family)
		for _, word := range words {
			for _, part := range parts {
				// A short word must be a whole part, or begin one: "o1" is in "pro10" too, and "nova" in "supernova".
				if part == word || len(word) > 4 && strings.Contains(model, word) ||
					len(word) > 2 && strings.HasPrefix(part, word) {
					return words[0]
				}
			}
		}
	}
	model = model[strings.LastIndexByte(model, '/')+1:]
	rest := strings.TrimLeftFunc(model, func(r rune) bool { return r >= 'a' && r <= 'z' })
	return strings.TrimSuffix(model, rest)
}

// Families are the models that speak in a council, and the families that they belong to.
type Families struct {
	Seats    int      // that a model has
	Models   []string // configured for them: provider and name, each once, sorted
	Families []string // each once, sorted
}

// Families returns the model families in a charter; with fallbacks those that would answer in their place.
func (c *Charter) Families(fallbacks bool) Families {
	var k Families
	for _, m := range c.Members {
		model := m.Model
		if k := model.Kind(); k.NoModel || k.Unchosen {
			continue
		}
		if fallbacks && len(model.Fallbacks) > 0 {
			model = model.Fallbacks[0]
		}
		k.Seats++
		k.Models = append(k.Models, model.Name())
		k.Families = append(k.Families, ModelFamily(model.Model))
	}
	slices.Sort(k.Models)
	slices.Sort(k.Families)
	k.Models, k.Families = slices.Compact(k.Models), slices.Compact(k.Families)
	return k
}

// Alike reports whether several seats have models of one family, and none has another.
func (k Families) Alike() bool { return k.Seats > 1 && len(k.Families) == 1 }
