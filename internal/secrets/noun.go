package secrets

import "strings"

// noun is what a name says its value is.
type noun int

const (
	nothing noun = iota
	password
	secret
	tokenNoun
	apiKey
	login // a name and a password in base64
	key   // of whom, the name has to say as well
)

// nouns are what names of secrets end in, longer ones first.
var nouns = []struct {
	words string // in small letters, without what separates them
	noun  noun
}{
	{"passphrase", password}, {"password", password}, {"passwd", password}, {"passcode", password}, {"pwd", password},
	{"apikey", apiKey}, {"apitoken", tokenNoun}, {"accesskey", apiKey}, {"accountkey", apiKey}, {"authkey", apiKey}, {"appkey", apiKey},
	{"applicationkey", apiKey}, {"signingkey", apiKey}, {"encryptionkey", apiKey}, {"masterkey", apiKey}, {"privatekey", apiKey},
	{"secretkey", apiKey}, {"sharedkey", apiKey}, {"licensekey", apiKey}, {"secretaccesskey", apiKey}, {"accesskeysecret", secret}, {"secretkeybase", secret},
	{"integrationkey", apiKey}, {"routingkey", apiKey}, {"credential", secret}, {"secret", secret}, {"token", tokenNoun}, {"_auth", login}, {"auth", login}, {"key", key},
}

// suffixes may follow a noun and change nothing.
var suffixes = []string{"value", "string", "prod", "production", "dev", "test", "staging", "live", "base64", "b64", "raw", "plain", "text", "env", "old", "new", "current", "default"}

// tameNames hold a noun, and mean something else.
var tameNames = []string{"maxtoken", "inputtoken", "outputtoken", "public", "nexttoken", "pagetoken", "csrf", "continuationtoken", "idempotency"}

// nounOf reads what a name says, such as "DB_PASSWORD", "clientSecret" or "spring.datasource.password".
func nounOf(name string) noun {
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
	for _, tame := range tameNames {
		if strings.Contains(flat, tame) {
			return nothing
		}
	}
	for _, n := range nouns {
		words := strings.TrimPrefix(n.words, "_")
		if !strings.HasSuffix(flat, words) {
			continue
		}
		if n.noun == login && flat != "auth" {
			return nothing
		}
		return n.noun
	}
	return nothing
}

// vendorReach is how far before a name its owner may be named.
const vendorReach = 80

// vendors are those whose keys have no form of their own.
var vendors = []struct{ word, kind string }{
	{"aws", "aws-secret-key"}, {"secretaccesskey", "aws-secret-key"}, {"secret_access_key", "aws-secret-key"}, {"datadog", "datadog-key"}, {"dd_", "datadog-key"}, {"dd-", "datadog-key"},
	{"mistral", "mistral-key"}, {"cohere", "cohere-key"}, {"okta", "okta-token"}, {"auth0", "auth0-secret"}, {"pagerduty", "pagerduty-key"},
	{"pd_", "pagerduty-key"}, {"twilio", "twilio-token"}, {"newrelic", "newrelic-key"}, {"new_relic", "newrelic-key"}, {"azure", "azure-key"},
	{"mailgun", "mailgun-key"}, {"mailchimp", "mailchimp-key"}, {"cloudflare", "cloudflare-key"}, {"fastly", "fastly-key"}, {"algolia", "algolia-key"},
	{"braintree", "braintree-token"}, {"paypal", "paypal-secret"}, {"bitbucket", "bitbucket-token"}, {"sentry", "sentry-token"},
	{"snyk", "snyk-token"}, {"linode", "linode-token"}, {"vercel", "vercel-token"}, {"splunk", "splunk-token"}, {"dropbox", "dropbox-token"},
	{"asana", "asana-token"}, {"zendesk", "zendesk-token"}, {"trello", "trello-key"}, {"twitter", "twitter-key"}, {"linkedin", "linkedin-secret"},
	{"coinbase", "coinbase-key"}, {"plaid", "plaid-secret"}, {"adyen", "adyen-key"}, {"razorpay", "razorpay-key"}, {"rollbar", "rollbar-token"},
	{"bugsnag", "bugsnag-key"}, {"codecov", "codecov-token"}, {"jenkins", "jenkins-token"}, {"sonar", "sonarqube-token"}, {"jira", "atlassian-token"},
	{"discord", "discord-token"}, {"vault", "vault-token"}, {"elastic", "elastic-key"}, {"snowflake", "snowflake-password"}, {"twitch", "twitch-secret"},
	{"segment", "segment-key"}, {"amplitude", "amplitude-key"}, {"square", "square-token"}, {"shopify", "shopify-secret"}, {"google", "google-oauth-secret"},
	{"github", "github-secret"}, {"gitlab", "gitlab-token"}, {"slack", "slack-secret"}, {"deepseek", "deepseek-key"}, {"wireguard", "wireguard-key"},
	{"npm", "npm-token"}, {"registry.npmjs", "npm-token"}, {"docker", "docker-auth"}, {"heroku", "heroku-key"},
}

// vendorOf says whose a secret is, by its name or by what stands before it on its line or the one before.
func vendorOf(name, before string) string {
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

func kindOf(n noun, vendor, name string) string {
	name = strings.ToLower(name)
	switch {
	case vendor == "aws-secret-key" && strings.Contains(name, "session"):
		return "aws-session-token"
	case n == password:
		return "password"
	case n == login:
		return "docker-auth"
	case vendor != "":
		return vendor
	case n == secret:
		return "secret"
	case n == tokenNoun:
		return "token"
	}
	return "api-key"
}
