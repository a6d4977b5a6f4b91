package secrets_test

import (
	"fmt"
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

// foreignNames are words for a password, a key or a token, by language.
var foreignNames = map[string][]string{
	"Chinese": {"密码", "密碼", "口令", "数据库密码", "密钥", "API密钥", "令牌", "私钥", "DB密码"}, "Hindi": {"पासवर्ड", "कूटशब्द"},
	"Spanish": {"contraseña", "Contraseña", "CONTRASEÑA", "contrasena", "clave", "clave de acceso", "clave API"},
	"Arabic":  {"كلمة المرور", "كلمة السر", "الرقم السري"},
	"French":  {"mot de passe", "Mot de passe", "mdp", "clé API", "clé d'API", "jeton d'accès", "clé secrète"},
	"Bengali": {"পাসওয়ার্ড"}, "Portuguese": {"senha", "palavra-passe", "chave secreta", "chave de API"},
	"Russian":    {"пароль", "Пароль", "ПАРОЛЬ", "токен", "ключ API", "секретный ключ"},
	"Indonesian": {"kata sandi", "Kata Sandi", "sandi"}, "Malay": {"kata laluan"}, "Urdu": {"پاس ورڈ", "پاسورڈ"},
	"German":   {"Passwort", "Kennwort", "API-Schlüssel", "Zugangsschlüssel", "datenbank_kennwort"},
	"Japanese": {"パスワード", "管理者パスワード", "暗証番号", "パスフレーズ", "APIキー", "トークン", "秘密鍵"}, "Marathi": {"संकेतशब्द"},
	"Vietnamese": {"mật khẩu", "Mật khẩu", "mat khau"}, "Telugu": {"పాస్\u200cవర్డ్"},
	"Turkish": {"şifre", "Şifre", "ŞİFRE", "ŞIFRE", "sifre", "parola", "db_şifre", "gizli anahtar"},
	"Punjabi": {"ਪਾਸਵਰਡ"}, "Swahili": {"nenosiri", "neno la siri", "nywila"}, "Tamil": {"கடவுச்சொல்"},
	"Persian": {"رمز عبور", "گذرواژه", "کلمه عبور"}, "Korean": {"비밀번호", "암호", "패스워드", "토큰", "API 키"},
	"Thai": {"รหัสผ่าน"}, "Javanese": {"tembung sandi"},
	"Italian": {"parola d'ordine", "chiave API", "chiave segreta"}, "Gujarati": {"પાસવર્ડ"},
	"Kannada": {"ಪಾಸ್\u200cವರ್ಡ್", "ಗುಪ್ತಪದ"}, "Malayalam": {"പാസ്\u200cവേഡ്"}, "Hausa": {"kalmar sirri"},
	"Dutch": {"wachtwoord", "Wachtwoord", "toegangscode"}, "Swedish": {"lösenord", "LÖSENORD"},
	"Danish": {"adgangskode"}, "Norwegian": {"passord"}, "Finnish": {"salasana"},
	"Polish": {"hasło", "haslo", "klucz API"}, "Czech": {"heslo", "klíč API"}, "Hungarian": {"jelszó"},
	"Romanian": {"parolă"}, "Ukrainian": {"пароль"}, "Bulgarian": {"парола"}, "Serbian": {"лозинка", "lozinka"},
	"Greek": {"κωδικός", "κωδικός πρόσβασης", "Κωδικός"}, "Hebrew": {"סיסמה", "סיסמא"}, "Lao": {"ລະຫັດຜ່ານ"},
	"Khmer": {"ពាក្យសម្ងាត់"}, "Burmese": {"စကားဝှက်"}, "Amharic": {"የይለፍ ቃል"}, "Armenian": {"գաղտնաբառ"},
	"Georgian": {"პაროლი"}, "Kazakh": {"құпия сөз"},
}

// planted3 has a digit, so that it is no word, and no form of an issuer.
const planted3 = "hunter2-" + "Zq9-x41"

// Passwords under names that are not English passed whole: "密码：…", "пароль: …", "şifre=…".
func TestNames_OfOtherLanguages(t *testing.T) {
	forms := []string{"%s: %s", "%s=%s", "%s：%s", "%s＝%s", "%s﹕%s", "%s = \"%s\"", "{\"%s\": \"%s\"}", "- %s : %s",
		"%s：「%s」", "host: db1\n%s: %s\nuser: app", "<p>%s：%s</p>", "# ok %s: %s."}
	for language, names := range foreignNames {
		for _, name := range names {
			for _, form := range forms {
				text := fmt.Sprintf(form, name, planted3)
				if out, _ := secrets.Cut(text); strings.Contains(out, "Zq9") || !strings.Contains(out, name) {
					t.Errorf("%s: %s\nbecame\n%s", language, text, out)
				}
			}
		}
	}
	for _, text := range []string{"password：%", "DB_PASSWORD＝%", "ｐａｓｓｗｏｒｄ：%", "密码是%", "密码是 %。", "密码：%，请妥善保管。",
		"密码：%请妥善保管", "パスワードは「%」です。", "пароль от базы: %", "Пароль для сервера — %", "| 用户 | 密码 |\n|---|---|\n| app | % |",
		"用户,密码\napp,%\n", "API_KEY﹕%", "la contraseña es %", "Das Passwort lautet %", "le mot de passe est %",
		"--пароль=%"} {
		text := strings.ReplaceAll(text, "%", planted3)
		if out, _ := secrets.Cut(text); strings.Contains(out, "Zq9") {
			t.Errorf("%s\nbecame\n%s", text, out)
		}
	}
}

func TestNames_ProseOfOtherLanguagesStays(t *testing.T) {
	for _, text := range []string{"密码应当定期更换。", "密码：至少8个字符，包含数字", "请输入密码：", "请输入您的密码：\n确定\n", "密码长度: 12345678",
		"两次输入的密码不一致2024年", "使用SHA256-HMAC密钥", "密码SHA256算法", "Ein Passwort ist Pflicht.",
		"Passwort: mindestens 8 Zeichen, davon 2 Ziffern", "the password policy: rotate yearly",
		"пароль: обязательное поле", "Пароль: минимум 8 символов", "пароль: обязателен", "Введите пароль: ",
		"パスワード：8文字以上で入力してください", "パスワードを再設定する", "비밀번호: 8자 이상", "비밀번호를 입력하세요 2024", "contraseña: obligatoria",
		"La contraseña debe tener 8 caracteres", "clave: valor", "palabra clave: seguridad2024", "كلمة المرور: مطلوبة",
		"şifre: zorunlu", "mật khẩu: bắt buộc", "wachtwoord: verplicht", "mot de passe : obligatoire", "密码：${DB_PASSWORD}",
		"密码：********", "пароль: changeme", "密码 = getPassword2(config)", "Passwort：siehe Tresor 12"} {
		out, _ := secrets.Cut(text)
		check.Is(t, "the text", text, out)
	}
}
