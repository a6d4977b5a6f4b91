package secrets

import (
	"slices"
	"strings"
)

// form is how the tokens of one issuer look: a prefix and a body.
type form struct {
	kind, prefix string
	body         *class
	least, most  int               // characters of the body; if they are equal, no more follow
	is           func(string) bool // what the body must be
}

// forms are those that are told by a prefix, by what follows it. What other issuers write is found by [opens].
var forms = slices.Concat(
	formsOf(capitals, 16, 16, varied, `aws-access-key AKIA ASIA ABIA ACCA`),
	formsOf(capitals, 50, 200, drawn, `age-key AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1; gcs-hmac-key GOOG1E`),
	formsOf(capitals, 26, 26, drawn, `octopus-key API-`),
	formsOf(capitalParts, 36, 37, drawn, `onepassword-key A3-`),
	formsOf(uuidText, 36, 36, isUUID, `launchdarkly-key sdk- api-; wakatime-key waka_`),
	formsOf(uuidText, 59, 59, drawn, `postman-key PMAK-`),
	formsOf(anyHex, 32, 32, drawn, `databricks-token dapi; twilio-key SK; mailgun-key key-; firecrawl-key fc-;
		shopify-token shpat_ shpca_ shppa_ shpss_`),
	formsOf(anyHex, 40, 64, drawn, `digitalocean-token dop_v1_ doo_v1_ dor_v1_; pulumi-token pul-; sonarqube-token
		squ_ sqp_ sqa_; openrouter-key sk-or-v1-; elevenlabs-key sk_; rubygems-key rubygems_; clojars-token CLOJARS_;
		buildkite-token bkua_; shippo-token shippo_live_; webflow-token ws-; intra42-secret s-s4t2ud- s-s4t2af-`),
	formsOf(base62, 14, 255, drawn, `razorpay-key rzp_live_ rzp_test_; stripe-key sk_live_ sk_test_ rk_live_
		rk_test_; settlemint-token sm_pat_ sm_aat_ sm_sat_; stripe-webhook-secret whsec_`),
	formsOf(base62, 16, 24, drawn, `alibaba-access-key LTAI`),
	formsOf(base62, 32, 32, drawn, `tencent-key AKID; crates-token cio`),
	formsOf(base62, 38, 38, random, `clickhouse-key 4b1d`),
	formsOf(base62, 43, 43, drawn, `nuget-key oy2`),
	formsOf(base62, 32, 255, drawn, `openai-key sk-; groq-key gsk_; mistral-key mistral_; huggingface-token hf_
		api_org_; replicate-token r8_; perplexity-key pplx-; xai-key xai-; cerebras-key csk-; npm-token npm_;
		prefect-key pnu_; netlify-token nfp_; linear-key lin_api_ lin_oauth_; notion-token ntn_ secret_; infracost-key
		ico-; adobe-secret p8e-; datadog-token ddpat_`),
	formsOf(base62, 54, 300, drawn, `artifactory-key AKCp cmVmdGtuOj; easypost-key EZAK EZTK; facebook-token EAAC
		EAAG; readme-key rdme_`),
	formsOf(word, 33, 64, drawn, `resend-key re_; sourcegraph-token sgp_local_ sgp_`),
	formsOf(word, 50, 60, random, `telnyx-key KEY01`),
	formsOf(urlText, 19, 1024, drawn, `newrelic-key NRAK- NRJS- NRII- NRRA-; tailscale-key tskey-; tavily-key tvly-;
		pagerduty-key pdus+_; vault-token hvs. hvr. hvb.; anthropic-key sk-ant-; openai-key sk-proj- sk-svcacct-
		sk-admin- sk-None-; supabase-key sbp_ sb_secret_; together-key tgp_v1_; square-token sq0atp- sq0csp- sq0idb-;
		dockerhub-token dckr_pat_ dckr_oat_; google-oauth-secret GOCSPX-`),
	formsOf(urlText, 22, 22, random, `mandrill-key md-`),
	formsOf(urlText, 32, 32, drawn, `bitbucket-token ATBB`),
	formsOf(urlText, 33, 45, drawn, `google-api-key AIza; yandex-key AQVN; flutterwave-key FLWSECK`),
	formsOf(urlText, 40, 4096, drawn, `google-refresh-token 1//0; google-auth-key AQ.Ab8R; nvidia-key nvapi-;
		jina-key jina_; heroku-key HRKU-AA; terraform-token tfe-; scalingo-token tk-us-; figma-token figd_;
		contentful-token CFPAT-; openshift-token sha256~; paypal-token A21AA; pypi-token pypi-AgE; instagram-token IGQV;
		brevo-key xkeysib- xsmtpsib-`),
	formsOf(braintree, 49, 49, drawn, `braintree-token access_token$production$ access_token$sandbox$`),
	formsOf(dotted, 20, 4096, drawn, `gitlab-token glpat- glrt- glrtr- gldt- glft- glimt- glsoat- glffct- glptt-
		glcbt- glagent- gloas- GR1348941`),
	formsOf(dotted, 30, 4096, drawn, `github-token ghp_ gho_ ghu_ ghr_ ghs_; github-fine-token github_pat_;
		google-oauth-token ya29.; doppler-token dp.pt. dp.ct. dp.sa. dp.st.; pinecone-key pcsk_; planetscale-token
		pscale_tkn_ pscale_pw_ pscale_oauth_; langsmith-key lsv2_pt_ lsv2_sk_; circleci-token CCIPAT_ CCIPRJ_`),
	formsOf(tokenText, 20, 1024, drawn, `linkedin-secret WPL_AP1.; slack-token xoxb- xoxp- xoxa- xoxr- xoxs- xoxc-
		xoxd- xoxe- xoxe.xox xapp-`),
	formsOf(tokenText, 60, 4096, drawn, `aws-session-token IQoJb3JpZ2luX2Vj FwoGZXIvYXdz; sentry-token sntrys_eyJ
		sntryu_ sntryi_; dynatrace-token dt0c01.; sendgrid-key SG.; mapbox-token sk.eyJ; dropbox-token sl.;
		atlassian-token ATATT3xFfG ATCTT3xFfG; teamcity-token eyJ0eXAiOiAiVENWMiJ9.`),
	formsOf(tokenText, 30, 1024, drawn, `fly-token fm2_ fo1_; grafana-token glc_eyJ glsa_ eyJrIjoi; aws-bedrock-key
		ABSKQmVkcm9ja0FQSUtleS`),
	formsOf(dottedEnd, 100, 4096, drawn, `yandex-token t1.; cloudflare-origin-key v1.0-; onepassword-token
		ops_eyJ`),
	formsOf(base64Any, 42, 90, drawn, `azure-storage-key AccountKey=; azure-shared-access-key SharedAccessKey=`),
	formsOf(base64Any, 60, 60, drawn, `confluent-key cflt`),
	formsOf(hookText, 30, 250, drawn, `discord-webhook discord.com/api/webhooks/ discordapp.com/api/webhooks/;
		slack-webhook hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/; teams-webhook
		webhook.office.com/webhookb2/`),
)

// formsOf returns the forms of issuers that share a body: of each a kind, and prefixes.
func formsOf(body *class, least, most int, is func(string) bool, issuers string) []form {
	var all []form
	for issuer := range strings.SplitSeq(issuers, ";") {
		words := strings.Fields(issuer)
		for _, prefix := range words[1:] {
			all = append(all, form{words[0], prefix, body, least, most, is})
		}
	}
	return all
}

// match finds a token at a place.
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
	if !f.is(s[begin:end]) {
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
