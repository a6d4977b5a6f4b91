package secrets

import "strings"

// What names end in, without what separates their words.
var (
	separators = strings.NewReplacer("_", "", "-", "", ".", "")
	ends       = []struct {
		noun  noun
		words []string
	}{
		{password, strings.Fields(`passphrase password passwd passcode passwort kennwort contraseña contrasena senha
			motdepasse wachtwoord presharedkey rootpw userpw adminpw ftppw bindpw`)},
		{phrase, strings.Fields("mnemonic seedphrase recoveryphrase walletseed")},
		{apiKey, strings.Fields("apikey privatekey privkey secretkey secretaccesskey")},
		{secret, strings.Fields("accesskeysecret secretkeybase credential credentials creds secret")},
		{access, strings.Fields(`apitoken accesstoken authtoken refreshtoken sessiontoken bearertoken bottoken usertoken
			servertoken servicetoken securitytoken authtok bearer personaltoken deploytoken registrytoken idtoken jwttoken
			privatetoken logintoken`)},
	}
	// owners say of a key that it opens something: "<owner>key".
	owners = strings.Fields(`access account auth app application signing encryption master shared license integration
		routing admin ingestion ingest write subscription service functions function deploy webhook session crypt cipher aes
		hmac jwt fernet client decryption validation unseal storage consumer server root wep wpa sas secret gateway merchant
		publisher customer developer partner agent push sdk instrumentation reporting wireguard`)
	// suffixes may follow a noun and change nothing.
	suffixes = strings.Fields(`value string prod production dev test staging live base64 b64 raw plain text plaintext
		env old new current default data primary secondary main`)
	// tame are in names that hold a noun, and mean something else; passes are not words.
	tame = strings.Fields(`maxtoken inputtoken outputtoken public nexttoken pagetoken csrf continuationtoken idempotency
		clienttoken numtoken tokentype synctoken resumetoken canceltoken cancellationtoken`)
	passes = strings.Fields(`bypass compass trespass encompass surpass overpass underpass subpass renderpass singlepass
		firstpass lastpass nextpass onepass allpass lowpass highpass bandpass testpass shaderpass oldpwd`)
	// strange are words before "key" whose keys open nothing.
	strange = strings.Fields(`public pub primary foreign partition sort cache object map row hash group order index
		unique composite natural surrogate candidate hot idx range lookup dict dedupe dedup`)
)

// vendors are those whose keys have no form of their own: a part of a name, and the kind of secret.
var vendors = pairs(`aws aws-secret-key secretaccesskey aws-secret-key secret_access_key aws-secret-key
	datadog datadog-key dd_ datadog-key dd- datadog-key mistral mistral-key cohere cohere-key okta okta-token
	auth0 auth0-secret pagerduty pagerduty-key pd_ pagerduty-key twilio twilio-token newrelic newrelic-key
	new_relic newrelic-key azure azure-key mailgun mailgun-key mailchimp mailchimp-key cloudflare cloudflare-key
	fastly fastly-key algolia algolia-key braintree braintree-token paypal paypal-secret bitbucket bitbucket-token
	sentry sentry-token snyk snyk-token linode linode-token vercel vercel-token splunk splunk-token
	dropbox dropbox-token asana asana-token zendesk zendesk-token trello trello-key twitter twitter-key
	linkedin linkedin-secret coinbase coinbase-key plaid plaid-secret adyen adyen-key razorpay razorpay-key
	rollbar rollbar-token bugsnag bugsnag-key codecov codecov-token jenkins jenkins-token sonar sonarqube-token
	jira atlassian-token discord discord-token vault vault-token elastic elastic-key snowflake snowflake-password
	twitch twitch-secret segment segment-key amplitude amplitude-key square square-token shopify shopify-secret
	google google-oauth-secret github github-secret gitlab gitlab-token slack slack-secret deepseek deepseek-key
	wireguard wireguard-key npm npm-token registry.npmjs npm-token docker docker-auth heroku heroku-key`)

func pairs(words string) [][2]string {
	var all [][2]string
	fields := strings.Fields(words)
	for i := 0; i < len(fields); i += 2 {
		all = append(all, [2]string{fields[i], fields[i+1]})
	}
	return all
}

// What values are made of that are no secrets.
var (
	// examples are in what manuals write where a secret belongs, in small letters.
	examples = strings.Fields(`example xxxx your_ your- yourkey yoursecret yourtoken yourpass placeholder changeme
		change_me change-me redacted dummy insert replace 00000000 11111111 aaaaaaaa 12345678 abcdefgh deadbeef todo
		**** ....`)
	// stock are values that stand for a password wherever one is explained, in small letters.
	stock = set(`password passwd pass pwd secret token pw mypassword yourpassword mysecretpassword user username none
		null string true false test testing undefined hunter2 guest key port x-oauth-basic p@ss p%40ss credentials api_key
		apikey my-secret mysecret passphrase secretkey accesskey usertoken`)
	// said are words that are said of a password, in the place of one.
	said = set(`required optional hidden disabled enabled missing invalid unknown incorrect default boolean integer
		number object plaintext cleartext encrypted expired generated rejected accepted provided supplied specified
		unspecified incorrectly authentication authenticate changeit redacted sensitive anonymous something whatever
		forbidden protected unsupported supported database settings config variable argument parameter property function
		pointer template identifier reference external internal keychain keyring environment interface parolmot contrasena
		passwort kennwort description interactive scram-sha-256 placeholder certificate path file userid`)
	// technical are words of names, which no phrase that somebody chose has in it.
	technical = set(`name ref prod app users admin tests the with from for not and your file files vault data base
		server client service api auth login account accounts root master local remote host url uri http https com org net
		www config store manager provider secrets keys aws azure gcp github docker kube cluster dev staging production env
		id ids type types value values new old set get has can must should field input output form reset forgot change
		update confirm current show hide label text hint error policy length strength hash salt encrypt store required min
		max one two use this that all any are was but input repeat again generator check verify rule rules mysql postgres
		redis mongo smtp mail email ftp ldap web site page link sha bcrypt argon plain clear random empty dash and
		credentials settings self this args options opts params request context ctx state props process module system`)
	// held end the names of what holds a secret.
	held = strings.Fields("key token secret password passwd pwd credential credentials auth pass")
	// ids begin what is drawn by lot and opens nothing.
	ids = set(`req msg resp chatcmpl toolu call run thread asst file batch cus sub pi ch in price prod evt acct seti card
		src ba tr po txn pk rs ws fc item ft whe cp ftjob ftckpt msgbatch compl cmpl ctr job sess session trace span img h1
		go zh sha256 sha512 sha384 sha1 md5 build id ref rev commit digest hash cache tmp lock chunk bundle main index
		vendor style app v1 v2 v3 pub public client publishable anon`)
	// openers say of what they begin that it opens something; strong ones do so even of a uuid.
	openers = set(`sk rk pat sat key keys tok token live secret api apikey pw pwd oauth test prod sec priv private access
		auth pt st jwt refresh svc service deploy admin webhook whsec bot`)
	strong = set("sk rk pat sat key token live secret access")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// What stands before a name and its value, or between them.
var (
	// environs stand before a variable and its value in a command.
	environs = strings.Fields("-e --env --build-arg env export --set --from-literal -D")
	// settingWords stand before a name and a value without a sign, configWords at the beginning of their line.
	settingWords = strings.Fields("set ENV setenv SetEnv -x -gx -Ux configure config put add nmcli")
	configWords  = strings.Fields(`username enable user account default neighbor d-i set tacacs-server radius-server
		snmp-server login interface key`)
)
