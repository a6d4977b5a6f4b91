package secrets_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/secrets"
)

func TestPlaces_AValueIsFoundWhereItsSyntaxPutsIt(t *testing.T) {
	const pw = "kP9f" + "Lw2xQe7z"
	for name, text := range map[string]string{
		"a name that ends in pass":         "SMTP_PASS=%",
		"a name that ends in pwd":          "mail.smtp.pwd: %",
		"name and value of Kubernetes":     "- name: DB_PASSWORD\n  value: \"%\"",
		"a default of Terraform":           "variable \"db_password\" {\n  type = string\n  default = \"%\"\n}",
		"key and value of XML":             `<add key="DbPassword" value="%" />`,
		"a column of CSV":                  "host,user,password\ndb1,app,%\n",
		"the next line":                    "Password:\n\n    %\n",
		"IDENTIFIED BY":                    "CREATE USER app IDENTIFIED BY '%';",
		"PASSWORD of SQL":                  "ALTER ROLE app WITH PASSWORD '%';",
		"a column of an INSERT":            "INSERT INTO u (name, password) VALUES ('ann', '%');",
		"a data source of Go":              `sql.Open("mysql", "app:%@tcp(db:3306)/main")`,
		".pgpass":                          "db.internal:5432:main:app:%\n",
		"braces of ODBC":                   "Driver={SQL};Uid=app;Pwd={%};",
		"requirepass":                      "requirepass %\n",
		"mysql -p":                         "mysql -u root -p% main",
		"docker login -p":                  "docker login -u ci -p % registry.internal",
		"sshpass":                          "sshpass -p '%' ssh root@host",
		"a cookie":                         "Cookie: lang=en; session=8f14e45fceea167a5a36dedd4bea2543%",
		"a header of a vendor":             "Ocp-Apim-Subscription-Key: 8f14e45fceea167a5a36dedd4bea2543%",
		"symbols without quotes":           "password = kP9(f;Lw&2xQe)7z%",
		"letters only":                     "DB_PASSWORD=sunflowerladder%"[:27],
		"words":                            `{"password": "correct-horse-battery-staple"}`,
		"a uuid in .npmrc":                 "//registry.npmjs.org/:_authToken=1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
		"a uuid in .netrc":                 "machine x login a password 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
		"a uuid as a key":                  "POSTMARK_API_KEY=1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
		"a prefix of nobody that is known": "it is zyx_9fK2mQ7vB4nX8cL1pR6tW3yZ0aS5dG, keep it",
		"the second half of a token of " +
			"Sentry": "sntrys_eyJpYXQiOjE3MzAwMDAwMDAsInVybCI6Imh0dHBzOi8vc2VudHJ5LmlvIn0=" +
			"_9fK2mQ7vB4nX8cL1pR6tW3yZ0aS5dGhJ7kL2mN4bV6c",
		"entities of HTML":              "&quot;password&quot;&#58; &quot;%&quot;",
		"a value before its name":       "- value: \"%\"\n  name: DB_PASSWORD",
		"a Secret of Kubernetes":        "kind: Secret\ndata:\n  bundle.p12: %\n",
		"a name of several words":       "Unseal Key 1: %Qz7Lm2Xr9Tb",
		"the next cell of a table":      "<td>Password</td><td>%</td>",
		"an entry of a command":         "docker run -e DB_PASSWORD=correct-horse-battery-staple postgres",
		"what stands for a missing one": "const secret = process.env.APP_SECRET || '%'",
		"a token of 2,000 characters":   "REGISTRY_TOKEN=" + strings.Repeat("aB3dE-f6H", 220) + "%",
		"what makes a client":           `api := new FooClient("region", "%7RtY2uIoP")`,
		"a hook in an address":          "https://chat.internal/hooks/%7RtY2uIoP",
		"a query":                       "https://x.internal/v1?limit=1&token=1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
		"a login":                       "shoctl login --now %7RtY2uIoP",
		"parts with numbers":            "password: horse7-%-x41",
	} {
		out, _ := secrets.Cut(strings.ReplaceAll(text, "%", pw))
		check.NeverSays(t, name+": "+out, pw, "1b9d6bcd", "sunflower", "horse", "mQ7vB4", "Lw&2", "8f14e45f")
	}
}

func TestCut_KeepsOtherText(t *testing.T) {
	for _, text := range []string{`<a accesskey="7">Search</a>`, `cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)`,
		`PWD=/home/app2/src`, "token := p.next1(scanner, 4)", "password = getPassword1(config2)",
		`secret: r.FormValue("client_secret2"),`, "EAAAAGFkbWluQGV4YW1wbGUub3JnAAAAAAAAAAAQAAAAEgAAAAAAAAB0ZXN0ZXIyQ",
		"case PASS: Test/2", "const keyToken = scanner.Token2Kind", "the passed tests of pass 3 are 12 of 14",
		"msg_01XFDUDYJgAACzvnptvVoYEL", "img_sha_2c26b46b68ffc68ff99b453c1d30413413422d70",
		"mkdir -p build2/out && id -u app3", "docker run -u 1000 -p 8080:80 nginx", "he is user2:admin@ 10 o'clock",
		"| token | type | v2 |", "password: required", "password: the one of 2019",
		"name: DB_PASSWORD\nvalueFrom:\n  secretKeyRef: x2", `Auth Union2 "json:\"auth\" api:\"required\""`,
		"this is an invalidate<> pass name2", "kind: SecretProviderClass\ndata:\n  a: b2c3d4e5f6",
		`<code>password</code> <a class="type">&#x3C;string2></a>`,
		"mnemonic: this happens when a constant is used in a void context and not elsewhere (2).", "kind: Secret",
		"kind: Secret\ndata:", "kind: Secret\ndata:\n  :", "value: name: ", "- value", "x <password", "Password 1"} {
		out, _ := secrets.Cut(text)
		check.Is(t, "the text", text, out)
	}
}
