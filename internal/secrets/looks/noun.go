package looks

import "strings"

// Noun is what a name says its value is.
type Noun int

// The nouns.
const (
	Nothing Noun = iota
	Password
	Secret
	Token  // of what, the name does not say
	Access // a token that opens something
	APIKey
	Login  // a name and a password in base64
	Key    // of what, the name does not say
	Phrase // a password of many words
)

// ends are what names of secrets end in, without what separates the words.
var ends = []struct {
	noun  Noun
	words []string
}{
	{Password,
		strings.Fields(`passphrase password passwd passcode passwort kennwort contraseña contrasena senha motdepasse
			wachtwoord presharedkey rootpw userpw adminpw ftppw bindpw`)},
	{Phrase, strings.Fields("mnemonic seedphrase recoveryphrase walletseed")},
	{APIKey, strings.Fields("apikey privatekey privkey secretkey secretaccesskey")},
	{Secret, strings.Fields("accesskeysecret secretkeybase credential credentials creds secret")},
	{Access,
		strings.Fields(`apitoken accesstoken authtoken refreshtoken sessiontoken bearertoken bottoken usertoken servertoken
			servicetoken securitytoken authtok bearer personaltoken deploytoken registrytoken idtoken jwttoken privatetoken
			logintoken`)},
}

// owners say of a key that it opens something: "<owner>key".
var owners = strings.Fields(`access account auth app application signing encryption master shared license integration
	routing admin ingestion ingest write subscription service functions function deploy webhook session crypt cipher aes
	hmac jwt fernet client decryption validation unseal storage consumer server root wep wpa sas secret gateway merchant
	publisher customer developer partner agent push sdk instrumentation reporting wireguard`)

// suffixes may follow a noun and change nothing.
var suffixes = strings.Fields(`value string prod production dev test staging live base64 b64 raw plain text plaintext
	env old new current default data primary secondary main`)

// tame are in names that hold a noun, and mean something else; passes are not words.
var (
	tame = strings.Fields(`maxtoken inputtoken outputtoken public nexttoken pagetoken csrf continuationtoken idempotency
		clienttoken numtoken tokentype synctoken resumetoken canceltoken cancellationtoken`)
	passes = strings.Fields(`bypass compass trespass encompass surpass overpass underpass subpass renderpass singlepass
		firstpass lastpass nextpass onepass allpass lowpass highpass bandpass testpass shaderpass oldpwd`)
)

// NounOf returns what a name says, such as "DB_PASSWORD", "clientSecret" or "spring.datasource.password".
func NounOf(name string) Noun {
	name = strings.TrimLeft(name, "-")
	flat := strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, name))
	flat = strings.TrimRight(flat, "0123456789")
	for _, s := range suffixes {
		if rest, ok := strings.CutSuffix(flat, s); ok && len(rest) > 2 {
			flat = rest
			break
		}
	}
	for _, t := range tame {
		if strings.Contains(flat, t) {
			return Nothing
		}
	}
	for _, p := range passes {
		if strings.HasSuffix(flat, p) {
			return Nothing
		}
	}
	for _, e := range ends {
		for _, w := range e.words {
			if strings.HasSuffix(flat, w) {
				return e.noun
			}
		}
	}
	owner, isKey := strings.CutSuffix(flat, "key")
	switch {
	case isKey:
		for _, o := range owners {
			if strings.HasSuffix(owner, o) && (owner != "access" || name != "accesskey") {
				return APIKey
			}
		}
		return Key
	case strings.HasSuffix(flat, "token"):
		if flat != "token" && VendorOf(name, "") != "" {
			return Access
		}
		return Token
	case lastWord(name, "pat"):
		return Access
	case flat == "auth", lastWord(name, "auth") && name == strings.ToUpper(name):
		return Login
	case name == "PASS":
		return Nothing // what tests say
	case name == flat && (strings.HasSuffix(flat, "pass") || strings.HasSuffix(flat, "pwd")):
		return Password
	}
	for _, w := range words {
		if flat == w || lastWord(name, w) {
			return Password
		}
	}
	return Nothing
}

// words are passwords where they stand as words.
var words = strings.Fields("pass pwd pw psk mdp")

// lastWord reports whether a name ends in a word that has something before it which separates it.
func lastWord(name, word string) bool {
	i := len(name) - len(word)
	return i > 0 && strings.EqualFold(name[i:], word) &&
		(strings.IndexByte("_-.", name[i-1]) >= 0 || name[i] < 'a' && name[i-1] >= 'a')
}

// strange are words before "key" whose keys open nothing.
var strange = strings.Fields(`public pub primary foreign partition sort cache object map row hash group order index
	unique composite natural surrogate candidate hot idx range lookup dict dedupe dedup`)

// Owned reports whether the name of a key says more than that it is one.
func Owned(name string) bool {
	flat := strings.ToLower(name)
	for _, w := range strange {
		if strings.Contains(flat, w) {
			return false
		}
	}
	return len(flat) > len("_key") && (strings.Contains(flat, "_key") || strings.Contains(flat, "-key"))
}

// Reach is how far before a name its owner may be named, for [VendorOf].
const Reach = 80

// vendors are those whose keys have no form of their own.
var vendors = []struct{ word, kind string }{
	{"aws", "aws-secret-key"}, {"secretaccesskey", "aws-secret-key"}, {"secret_access_key", "aws-secret-key"},
	{"datadog", "datadog-key"}, {"dd_", "datadog-key"}, {"dd-", "datadog-key"},
	{"mistral", "mistral-key"}, {"cohere", "cohere-key"}, {"okta", "okta-token"}, {"auth0", "auth0-secret"},
	{"pagerduty", "pagerduty-key"},
	{"pd_", "pagerduty-key"}, {"twilio", "twilio-token"}, {"newrelic", "newrelic-key"}, {"new_relic", "newrelic-key"},
	{"azure", "azure-key"},
	{"mailgun", "mailgun-key"}, {"mailchimp", "mailchimp-key"}, {"cloudflare", "cloudflare-key"}, {"fastly", "fastly-key"},
	{"algolia", "algolia-key"},
	{"braintree", "braintree-token"}, {"paypal", "paypal-secret"}, {"bitbucket", "bitbucket-token"},
	{"sentry", "sentry-token"},
	{"snyk", "snyk-token"}, {"linode", "linode-token"}, {"vercel", "vercel-token"}, {"splunk", "splunk-token"},
	{"dropbox", "dropbox-token"},
	{"asana", "asana-token"}, {"zendesk", "zendesk-token"}, {"trello", "trello-key"}, {"twitter", "twitter-key"},
	{"linkedin", "linkedin-secret"},
	{"coinbase", "coinbase-key"}, {"plaid", "plaid-secret"}, {"adyen", "adyen-key"}, {"razorpay", "razorpay-key"},
	{"rollbar", "rollbar-token"},
	{"bugsnag", "bugsnag-key"}, {"codecov", "codecov-token"}, {"jenkins", "jenkins-token"}, {"sonar", "sonarqube-token"},
	{"jira", "atlassian-token"},
	{"discord", "discord-token"}, {"vault", "vault-token"}, {"elastic", "elastic-key"},
	{"snowflake", "snowflake-password"}, {"twitch", "twitch-secret"},
	{"segment", "segment-key"}, {"amplitude", "amplitude-key"}, {"square", "square-token"}, {"shopify", "shopify-secret"},
	{"google", "google-oauth-secret"},
	{"github", "github-secret"}, {"gitlab", "gitlab-token"}, {"slack", "slack-secret"}, {"deepseek", "deepseek-key"},
	{"wireguard", "wireguard-key"},
	{"npm", "npm-token"}, {"registry.npmjs", "npm-token"}, {"docker", "docker-auth"}, {"heroku", "heroku-key"},
}

// VendorOf says whose a secret is, by its name or by what stands before it on its line or the one before.
func VendorOf(name, before string) string {
	name, before = strings.ToLower(name), strings.ToLower(before)
	for _, v := range vendors {
		if strings.Contains(name, v.word) {
			return v.kind
		}
	}
	for _, v := range vendors {
		if len(v.word) > 4 && strings.Contains(before, v.word) {
			return v.kind
		}
	}
	return ""
}

// KindOf names the kind of a secret: by its owner where it has one.
func KindOf(n Noun, vendor, name string) string {
	name = strings.ToLower(name)
	switch {
	case vendor == "aws-secret-key" && strings.Contains(name, "session"):
		return "aws-session-token"
	case n == Password || n == Phrase:
		return "password"
	case n == Login:
		return "docker-auth"
	case vendor != "":
		return vendor
	case n == Secret:
		return "secret"
	case n == Token || n == Access:
		return "token"
	}
	return "api-key"
}

// NameParts are what every name that [NounOf] reads has one of, in small letters.
var NameParts = strings.Fields(`pass pwd pw secret token key credential creds auth psk kennwort contras senha mdp
	mnemonic seed phrase recovery bearer authtok _pat`)

// Kinds lists what [KindOf] returns.
func Kinds() []string {
	kinds := []string{"password", "secret", "token", "api-key", "docker-auth", "aws-session-token"}
	for _, v := range vendors {
		kinds = append(kinds, v.kind)
	}
	return kinds
}
