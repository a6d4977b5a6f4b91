package looks

import (
	"slices"
	"strings"
)

// Form is how the tokens of one kind look.
type Form struct {
	Kind     string
	Prefixes string // one or more, with blanks between them
	Body     *Class
	Min      int               // characters of the body
	Max      int               // 0: as many as Min, no fewer and no more
	Check    func(string) bool // of the body; nil: [Drawn]
}

// longest bounds the body of a token that has no length of its own.
const longest = 1024

// Forms returns all of them.
func Forms() []Form { return slices.Concat(cloud, models, work) }

// cloud are those of clouds, databases and whatever runs services.
var cloud = []Form{
	{"aws-access-key", "AKIA ASIA ABIA ACCA", Capitals, 16, 0, Varied},
	{"aws-session-token", "IQoJb3JpZ2luX2Vj FwoGZXIvYXdz", Base64, 60, 4096, nil},
	{"aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", Base64, 40, longest, nil},
	{"google-api-key", "AIza", Base64URL, 35, 0, nil},
	{"google-oauth-secret", "GOCSPX-", Base64URL, 28, 0, nil},
	{"google-oauth-token", "ya29.", Dotted, 30, longest, nil},
	{"google-refresh-token", "1//0", Base64URL, 40, longest, nil},
	{"azure-storage-key", "AccountKey=", Base64, 86, 90, nil},
	{"azure-shared-access-key", "SharedAccessKey=", Base64, 42, 46, nil},
	{"alibaba-access-key", "LTAI", Base62, 16, 24, nil},
	{"digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", LowHex, 64, 0, nil},
	{"heroku-key", "HRKU-AA", Base64URL, 50, 70, nil},
	{"fly-token", "fm2_", Base64, 60, longest, nil},
	{"fly-token", "fo1_", Base64URL, 40, 48, nil},
	{"tailscale-key", "tskey-", Base64URL, 20, 80, nil},
	{"cloudflare-origin-key", "v1.0-", Base64URL, 100, 180, nil},
	{"terraform-token", "tfe-", Base64URL, 40, 100, nil},
	{"vault-token", "hvs. hvr.", Base64URL, 24, 300, nil},
	{"vault-token", "hvb.", Base64URL, 24, 400, nil},
	{"pulumi-token", "pul-", LowHex, 40, 0, nil},
	{"doppler-token", "dp.pt. dp.ct. dp.sa.", Base62, 40, 44, nil},
	{"doppler-token", "dp.st.", Dotted, 40, 80, nil},
	{"databricks-token", "dapi", LowHex, 32, 0, nil},
	{"planetscale-token", "pscale_tkn_", Dotted, 32, 64, nil},
	{"planetscale-password", "pscale_pw_", Dotted, 32, 64, nil},
	{"supabase-token", "sbp_", LowHex, 40, 0, nil},
	{"supabase-secret", "sb_secret_", Base64URL, 22, 60, nil},
	{"netlify-token", "nfp_", Base62, 36, 40, nil},
	{"prefect-key", "pnu_", Base62, 36, 0, nil},
	{"onepassword-token", "ops_eyJ", Base64URL, 100, 4096, nil},
	{"age-key", "AGE-SECRET-KEY-1", Capitals, 58, 0, nil},
	{"age-key", "AGE-SECRET-KEY-PQ-1", Capitals, 50, 200, nil},
	{"datadog-token", "ddpat_", Base62, 30, 80, nil},
	{"newrelic-key", "NRAK-", Capitals, 27, 0, nil},
	{"newrelic-key", "NRJS-", LowHex, 19, 0, nil},
	{"newrelic-key", "NRII-", Base64URL, 32, 0, nil},
	{"newrelic-key", "NRRA-", LowHex, 42, 0, nil},
	{"sentry-token", "sntrys_eyJ", AnyBase64, 60, longest, nil},
	{"sentry-token", "sntryu_", LowHex, 64, 0, nil},
	{"grafana-token", "glc_eyJ", Base64, 30, longest, nil},
	{"grafana-token", "glsa_", Word, 41, 0, nil},
	{"grafana-key", "eyJrIjoi", Base64, 60, 400, nil},
	{"dynatrace-token", "dt0c01.", Dotted, 89, 0, nil},
	{"sonarqube-token", "squ_ sqp_ sqa_", LowHex, 40, 0, nil},
	{"pagerduty-key", "pdus+_", Base64URL, 20, 80, nil},
	{"launchdarkly-key", "sdk-", NewClass("-", "09", "af"), 36, 0, nil},
	{"artifactory-key", "AKCp", Base62, 69, 0, nil},
	{"yandex-key", "AQVN", Base64URL, 35, 38, nil},
	{"clickhouse-key", "4b1d", Base62, 38, 0, Random},
	{"confluent-key", "cflt", Base64, 60, 0, nil},
	{"gcs-hmac-key", "GOOG1E", Capitals, 55, 0, nil},
	{"openshift-token", "sha256~", Base64URL, 43, 0, nil},
	{"yandex-token", "t1.", DottedEnd, 100, 400, nil},
	{"onepassword-key", "A3-", NewClass("-", "09", "AZ"), 36, 37, nil},
	{"tencent-key", "AKID", Base62, 32, 0, nil},
	{"launchdarkly-key", "api-", NewClass("-", "09", "af"), 36, 0, UUID},
}

// models are those of providers of models.
var models = []Form{
	{"anthropic-key", "sk-ant-", Base64URL, 30, 300, nil},
	{"openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", Base64URL, 30, 300, nil},
	{"openrouter-key", "sk-or-v1-", LowHex, 64, 0, nil},
	{"openai-key", "sk-", Base62, 32, 128, nil}, // and of those who took the form over
	{"google-auth-key", "AQ.Ab8R", Base64URL, 40, 120, nil},
	{"groq-key", "gsk_", Base62, 48, 60, nil},
	{"mistral-key", "mistral_", Base62, 32, 48, nil},
	{"huggingface-token", "hf_ api_org_", Base62, 34, 40, nil},
	{"replicate-token", "r8_", Base62, 37, 40, nil},
	{"perplexity-key", "pplx-", Base62, 40, 64, nil},
	{"xai-key", "xai-", Base62, 70, 90, nil},
	{"cerebras-key", "csk-", Base62, 40, 64, nil},
	{"fireworks-key", "fw_", Base62, 22, 40, nil},
	{"together-key", "tgp_v1_", Base64URL, 40, 60, nil},
	{"nvidia-key", "nvapi-", Base64URL, 60, 72, nil},
	{"pinecone-key", "pcsk_", Word, 50, 90, nil},
	{"langsmith-key", "lsv2_pt_ lsv2_sk_", NewClass("_", "09", "af"), 40, 50, nil},
	{"elevenlabs-key", "sk_", LowHex, 48, 0, nil},
	{"jina-key", "jina_", Base64URL, 50, 80, nil},
	{"firecrawl-key", "fc-", LowHex, 32, 0, nil},
	{"tavily-key", "tvly-", Base64URL, 24, 60, nil},
}

// work are those of forges, registries, messengers and payments.
var work = []Form{
	{"github-token", "ghp_ gho_ ghu_ ghr_", Base62, 36, 255, SummedOrDrawn},
	{"github-token", "ghs_", Dotted, 36, longest, SummedOrDrawn},
	{"github-fine-token", "github_pat_", Word, 60, 255, nil},
	{"gitlab-token", "glpat- glrt- glrtr-", Dotted, 20, 320, nil},
	{"gitlab-token", "gldt- glft- glimt- glsoat- glffct-", Base64URL, 20, 64, nil},
	{"gitlab-token", "glptt-", LowHex, 40, 0, nil},
	{"gitlab-token", "glcbt-", Base64URL, 20, 80, nil},
	{"gitlab-token", "glagent-", Base64URL, 40, 64, nil},
	{"gitlab-token", "gloas-", Base64URL, 40, 70, nil},
	{"gitlab-token", "GR1348941", Base64URL, 20, 0, nil},
	{"bitbucket-token", "ATBB", Base64URL, 32, 0, nil},
	{"bitbucket-token", "ATCTT3xFfG", DottedEnd, 60, 300, nil},
	{"atlassian-token", "ATATT3xFfG", DottedEnd, 60, 300, nil},
	{"npm-token", "npm_", Base62, 36, 0, SummedOrDrawn},
	{"pypi-token", "pypi-AgE", Base64URL, 50, longest, nil},
	{"rubygems-key", "rubygems_", LowHex, 48, 0, nil},
	{"crates-token", "cio", Base62, 32, 0, nil},
	{"nuget-key", "oy2", NewClass("", "09", "az"), 43, 0, nil},
	{"clojars-token", "CLOJARS_", LowHex, 60, 0, nil},
	{"dockerhub-token", "dckr_pat_", Base64URL, 27, 0, nil},
	{"dockerhub-token", "dckr_oat_", Base64URL, 32, 40, nil},
	{"circleci-token", "CCIPAT_", Word, 40, 80, nil},
	{"buildkite-token", "bkua_", LowHex, 40, 0, nil},
	{"slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxe-", Base64URL, 20, 255, nil},
	{"slack-token", "xoxd-", NewClass("-_%+/=", "09", "az", "AZ"), 40, 400, nil},
	{"slack-token", "xoxe.xox", Dotted, 40, 255, nil},
	{"slack-app-token", "xapp-", Base64URL, 30, 255, nil},
	{"slack-webhook", "hooks.slack.com/services/", NewClass("/_-", "09", "az", "AZ"), 30, 80, nil},
	{"slack-webhook", "hooks.slack.com/workflows/ hooks.slack.com/triggers/", NewClass("/_-", "09", "az", "AZ"),
		30, 100, nil},
	{"discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", NewClass("/_-", "09", "az", "AZ"),
		70, 110, nil},
	{"teams-webhook", "webhook.office.com/webhookb2/", NewClass("/@_-", "09", "az", "AZ"), 60, 250, nil},
	{"twilio-key", "SK", LowHex, 32, 0, nil},
	{"sendgrid-key", "SG.", Dotted, 60, 72, nil},
	{"mailgun-key", "key-", LowHex, 32, 0, nil},
	{"brevo-key", "xkeysib-", NewClass("-", "09", "az", "AZ"), 64, 90, nil},
	{"stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", Base62, 20, 255, nil},
	{"stripe-webhook-secret", "whsec_", Base64, 24, 80, nil},
	{"square-token", "EAAA", Base64URL, 60, 0, urlSafe},
	{"square-token", "sq0atp-", Base64URL, 22, 0, nil},
	{"square-secret", "sq0csp-", Base64URL, 43, 0, nil},
	{"paypal-token", "A21AA", Base64URL, 80, 120, nil},
	{"braintree-token", "access_token$production$ access_token$sandbox$", NewClass("$", "09", "az"), 49, 0, nil},
	{"shopify-token", "shpat_ shpca_ shppa_", AnyHex, 32, 0, nil},
	{"shopify-secret", "shpss_", AnyHex, 32, 0, nil},
	{"linear-key", "lin_api_", Base62, 40, 0, nil},
	{"notion-token", "ntn_", Base62, 40, 60, nil},
	{"notion-token", "secret_", Base62, 43, 0, nil},
	{"figma-token", "figd_", Base64URL, 40, 0, nil},
	{"postman-key", "PMAK-", NewClass("-", "09", "af"), 59, 0, nil},
	{"contentful-token", "CFPAT-", Base64URL, 43, 0, nil},
	{"mapbox-token", "sk.eyJ", Dotted, 60, 200, nil},
	{"facebook-token", "EAAC EAAG", Base62, 80, 300, nil},
	{"easypost-key", "EZAK EZTK", Base62, 54, 0, nil},
	{"shippo-token", "shippo_live_", LowHex, 40, 0, nil},
	{"infracost-key", "ico-", Base62, 32, 0, nil},
	{"readme-key", "rdme_", Base62, 70, 0, nil},
	{"airtable-token", "pat", Dotted, 79, 0, airtable},
	{"dropbox-token", "sl.", Dotted, 60, 400, nil},
	{"artifactory-token", "cmVmdGtuOj", Base62, 54, 0, nil},
	{"octopus-key", "API-", Capitals, 26, 0, nil},
	{"scalingo-token", "tk-us-", Base64URL, 48, 0, nil},
	{"settlemint-token", "sm_pat_ sm_aat_ sm_sat_", Base62, 16, 0, nil},
	{"adobe-secret", "p8e-", lowBase36, 32, 0, nil},
	{"twitter-token", "AAAAAAAAAAAAAAAAAAAAA", NewClass("%", "09", "az", "AZ"), 80, 120, twitter},
	{"resend-key", "re_", Word, 33, 0, nil},
	{"razorpay-key", "rzp_live_ rzp_test_", Base62, 14, 0, nil},
	{"mandrill-key", "md-", Base64URL, 22, 0, Random},
	{"instagram-token", "IGQV", Base64URL, 80, 300, nil},
	{"linkedin-secret", "WPL_AP1.", NewClass("./+=", "09", "az", "AZ"), 20, 60, nil},
	{"sourcegraph-token", "sgp_local_ sgp_", LowHex, 40, 0, nil},
	{"sourcegraph-token", "sgp_", NewClass("_", "09", "af"), 57, 0, nil},
	{"flutterwave-key", "FLWSECK", NewClass("-_XTES", "09", "ah"), 33, 45, nil},
	{"intra42-secret", "s-s4t2ud- s-s4t2af-", LowHex, 64, 0, nil},
	{"asana-token", "1/", NewClass(":/", "09", "af"), 49, 0, asana},
	{"asana-token", "2/", NewClass(":/", "09", "af"), 66, 0, asana},
	{"teamcity-token", "eyJ0eXAiOiAiVENWMiJ9.", Dotted, 60, 200, nil},
	{"bitwarden-token", "0.", NewClass("-.:+/=", "09", "az", "AZ"), 80, 100, bitwarden},
	{"wakatime-key", "waka_", NewClass("-", "09", "af"), 36, 0, UUID},
	{"square-secret", "sq0idb-", Base64URL, 22, 43, nil},
	{"linear-key", "lin_oauth_", LowHex, 64, 0, nil},
	{"telnyx-key", "KEY01", Word, 50, 60, Random},
	{"webflow-token", "ws-", LowHex, 64, 0, nil},
}

var lowBase36 = NewClass("", "09", "az")

// urlSafe tells a token in the alphabet of addresses from base64 of something else.
func urlSafe(body string) bool { return strings.ContainsAny(body, "-_") && Random(body) }

// twitter tells a token of Twitter from base64 of many zeros.
func twitter(body string) bool { return body[0] != 'A' && Random(body) }

// asana reports whether numbers and a digest make a token.
func asana(body string) bool {
	at := len(body) - 33
	return body[at] == ':' && LowHex.Run(body[at+1:], 32) == 32 && Drawn(body)
}

// bitwarden reports whether what follows a version begins with the id of an account.
func bitwarden(body string) bool { return UUID(body[:36]) && body[36] == '.' }

// airtable reports whether what follows "pat" is an id and a digest.
func airtable(body string) bool {
	return body[14] == '.' && LowHex.Run(body[15:], 64) == 64 && Drawn(body)
}
