package naming

import "strings"

// Reach is how far before a name its owner may be named, for [VendorOf].
const Reach = 80

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

// Words are what every name that [Of] reads has in it, in small letters.
var Words = strings.Fields("pass pwd pw secret token key credential creds auth psk kennwort contras senha mdp mnemonic seed phrase recovery bearer authtok _pat")

// Kinds lists what [KindOf] returns.
func Kinds() []string {
	kinds := []string{"password", "secret", "token", "api-key", "docker-auth", "aws-session-token"}
	for _, v := range vendors {
		kinds = append(kinds, v.kind)
	}
	return kinds
}
