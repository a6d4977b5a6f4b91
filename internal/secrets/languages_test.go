package secrets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/secrets"
)

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
