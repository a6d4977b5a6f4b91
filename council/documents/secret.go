package documents

import (
	"path/filepath"
	"slices"
	"strings"
)

// secretNames are patterns, in lower case, of files that usually hold keys or passwords.
var secretNames = strings.Fields(`
	.env* *.env env.local .netrc _netrc .npmrc .yarnrc .yarnrc.yml .pypirc .gemrc .pgpass .my.cnf .mylogin.cnf
	.htpasswd .git-credentials .dockercfg .dockerconfigjson .s3cfg .boto .terraformrc terraform.rc *.tfvars
	*.tfvars.json *.tfstate *.tfstate.* .vault-token .vault_pass* credentials* *credentials.json service-account*.json
	service_account*.json client_secret*.json secrets.* .secrets* kubeconfig* *.kubeconfig id_rsa* id_dsa* id_ecdsa*
	id_ed25519* *.ovpn *.pem *.key *.p8 *.p12 *.pfx *.jks *.keystore *.kdbx *.kdb *.ppk *.agekey *.asc *.gpg master.key
	wp-config.php *_history *.keytab shadow gshadow auth.json *credentials *.credentials *credentials.csv
	*credentials.y*ml *credentials.ini *credentials.toml *credentials.txt *accesskeys.csv rootkey.csv .passwd-s3fs
	.s3curl accesstokens.json access_tokens.db msal_token_cache* *firebase-adminsdk*.json google-services.json
	googleservice-info.plist gcp-key*.json keyfile.json local.settings.json .dev.vars* .sentryclirc .serverlessrc
	.databrickscfg .snowsql* rclone.conf .rclone.conf pgpass.conf .rediscli_auth .authinfo* .msmtprc .fetchmailrc
	.mailrc .muttrc .esmtprc .wgetrc .curlrc _curlrc sftp-config.json .ftpconfig .remote-sync.json sitemanager.xml
	recentservers.xml .rhosts .xauthority krb5cc* pip.conf .condarc settings-security.xml *secrets.y*ml *secrets.json
	*secrets.toml *-secret.y*ml secret.y*ml secret.json secret.txt *.secret *.secrets *.token .token token.json
	token.txt password.txt passwords*.txt passwords*.csv .passwd *.passwd .vault-pass* vault_pass* vault-pass*
	*private_key *private-key *privatekey *.jceks *.bks *.pkcs12 *.pvk secring.* *.pgp *.1pif *.psafe3 *.keychain
	*.keychain-db wallet.dat mnemonic*.txt
`)

// secretFolders hold little else.
var secretFolders = strings.Fields(`
	.git .ssh .gnupg .aws .azure .kube .docker .password-store .gcloud .chef .terraform.d .oci .huggingface .m2
	.agilekeychain .pulumi .fly .subversion legacy_credentials
`)

// harmlessNames would match secretNames, but are made to be shown.
var harmlessNames = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.schema",
	"*.example.env", "*.example.tfvars"}

// Secret reports whether a path is named like something that must not be sent to a model provider.
func Secret(path string) bool {
	path = strings.ToLower(filepath.ToSlash(filepath.Clean(path)))
	for folder := range strings.SplitSeq(path, "/") {
		if slices.Contains(secretFolders, folder) {
			return true
		}
	}
	base := path[strings.LastIndexByte(path, '/')+1:]
	return matchesAny(secretNames, base) && !matchesAny(harmlessNames, base)
}

func matchesAny(patterns []string, base string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		// Most patterns have one star at most, and all of them are asked about every file.
		before, after, star := strings.Cut(pattern, "*")
		if !star || !strings.Contains(after, "*") {
			return !star && base == before ||
				star && len(base) >= len(before)+len(after) && strings.HasPrefix(base, before) && strings.HasSuffix(base, after)
		}
		ok, err := filepath.Match(pattern, base)
		return ok && err == nil
	})
}

func secretRefusal() *Error {
	return &Error{
		Problem: "it is named like a file of keys or passwords, and documents are sent to model providers",
		Advice:  "Name the file itself if the council must see it, or better a copy without secrets.",
	}
}
