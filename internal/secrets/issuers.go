package secrets

import "strings"

// form is how the tokens of one kind look: prefixes with blanks between them, and a body.
type form struct {
	kind        string
	prefixes    string
	body        *class
	least, most int               // characters of the body; if they are equal, no more follow
	check       func(string) bool // of the body; nil: [drawn]
}

var forms = []form{
	// clouds, databases and whatever runs services
	{"aws-access-key", "AKIA ASIA ABIA ACCA", capitals, 16, 16, varied},
	{"aws-session-token", "IQoJb3JpZ2luX2Vj FwoGZXIvYXdz", base64Any, 60, 4096, nil},
	{"aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", base64Any, 40, 1024, nil},
	{"google-api-key", "AIza", urlText, 35, 35, nil},
	{"google-oauth-secret", "GOCSPX-", urlText, 28, 28, nil},
	{"google-oauth-token", "ya29.", dotted, 30, 1024, nil},
	{"google-refresh-token", "1//0", urlText, 40, 1024, nil},
	{"google-auth-key", "AQ.Ab8R", urlText, 40, 120, nil},
	{"gcs-hmac-key", "GOOG1E", capitals, 55, 55, nil},
	{"azure-storage-key", "AccountKey=", base64Any, 86, 90, nil},
	{"azure-shared-access-key", "SharedAccessKey=", base64Any, 42, 46, nil},
	{"alibaba-access-key", "LTAI", base62, 16, 24, nil},
	{"tencent-key", "AKID", base62, 32, 32, nil},
	{"yandex-key", "AQVN", urlText, 35, 38, nil},
	{"yandex-token", "t1.", dottedEnd, 100, 400, nil},
	{"digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", lowHex, 64, 64, nil},
	{"heroku-key", "HRKU-AA", urlText, 50, 70, nil},
	{"fly-token", "fm2_ fo1_", tokenText, 40, 1024, nil},
	{"tailscale-key", "tskey-", urlText, 20, 80, nil},
	{"cloudflare-origin-key", "v1.0-", urlText, 100, 180, nil},
	{"terraform-token", "tfe-", urlText, 40, 100, nil},
	{"vault-token", "hvs. hvr. hvb.", urlText, 24, 400, nil},
	{"pulumi-token", "pul-", lowHex, 40, 40, nil},
	{"doppler-token", "dp.pt. dp.ct. dp.sa. dp.st.", dotted, 40, 80, nil},
	{"databricks-token", "dapi", lowHex, 32, 32, nil},
	{"planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", dotted, 32, 64, nil},
	{"supabase-key", "sbp_ sb_secret_", urlText, 22, 60, nil},
	{"netlify-token", "nfp_", base62, 36, 40, nil},
	{"prefect-key", "pnu_", base62, 36, 36, nil},
	{"onepassword-token", "ops_eyJ", urlText, 100, 4096, nil},
	{"onepassword-key", "A3-", capitalParts, 36, 37, nil},
	{"age-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", capitals, 50, 200, nil},
	{"datadog-token", "ddpat_", base62, 30, 80, nil},
	{"newrelic-key", "NRAK- NRJS- NRII- NRRA-", urlText, 19, 42, nil},
	{"sentry-token", "sntrys_eyJ sntryu_ sntryi_", tokenText, 60, 1024, nil},
	{"grafana-token", "glc_eyJ glsa_ eyJrIjoi", tokenText, 30, 1024, nil},
	{"dynatrace-token", "dt0c01.", dotted, 89, 89, nil},
	{"sonarqube-token", "squ_ sqp_ sqa_", lowHex, 40, 40, nil},
	{"pagerduty-key", "pdus+_", urlText, 20, 80, nil},
	{"launchdarkly-key", "sdk- api-", uuidText, 36, 36, isUUID},
	{"artifactory-key", "AKCp cmVmdGtuOj", base62, 54, 69, nil},
	{"clickhouse-key", "4b1d", base62, 38, 38, random},
	{"confluent-key", "cflt", base64Any, 60, 60, nil},
	{"openshift-token", "sha256~", urlText, 43, 43, nil},
	{"scalingo-token", "tk-us-", urlText, 48, 48, nil},
	{"infracost-key", "ico-", base62, 32, 32, nil},

	// providers of models
	{"anthropic-key", "sk-ant-", urlText, 30, 300, nil},
	{"openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", urlText, 30, 300, nil},
	{"openrouter-key", "sk-or-v1-", lowHex, 64, 64, nil},
	{"openai-key", "sk-", base62, 32, 128, nil}, // and of those who took the form over
	{"groq-key", "gsk_", base62, 48, 60, nil},
	{"mistral-key", "mistral_", base62, 32, 48, nil},
	{"huggingface-token", "hf_ api_org_", base62, 34, 40, nil},
	{"replicate-token", "r8_", base62, 37, 40, nil},
	{"perplexity-key", "pplx-", base62, 40, 64, nil},
	{"xai-key", "xai-", base62, 70, 90, nil},
	{"cerebras-key", "csk-", base62, 40, 64, nil},
	{"fireworks-key", "fw_", base62, 22, 40, nil},
	{"together-key", "tgp_v1_", urlText, 40, 60, nil},
	{"nvidia-key", "nvapi-", urlText, 60, 72, nil},
	{"pinecone-key", "pcsk_", word, 50, 90, nil},
	{"langsmith-key", "lsv2_pt_ lsv2_sk_", word, 40, 50, nil},
	{"elevenlabs-key", "sk_", lowHex, 48, 48, nil},
	{"jina-key", "jina_", urlText, 50, 80, nil},
	{"firecrawl-key", "fc-", lowHex, 32, 32, nil},
	{"tavily-key", "tvly-", urlText, 24, 60, nil},

	// forges, registries, messengers and payments
	{"github-token", "ghp_ gho_ ghu_ ghr_ ghs_", dotted, 36, 1024, nil},
	{"github-fine-token", "github_pat_", word, 60, 255, nil},
	{"gitlab-token", "glpat- glrt- glrtr- gldt- glft- glimt- glsoat- glffct- glptt- glcbt- glagent- gloas- GR1348941",
		dotted, 20, 320, nil},
	{"bitbucket-token", "ATBB", urlText, 32, 32, nil},
	{"atlassian-token", "ATATT3xFfG ATCTT3xFfG", dottedEnd, 60, 300, nil},
	{"npm-token", "npm_", base62, 36, 36, nil},
	{"pypi-token", "pypi-AgE", urlText, 50, 1024, nil},
	{"rubygems-key", "rubygems_", lowHex, 48, 48, nil},
	{"crates-token", "cio", base62, 32, 32, nil},
	{"nuget-key", "oy2", base62, 43, 43, nil},
	{"clojars-token", "CLOJARS_", lowHex, 60, 60, nil},
	{"dockerhub-token", "dckr_pat_ dckr_oat_", urlText, 27, 40, nil},
	{"circleci-token", "CCIPAT_ CCIPRJ_", word, 40, 80, nil},
	{"buildkite-token", "bkua_", lowHex, 40, 40, nil},
	{"sourcegraph-token", "sgp_local_ sgp_", word, 40, 64, nil},
	{"octopus-key", "API-", capitals, 26, 26, nil},
	{"teamcity-token", "eyJ0eXAiOiAiVENWMiJ9.", dotted, 60, 200, nil},
	{"postman-key", "PMAK-", uuidText, 59, 59, nil},
	{"slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxd- xoxe- xoxe.xox xapp-", tokenText, 20, 400, nil},
	{"slack-webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", hookText, 30, 100,
		nil},
	{"discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", hookText, 70, 110, nil},
	{"teams-webhook", "webhook.office.com/webhookb2/", hookText, 60, 250, nil},
	{"twilio-key", "SK", lowHex, 32, 32, nil},
	{"telnyx-key", "KEY01", word, 50, 60, random},
	{"sendgrid-key", "SG.", dotted, 60, 72, nil},
	{"mailgun-key", "key-", lowHex, 32, 32, nil},
	{"mandrill-key", "md-", urlText, 22, 22, random},
	{"brevo-key", "xkeysib- xsmtpsib-", urlText, 64, 90, nil},
	{"resend-key", "re_", word, 33, 33, nil},
	{"stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", base62, 20, 255, nil},
	{"stripe-webhook-secret", "whsec_", base64Any, 24, 80, nil},
	{"square-token", "sq0atp- sq0csp- sq0idb-", urlText, 22, 43, nil},
	{"paypal-token", "A21AA", urlText, 80, 120, nil},
	{"braintree-token", "access_token$production$ access_token$sandbox$", braintree, 49, 49, nil},
	{"razorpay-key", "rzp_live_ rzp_test_", base62, 14, 14, nil},
	{"flutterwave-key", "FLWSECK", urlText, 33, 45, nil},
	{"easypost-key", "EZAK EZTK", base62, 54, 54, nil},
	{"shippo-token", "shippo_live_", lowHex, 40, 40, nil},
	{"shopify-token", "shpat_ shpca_ shppa_ shpss_", anyHex, 32, 32, nil},
	{"settlemint-token", "sm_pat_ sm_aat_ sm_sat_", base62, 16, 16, nil},
	{"linear-key", "lin_api_ lin_oauth_", base62, 40, 64, nil},
	{"notion-token", "ntn_ secret_", base62, 40, 60, nil},
	{"figma-token", "figd_", urlText, 40, 40, nil},
	{"wakatime-key", "waka_", uuidText, 36, 36, isUUID},
	{"contentful-token", "CFPAT-", urlText, 43, 43, nil},
	{"mapbox-token", "sk.eyJ", dotted, 60, 200, nil},
	{"webflow-token", "ws-", lowHex, 64, 64, nil},
	{"readme-key", "rdme_", base62, 70, 70, nil},
	{"intra42-secret", "s-s4t2ud- s-s4t2af-", lowHex, 64, 64, nil},
	{"adobe-secret", "p8e-", base62, 32, 32, nil},
	{"dropbox-token", "sl.", dotted, 60, 400, nil},
	{"facebook-token", "EAAC EAAG", base62, 80, 300, nil},
	{"instagram-token", "IGQV", urlText, 80, 300, nil},
	{"linkedin-secret", "WPL_AP1.", base64Dotted, 20, 60, nil},
}

// match finds a token with one of the prefixes at a place.
func (f *form) match(v *view, at int, prefix string) []candidate {
	s := v.text
	begin := at + len(prefix)
	if s[at:begin] != prefix || !v.beginsAt(at, prefix) {
		return nil
	}
	end := begin + f.body.run(s[begin:], f.most)
	exact := f.least == f.most
	if end-begin < f.least || exact && end < len(s) && f.body[s[end]] && v.omitted(end) == "" && !sentenceEnd(s[end:]) {
		return nil
	}
	if !exact {
		end = v.untilProse(begin+f.least, end)
	}
	for end-begin > f.least && s[end-1] == '.' {
		end--
	}
	if check := f.check; check != nil && !check(s[begin:end]) || check == nil && !drawn(s[begin:end]) {
		return nil
	}
	return []candidate{v.found(f.kind, at, end, byForm)}
}

// beginsAt reports whether a word with this prefix can begin at a place: not in the middle of another. Short
// ones such as "sk-" are parts of many a word with hyphens.
func (v *view) beginsAt(at int, prefix string) bool {
	if at == 0 || v.omitted(at) != "" {
		return true
	}
	c := v.text[at-1]
	return !base62[c] && c != '_' && (c != '-' || len(prefix) > 4 || prefix[len(prefix)-1] != '-')
}

// sentenceEnd reports whether a dot ends a sentence rather than going on with a word.
func sentenceEnd(s string) bool { return s[0] == '.' && (len(s) == 1 || !base62[s[1]]) }

// prefixed finds what has the looks of a key of an issuer that is not known: a short prefix or more of them, and a long
// word drawn by lot.
func (v *view) prefixed() []candidate {
	var found []candidate
	s := v.text
	for i := 0; i < len(s); i++ {
		n := prefixText.run(s[i:], len(s))
		if n >= 24 && n <= 512 && (i == 0 || strings.IndexByte("/+@#%&", s[i-1]) < 0) &&
			(i+n == len(s) || strings.IndexByte("/+@(", s[i+n]) < 0) {
			if word := strings.TrimRight(s[i:i+n], "."); opens(word) && v.whole(i, i+len(word)) {
				found = append(found, v.found("token", i, i+len(word), byName))
			}
		}
		i += n
	}
	return found
}

// whole reports whether nothing was left out of text[from:to].
func (v *view) whole(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if v.omitted(i) != "" {
			return false
		}
	}
	return true
}
