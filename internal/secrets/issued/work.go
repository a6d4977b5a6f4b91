package issued

import (
	"strings"

	"github.com/council-engine/council/internal/secrets/value"
)

// work are those of forges, registries, messengers and payments.
var work = []Form{
	{"github-token", "ghp_", value.Base62, 36, 255, value.SummedOrDrawn},
	{"github-token", "gho_", value.Base62, 36, 255, value.SummedOrDrawn},
	{"github-token", "ghu_", value.Base62, 36, 255, value.SummedOrDrawn},
	{"github-token", "ghr_", value.Base62, 36, 255, value.SummedOrDrawn},
	{"github-token", "ghs_", value.Dotted, 36, longest, value.SummedOrDrawn},
	{"github-fine-token", "github_pat_", value.Word, 60, 255, nil},
	{"gitlab-token", "glpat-", value.Dotted, 20, 320, nil},
	{"gitlab-token", "gldt-", value.Base64URL, 20, 64, nil},
	{"gitlab-token", "glrt-", value.Dotted, 20, 320, nil},
	{"gitlab-token", "glrtr-", value.Dotted, 20, 320, nil},
	{"gitlab-token", "glptt-", value.LowHex, 40, 0, nil},
	{"gitlab-token", "glcbt-", value.Base64URL, 20, 80, nil},
	{"gitlab-token", "glft-", value.Base64URL, 20, 64, nil},
	{"gitlab-token", "glimt-", value.Base64URL, 20, 64, nil},
	{"gitlab-token", "glagent-", value.Base64URL, 40, 64, nil},
	{"gitlab-token", "gloas-", value.Base64URL, 40, 70, nil},
	{"gitlab-token", "glsoat-", value.Base64URL, 20, 64, nil},
	{"gitlab-token", "GR1348941", value.Base64URL, 20, 0, nil},
	{"bitbucket-token", "ATBB", value.Base64URL, 32, 0, nil},
	{"bitbucket-token", "ATCTT3xFfG", value.DottedEnd, 60, 300, nil},
	{"atlassian-token", "ATATT3xFfG", value.DottedEnd, 60, 300, nil},
	{"npm-token", "npm_", value.Base62, 36, 0, value.SummedOrDrawn},
	{"pypi-token", "pypi-AgE", value.Base64URL, 50, longest, nil},
	{"rubygems-key", "rubygems_", value.LowHex, 48, 0, nil},
	{"crates-token", "cio", value.Base62, 32, 0, nil},
	{"nuget-key", "oy2", value.NewClass("", "09", "az"), 43, 0, nil},
	{"clojars-token", "CLOJARS_", value.LowHex, 60, 0, nil},
	{"dockerhub-token", "dckr_pat_", value.Base64URL, 27, 0, nil},
	{"dockerhub-token", "dckr_oat_", value.Base64URL, 32, 40, nil},
	{"circleci-token", "CCIPAT_", value.Word, 40, 80, nil},
	{"buildkite-token", "bkua_", value.LowHex, 40, 0, nil},
	{"slack-token", "xoxb-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxp-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxa-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxr-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxs-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxc-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxd-", value.NewClass("-_%+/=", "09", "az", "AZ"), 40, 400, nil},
	{"slack-token", "xoxe-", value.Base64URL, 20, 255, nil},
	{"slack-token", "xoxe.xox", value.Dotted, 40, 255, nil},
	{"slack-app-token", "xapp-", value.Base64URL, 30, 255, nil},
	{"slack-webhook", "hooks.slack.com/services/", value.NewClass("/_-", "09", "az", "AZ"), 30, 80, nil},
	{"slack-webhook", "hooks.slack.com/workflows/", value.NewClass("/_-", "09", "az", "AZ"), 30, 100, nil},
	{"slack-webhook", "hooks.slack.com/triggers/", value.NewClass("/_-", "09", "az", "AZ"), 30, 100, nil},
	{"discord-webhook", "discord.com/api/webhooks/", value.NewClass("/_-", "09", "az", "AZ"), 70, 110, nil},
	{"discord-webhook", "discordapp.com/api/webhooks/", value.NewClass("/_-", "09", "az", "AZ"), 70, 110, nil},
	{"teams-webhook", "webhook.office.com/webhookb2/", value.NewClass("/@_-", "09", "az", "AZ"), 60, 250, nil},
	{"twilio-key", "SK", value.LowHex, 32, 0, nil},
	{"sendgrid-key", "SG.", value.Dotted, 60, 72, nil},
	{"mailgun-key", "key-", value.LowHex, 32, 0, nil},
	{"brevo-key", "xkeysib-", value.NewClass("-", "09", "az", "AZ"), 64, 90, nil},
	{"stripe-key", "sk_live_", value.Base62, 20, 255, nil},
	{"stripe-key", "sk_test_", value.Base62, 20, 255, nil},
	{"stripe-key", "rk_live_", value.Base62, 20, 255, nil},
	{"stripe-key", "rk_test_", value.Base62, 20, 255, nil},
	{"stripe-webhook-secret", "whsec_", value.Base64, 24, 80, nil},
	{"square-token", "EAAA", value.Base64URL, 60, 0, urlSafe},
	{"square-token", "sq0atp-", value.Base64URL, 22, 0, nil},
	{"square-secret", "sq0csp-", value.Base64URL, 43, 0, nil},
	{"paypal-token", "A21AA", value.Base64URL, 80, 120, nil},
	{"braintree-token", "access_token$production$", value.NewClass("$", "09", "az"), 49, 0, nil},
	{"braintree-token", "access_token$sandbox$", value.NewClass("$", "09", "az"), 49, 0, nil},
	{"shopify-token", "shpat_", value.AnyHex, 32, 0, nil},
	{"shopify-token", "shpca_", value.AnyHex, 32, 0, nil},
	{"shopify-token", "shppa_", value.AnyHex, 32, 0, nil},
	{"shopify-secret", "shpss_", value.AnyHex, 32, 0, nil},
	{"linear-key", "lin_api_", value.Base62, 40, 0, nil},
	{"notion-token", "ntn_", value.Base62, 40, 60, nil},
	{"notion-token", "secret_", value.Base62, 43, 0, nil},
	{"figma-token", "figd_", value.Base64URL, 40, 0, nil},
	{"postman-key", "PMAK-", value.NewClass("-", "09", "af"), 59, 0, nil},
	{"contentful-token", "CFPAT-", value.Base64URL, 43, 0, nil},
	{"mapbox-token", "sk.eyJ", value.Dotted, 60, 200, nil},
	{"facebook-token", "EAAC", value.Base62, 80, 300, nil},
	{"facebook-token", "EAAG", value.Base62, 80, 300, nil},
	{"easypost-key", "EZAK", value.Base62, 54, 0, nil},
	{"shippo-token", "shippo_live_", value.LowHex, 40, 0, nil},
	{"infracost-key", "ico-", value.Base62, 32, 0, nil},
	{"readme-key", "rdme_", value.Base62, 70, 0, nil},
	{"airtable-token", "pat", value.Dotted, 79, 0, airtable},
	{"dropbox-token", "sl.", value.Dotted, 60, 400, nil},
	{"artifactory-token", "cmVmdGtuOj", value.Base62, 54, 0, nil},
	{"easypost-key", "EZTK", value.Base62, 54, 0, nil},
	{"octopus-key", "API-", value.Capitals, 26, 0, nil},
	{"scalingo-token", "tk-us-", value.Base64URL, 48, 0, nil},
	{"settlemint-token", "sm_pat_", value.Base62, 16, 0, nil},
	{"settlemint-token", "sm_aat_", value.Base62, 16, 0, nil},
	{"settlemint-token", "sm_sat_", value.Base62, 16, 0, nil},
	{"adobe-secret", "p8e-", lowBase36, 32, 0, nil},
	{"twitter-token", "AAAAAAAAAAAAAAAAAAAAA", value.NewClass("%", "09", "az", "AZ"), 80, 120, twitter},
	{"resend-key", "re_", value.Word, 33, 0, nil},
	{"gitlab-token", "glffct-", value.Base64URL, 20, 64, nil},
	{"razorpay-key", "rzp_live_", value.Base62, 14, 0, nil},
	{"razorpay-key", "rzp_test_", value.Base62, 14, 0, nil},
	{"mandrill-key", "md-", value.Base64URL, 22, 0, value.Random},
	{"instagram-token", "IGQV", value.Base64URL, 80, 300, nil},
	{"linkedin-secret", "WPL_AP1.", value.NewClass("./+=", "09", "az", "AZ"), 20, 60, nil},
	{"sourcegraph-token", "sgp_local_", value.LowHex, 40, 0, nil},
	{"sourcegraph-token", "sgp_", value.NewClass("_", "09", "af"), 57, 0, nil},
	{"sourcegraph-token", "sgp_", value.LowHex, 40, 0, nil},
	{"flutterwave-key", "FLWSECK", value.NewClass("-_XTES", "09", "ah"), 33, 45, nil},
	{"intra42-secret", "s-s4t2ud-", value.LowHex, 64, 0, nil},
	{"intra42-secret", "s-s4t2af-", value.LowHex, 64, 0, nil},
	{"asana-token", "1/", value.NewClass(":/", "09", "af"), 49, 0, asana},
	{"asana-token", "2/", value.NewClass(":/", "09", "af"), 66, 0, asana},
	{"teamcity-token", "eyJ0eXAiOiAiVENWMiJ9.", value.Dotted, 60, 200, nil},
	{"bitwarden-token", "0.", value.NewClass("-.:+/=", "09", "az", "AZ"), 80, 100, bitwarden},
	{"wakatime-key", "waka_", value.NewClass("-", "09", "af"), 36, 0, value.UUID},
	{"square-secret", "sq0idb-", value.Base64URL, 22, 43, nil},
	{"linear-key", "lin_oauth_", value.LowHex, 64, 0, nil},
	{"telnyx-key", "KEY01", value.Word, 50, 60, value.Random},
	{"webflow-token", "ws-", value.LowHex, 64, 0, nil},
}

var lowBase36 = value.NewClass("", "09", "az")

// urlSafe tells a token in the alphabet of addresses from base64 of something else.
func urlSafe(body string) bool { return strings.ContainsAny(body, "-_") && value.Random(body) }

// twitter tells a token of Twitter from base64 of many zeros.
func twitter(body string) bool { return body[0] != 'A' && value.Random(body) }

// asana reports whether numbers and a digest make a token.
func asana(body string) bool {
	at := len(body) - 33
	return body[at] == ':' && value.LowHex.Run(body[at+1:], 32) == 32 && value.Drawn(body)
}

// bitwarden reports whether what follows a version begins with the id of an account.
func bitwarden(body string) bool { return value.UUID(body[:36]) && body[36] == '.' }

// airtable reports whether what follows "pat" is an id and a digest.
func airtable(body string) bool {
	return body[14] == '.' && value.LowHex.Run(body[15:], 64) == 64 && value.Drawn(body)
}
