package index_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/recorder/index"
)

// languages holds texts in many languages, each with queries that find it, separated by " | ".
var languages = []struct{ language, text, queries string }{
	{"Chinese", "我们决定在下周迁移数据库。", "数据 | 数据库 | 迁移 | 迁移数据库 | 下周 | 决 | 库 | 我们 下周 | “数据库”"},
	{"Chinese", "預算委員會批准了新的辦公室租金。", "預算 | 委員會 | 批准 | 辦公室 租金 | 金"},
	{"Chinese", "我们用Kafka代替RabbitMQ，版本3.7。", "kafka | 代替 | 用Kafka | RabbitMQ | 版本3.7"},
	{"Japanese", "データベースの移行を来週に延期する。", "移行 | データ | データベース | ﾃﾞｰﾀﾍﾞｰｽ | 延期 | 来週に延期"},
	{"Japanese", "サーバーのバックアップは毎晩行われます。", "サーバー | バックアップ | 毎晩 | ｻｰﾊﾞｰ"},
	{"Korean", "회의에서 데이터베이스 이전을 결정했다.", "회의 | 데이터베이스 | 이전 | 결정 | 데이터 이전을"},
	{"Korean", "서울 사무실의 임대 계약을 연장합니다.", "서울 | 사무실 | 계약 | 임대 계약 | 연장"},
	{"Thai", "ที่ประชุมตกลงเลื่อนการย้ายฐานข้อมูล", "ประชุม | ฐานข้อมูล | ย้าย | เลื่อน | ข้อมูล"},
	{"Thai", "งบประมาณปีหน้าจะเพิ่มขึ้นสิบเปอร์เซ็นต์", "งบประมาณ | ปีหน้า | เพิ่มขึ้น | เปอร์เซ็นต์"},
	{"Turkish", "İstanbul ofisinin ısıtma sistemi yenilenecek.",
		"İstanbul | istanbul | ISTANBUL | ısıtma | isitma | ISITMA | yenilenecek"},
	{"Turkish", "Ilık su dağıtımı ve kapısı açık dolap.",
		"ılık | ilik | dağıtımı | DAGITIMI | kapısı | KAPISI | kapisi açık"},
	{"German", "Große Straße nach Süden, Maße in Fuß.",
		"strasse suden | Straße | STRASSE | GROSSE | groß | große | Fuss | Masse"},
	{"German", "Die Kündigungsfrist endet am Übergabetag.",
		"Kündigungsfrist | kundigungsfrist | KÜNDIGUNGSFRIST | ubergabetag | Übergabetag"},
	{"French", "La décision sur le déploiement a été adoptée à l'unanimité.",
		"decision deploiement | DÉCISION | adoptée | adoptee | l'unanimité | unanimite | ete"},
	{"French", "Le cœur du système reçoit les données Noël.", "systeme | reçoit | recoit | donnees | noel | NOËL | cœur"},
	{"Spanish", "El año que viene la reunión será en Málaga; ¿cuándo?", "año | ano | reunion | REUNIÓN | malaga | cuando"},
	{"Russian", "Миграция базы данных отложена на неделю.", "миграция | МИГРАЦИЯ данных | базы | отложена | неделю"},
	{"Russian", "Съёмный диск пришёл в офис.", "съёмный | ДИСК | пришёл | офис"},
	{"Greek", "Η απόφαση για τον σοφό διακομιστή και τους σκοπούς.",
		"αποφαση | ΑΠΟΦΑΣΗ | απόφαση | ΣΟΦΟ | διακομιστη | σκοπους | ΣΚΟΠΟΥΣ"},
	{"Vietnamese", "Quyết định hoãn di chuyển cơ sở dữ liệu.", "quyết định | quyet | chuyen | cơ sở | co so du lieu"},
	{"Polish", "Żółta łódź i serwer zapasowy w Łodzi.", "żółta | zołta | serwer | łódź"},
	{"Hindi", "डेटाबेस माइग्रेशन अगले सप्ताह होगा", "माइग्रेशन | डेटाबेस | सप्ताह"},
	{"Arabic", "تم تأجيل ترحيل قاعدة البيانات", "ترحيل | تأجيل | تاجيل | قاعدة البيانات"},
	{"Hebrew", "שָׁלוֹם לכל משתתפי הישיבה", "שלום | שָׁלוֹם | הישיבה"},
	{"code", "Call foo_bar with MAX_RETRY, then parseURL over HTTP/2.",
		"foo_bar | foo | bar | max_retry | MAX_RETRY | parseURL | parseurl | HTTP/2 | http | http 2"},
	{"code", "Release v1.2.3 of node.js fixes CVE-2026-1234 in src/index/put.go:42.",
		"v1.2.3 | node.js | cve-2026-1234 | CVE-2026-1234 | put.go | src/index | put.go:42 | index/put"},
	{"code", "We run C++ and Go 1.26; user@example.org has 42% of x86-64.",
		"c++ | go 1.26 | 42% | user@example.org | example.org | x86-64 | x86"},
	{"other signs", "The ﬁle of ＮＡＴＳ is 5 m² wide, don't move it.", "file | nats | m2 | m² | don't | ﬁle | ＮＡＴＳ"},
}

// normalized spells a text as snippets show it: wide letters are narrow, and the vowels of Hebrew are left out.
var normalized = strings.NewReplacer("ＮＡＴＳ", "NATS", "שָׁלוֹם", "שלום")

// TestSearch_QueriesInManyLanguagesFindTheirText puts all texts into one index, and asks each query alone.
func TestSearch_QueriesInManyLanguagesFindTheirText(t *testing.T) {
	ix := open(t)
	for i, l := range languages {
		put(t, ix, turn(i, 1, l.text))
	}
	asked := 0
	for _, l := range languages {
		for _, query := range strings.Split(l.queries, " | ") {
			asked++
			found := search(t, ix, index.Query{Text: query, Limit: len(languages)})
			var texts []string
			for _, h := range found.Hits {
				texts = append(texts, h.Text)
			}
			if len(texts) == 0 || texts[0] != l.text {
				t.Errorf("%s: %q found %q, want %q first", l.language, query, texts, l.text)
				continue
			}
			if got := found.Hits[0].Snippet; got.Text != normalized.Replace(l.text) || len(got.Marks) == 0 {
				t.Errorf("%s: %q shows %q with the marks %v, want all of %q", l.language, query, got.Text, got.Marks, l.text)
			}
		}
	}
	check.That(t, asked >= 100, "%d queries were asked, want at least 100", asked)
}
