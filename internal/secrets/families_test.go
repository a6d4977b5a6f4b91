package secrets_test

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
)

// A family makes secrets as their issuers do. Those without a form of their own are written within others: %s is the
// secret.
type family struct {
	name string
	make func(r *rand.Rand) string
	in   string // "%s" where the secret has its own form
}

const (
	lowAlnum  = "abcdefghijklmnopqrstuvwxyz0123456789"
	upAlnum   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	base32    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	hexDigits = "0123456789abcdef"
	alnum     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	urlSafe   = alnum + "-_"
	std64     = alnum + "+/"
	chosen    = alnum + "!#^*-_+=" // passwords as people and their keepers make them
)

func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func of(prefix, alphabet string, n int) func(*rand.Rand) string {
	return func(r *rand.Rand) string { return prefix + draw(r, alphabet, n) }
}

// summedToken is one of GitHub's or npm's, whose last six characters are a checksum.
func summedToken(prefix string) func(*rand.Rand) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return func(r *rand.Rand) string {
		body := draw(r, alnum, 30)
		sum, tail := crc32.ChecksumIEEE([]byte(body)), ""
		for range 6 {
			tail = string(digits[sum%62]) + tail
			sum /= 62
		}
		return prefix + body + tail
	}
}

func pem(label string, lines int) func(*rand.Rand) string {
	return func(r *rand.Rand) string {
		var b strings.Builder
		fmt.Fprintf(&b, "-----BEGIN %s-----\n", label)
		for range lines {
			b.WriteString(draw(r, std64, 64) + "\n")
		}
		fmt.Fprintf(&b, "%s==\n-----END %s-----", draw(r, std64, 22), label)
		return b.String()
	}
}

func jwt(r *rand.Rand) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
		enc([]byte(fmt.Sprintf(`{"sub":"%d","exp":%d}`, r.Int32(), r.Int32()))) + "." + draw(r, urlSafe, 43)
}

// password is one that a generator made: a capital letter, a small one and a digit are always in it.
func password(r *rand.Rand) string {
	return draw(r, "ABCDEFGHJKLMNPQRSTUVWXYZ", 1) + draw(r, chosen, 8+r.IntN(10)) + draw(r, "23456789", 1) +
		draw(r, "abcdefghkmnpqrstuvwxyz", 1)
}

func urlPassword(r *rand.Rand) string { return draw(r, alnum, 10+r.IntN(12)) + draw(r, "23456789", 1) }

func families() []family {
	return []family{
		{"AWS access key", of("AKIA", base32, 16), "%s"},
		{"AWS temporary key", of("ASIA", base32, 16), "%s"},
		{"AWS secret key", of("", std64, 40), "aws_secret_access_key=%s"},
		{"AWS session token", of("IQoJb3JpZ2luX2Vj", std64, 240), "%s"},
		{"GCP service account", pem("PRIVATE KEY", 25), "%s"},
		{"Google API key", of("AIza", urlSafe, 35), "%s"},
		{"Google OAuth secret", of("GOCSPX-", urlSafe, 28), "%s"},
		{"Google OAuth token", of("ya29.", urlSafe, 120), "%s"},
		{"Azure storage", func(r *rand.Rand) string { return draw(r, std64, 86) + "==" }, "AccountKey=%s"},
		{"Azure SAS", func(r *rand.Rand) string { return draw(r, alnum, 41) + "%2B" + draw(r, alnum, 1) + "%3D" },
			"https://x.blob.core.windows.net/c?sv=2024-11-04&sig=%s"},
		{"Azure AD", func(r *rand.Rand) string { return draw(r, alnum, 3) + "8Q~" + draw(r, urlSafe, 33) + "a" }, "%s"},
		{"OpenAI", func(r *rand.Rand) string { return "sk-" + draw(r, alnum, 20) + "T3BlbkFJ" + draw(r, alnum, 20) }, "%s"},
		{"OpenAI project", of("sk-proj-", urlSafe, 124), "%s"},
		{"Anthropic", func(r *rand.Rand) string { return "sk-ant-api03-" + draw(r, urlSafe, 93) + "AA" }, "%s"},
		{"Groq", of("gsk_", alnum, 52), "%s"},
		{"Mistral", of("", alnum, 32), "MISTRAL_API_KEY=%s"},
		{"Hugging Face", of("hf_", alnum[:52], 34), "%s"},
		{"Replicate", of("r8_", alnum, 37), "%s"},
		{"Perplexity", of("pplx-", alnum, 48), "%s"},
		{"GitHub classic", summedToken("ghp_"), "%s"},
		{"GitHub OAuth", summedToken("gho_"), "%s"},
		{"GitHub fine", func(r *rand.Rand) string { return "github_pat_" + draw(r, alnum, 22) + "_" + draw(r, alnum, 59) },
			"%s"},
		{"GitLab", of("glpat-", urlSafe, 20), "%s"},
		{"Bitbucket", of("ATBB", alnum, 32), "%s"},
		{"Slack bot", func(r *rand.Rand) string {
			return "xoxb-" + draw(r, "123456789", 12) + "-" + draw(r, "123456789", 13) + "-" + draw(r, alnum, 24)
		}, "%s"},
		{"Slack webhook", func(r *rand.Rand) string {
			return "T" + draw(r, upAlnum, 9) + "/B" + draw(r, upAlnum, 10) + "/" + draw(r, alnum, 24)
		}, "https://hooks.slack.com/services/%s"},
		{"Discord bot", func(r *rand.Rand) string {
			return base64.RawURLEncoding.EncodeToString([]byte("1"+draw(r, "0123456789", 17))) + "." + draw(r, urlSafe, 6) +
				"." + draw(r, urlSafe, 38)
		}, "%s"},
		{"Discord webhook", func(r *rand.Rand) string { return draw(r, "123456789", 18) + "/" + draw(r, urlSafe, 68) },
			"https://discord.com/api/webhooks/%s"},
		{"Telegram", func(r *rand.Rand) string { return draw(r, "123456789", 10) + ":AA" + draw(r, urlSafe, 33) }, "%s"},
		{"Twilio key", of("SK", hexDigits, 32), "%s"},
		{"Twilio token", of("", hexDigits, 32), "TWILIO_AUTH_TOKEN=%s"},
		{"SendGrid", func(r *rand.Rand) string { return "SG." + draw(r, urlSafe, 22) + "." + draw(r, urlSafe, 43) }, "%s"},
		{"Mailgun", of("key-", hexDigits, 32), "%s"},
		{"Stripe", of("sk_live_", alnum, 24), "%s"},
		{"Square", of("sq0atp-", urlSafe, 22), "%s"},
		{"Braintree", func(r *rand.Rand) string {
			return "access_token$production$" + draw(r, lowAlnum, 16) + "$" + draw(r, hexDigits, 32)
		}, "%s"},
		{"PayPal", of("", urlSafe, 80), "PAYPAL_CLIENT_SECRET=%s"},
		{"Shopify", of("shpat_", hexDigits, 32), "%s"},
		{"npm", summedToken("npm_"), "%s"},
		{"PyPI", of("pypi-AgEIcHlwaS5vcmc", urlSafe, 150), "%s"},
		{"RubyGems", of("rubygems_", hexDigits, 48), "%s"},
		{"Docker Hub", of("dckr_pat_", urlSafe, 27), "%s"},
		{"Terraform", func(r *rand.Rand) string { return draw(r, alnum, 14) + ".atlasv1." + draw(r, urlSafe, 67) }, "%s"},
		{"Vault", of("hvs.", urlSafe, 90), "%s"},
		{"Databricks", of("dapi", hexDigits, 32), "%s"},
		{"Datadog", of("", hexDigits, 32), "DD_API_KEY=%s"},
		{"New Relic", of("NRAK-", upAlnum, 27), "%s"},
		{"Sentry", of("sntryu_", hexDigits, 64), "%s"},
		{"Grafana", func(r *rand.Rand) string { return "glsa_" + draw(r, alnum, 32) + "_" + draw(r, hexDigits, 8) }, "%s"},
		{"PagerDuty", of("", alnum, 20), "PAGERDUTY_API_KEY=%s"},
		{"Okta", of("00", urlSafe, 40), "OKTA_API_TOKEN=%s"},
		{"Auth0", of("", urlSafe, 64), "AUTH0_CLIENT_SECRET=%s"},
		{"JSON web token", jwt, "%s"},
		{"postgres", urlPassword, "postgres://app:%s@db.internal:5432/main"},
		{"mysql", urlPassword, "mysql://app:%s@db.internal/main"},
		{"mongodb", urlPassword, "mongodb+srv://app:%s@cluster0.mongodb.net/main"},
		{"redis", urlPassword, "redis://:%s@cache.internal:6379/0"},
		{"amqp", urlPassword, "amqps://app:%s@mq.internal/vhost"},
		{"password in an address", urlPassword, "https://deploy:%s@git.internal/x.git"},
		{"basic authorization", func(r *rand.Rand) string {
			return base64.StdEncoding.EncodeToString([]byte("deploy:" + password(r)))
		}, "Authorization: Basic %s"},
		{"bearer", of("", urlSafe, 40), "Authorization: Bearer %s"},
		{"RSA key", pem("RSA PRIVATE KEY", 24), "%s"},
		{"OpenSSH key", pem("OPENSSH PRIVATE KEY", 6), "%s"},
		{"PGP key", pem("PGP PRIVATE KEY BLOCK", 20), "%s"},
		{"EC key of TLS", pem("EC PRIVATE KEY", 3), "%s"},
		{"PuTTY key", func(r *rand.Rand) string {
			return draw(r, std64, 64) + "\n" + draw(r, std64, 64) + "\nPrivate-MAC: " + draw(r, hexDigits, 40)
		}, "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 2\n%s"},
		{"age", of("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58), "%s"},
		{".npmrc", of("", alnum, 36), "//registry.example.org/:_authToken=%s"},
		{".netrc", password, "machine git.internal login deploy password %s"},
		{"password", password, "password = %s"},
		{"DigitalOcean", of("dop_v1_", hexDigits, 64), "%s"},
		{"Mailchimp", func(r *rand.Rand) string { return draw(r, hexDigits, 32) + "-us12" }, "%s"},
		{"Linear", of("lin_api_", alnum, 40), "%s"},
		{"Heroku", of("HRKU-AA", urlSafe, 58), "%s"},
	}
}
