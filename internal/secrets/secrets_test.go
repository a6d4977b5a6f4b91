package secrets_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/secrets"
)

// planted is in parts, or those who scan this repository for keys would report it.
const planted = "AKIA" + "ZQ3DXVNKLW7T2MPB"

func TestCut_CountsByKind(t *testing.T) {
	text := "key: " + planted + "\nagain: " + planted + "\n-----BEGIN PRIVATE KEY-----\n" +
		strings.Repeat("kR7d/Qm2+ZpX9aWc\n", 4) + "-----END PRIVATE KEY-----\nend\n"
	out, counts := secrets.Cut(text)
	check.Equal(t, "it", "key: [cut: aws-access-key]\nagain: [cut: aws-access-key]\n[cut: private-key]\n\n\n\n\n\nend\n",
		out)
	check.Equal(t, "it", map[string]int{"aws-access-key": 2, "private-key": 1}, counts)
}

func TestSecrets_OnlyTheSecretGoes(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a password in an address": {"use postgres://app:kP9fLw2xQe@db:5432/main",
			"use postgres://app:[cut: postgres-password]@db:5432/main"},
		"with a slash in it": {"postgres://app:kP9/fLw2@xQe@db/main?x=1@2",
			"postgres://app:[cut: postgres-password]@db/main?x=1@2"},
		"a key at a sentence's end": {"It is " + planted + ".", "It is [cut: aws-access-key]."},
		"in JSON": {`{"password": "kP9fLw2xQe", "user": "app"}`,
			`{"password": "[cut: password]", "user": "app"}`},
		"in JSON in JSON":     {`{"m": "{\"password\": \"kP9fLw2xQe\"}"}`, `{"m": "{\"password\": \"[cut: password]\"}"}`},
		"in XML":              {"<password>kP9fLw2xQe</password>", "<password>[cut: password]</password>"},
		"a flag":              {"mysql --password=kP9fLw2xQe --host db", "mysql --password=[cut: password] --host db"},
		"a flag with a blank": {"clerk --api-key kP9fLw2xQe7Zr --host db", "clerk --api-key [cut: api-key] --host db"},
		"curl":                {"curl -u app:kP9fLw2xQe https://x", "curl -u app:[cut: password] https://x"},
		"a Docker login": {`{"auths": {"x": {"auth": "YXBwOmtQOWZMdzJ4UWU="}}}`,
			`{"auths": {"x": {"auth": "[cut: docker-auth]"}}}`},
		"within base64": {"data: " + "cGFzc3dvcmQ6IGtQOWZMdzJ4UWUgYW5kIG1vcmUgd29yZHM=",
			"data: cGFzc3dvcmQ6[cut: password]" + "YW5kIG1vcmUgd29yZHM="},
		"two literals": {`k = "` + planted[:9] + `" + "` + planted[9:] + `" // it`, `k = "[cut: aws-access-key]" // it`},
		"a key without an end": {"-----BEGIN RSA PRIVATE KEY-----\nkR7d/Qm2+ZpX9aWckR7d/Qm2+ZpX9aWc\nThat was it.",
			"[cut: rsa-private-key]\n\nThat was it."},
	} {
		out, _ := secrets.Cut(test.text)
		again, _ := secrets.Cut(out)
		check.Is(t, name, test.want, out)
		check.Is(t, name+", cut again", out, again)
	}
}

func TestSecrets_ExamplesAndReferencesStay(t *testing.T) {
	for _, text := range []string{"AKIAIOSFODNN7EXAMPLE",
		"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "password = changeme", `password: "********"`,
		"password = ${DB_PASSWORD}", "password: {{ .Values.password }}", `password = os.Getenv("DB_PASSWORD")`,
		"postgres://user:password@localhost/db", "postgres://postgres:postgres@localhost/db", "https://user:<password>@host/",
		"redis://:$REDIS_PASSWORD@host", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"token: 123e4567-e89b-12d3-a456-426614174000", "commit 356a192b7913b04c54574d18c28d46e6395428ab",
		"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-key-here-00000000000000000000",
		"The private key begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
		"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
		"token := p.next() // secret: none", "the secret is that task-12345678901234567890 is done", "maxTokens: 4096",
		"[cut: password]", "password = [cut: password]"} {
		out, _ := secrets.Cut(text)
		check.Is(t, "the text", text, out)
	}
}

func FuzzCut(f *testing.F) {
	for _, fam := range listedFamilies(f, issued) {
		f.Add(fam.with(expand(drawLots(1), fam.value)))
	}
	for _, s := range []string{"", "\u200b", "%", "%4", "\\", "\\u", "\xff\xfe", "-----begin ", "-----BEGIN ",
		"putty-user-key-file-Private-Lines:", "password=\"", "://a:b@c", "sig=?sig=", strings.Repeat("eyJ.", 9)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out, counts := secrets.Cut(s)
		if strings.Count(out, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q became %q: the lines were changed", s, out)
		}
		n := 0
		for _, c := range counts {
			n += c
		}
		if strings.Count(out, "[cut: ") < n || n == 0 && out != s {
			t.Fatalf("%q became %q with %v", s, out, counts)
		}
		last := 0
		for _, found := range secrets.Find(s) {
			if found.Start < last || found.End <= found.Start || found.End > len(s) || found.Kind == "" {
				t.Fatalf("%q: %+v after %d", s, found, last)
			}
			last = found.End
		}
	})
}
