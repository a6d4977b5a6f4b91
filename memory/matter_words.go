package memory

import "strings"

// functionWords say how a sentence is built, not what it is about. A language whose words are not here is compared
// more strictly.
var functionWords = wordSet(`
a an the this that these those it its we our us you your they their them i my he she his her one
is are was were be been being am do does did have has had will would shall should can could may might must
of in on at to for from by with as into about than then so and or but if whether there here
which who what when where how why also still now yet already again just today

der die das den dem des ein eine einen einem einer eines wir uns unser unsere unseren ihr ihre sie es er ich
ist sind war waren sein wird werden wurde wurden soll sollen sollte sollten kann können könnte darf dürfen muss müssen
haben hat hatte und oder aber ob wenn dass zu zum zur im am auf aus bei mit nach von vom für über als wie noch jetzt
schon auch heute

le la les un une du de nous notre est sont doit devons devrions faut et ou mais que qui pour par dans sur avec au aux ce
cette ces maintenant

el los las una unos unas del nosotros es son debe debemos deberíamos y o pero si para por en con ahora
`)

// negations turn a statement into its opposite.
var negations = wordSet(`
not no never none neither nor cannot cant dont doesnt didnt wont isnt arent wasnt shouldnt mustnt without
nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans nunca sin
`)

// runNegations are those of scripts without spaces.
var runNegations = []string{"ไม่", "ห้าม", "不", "没", "沒", "無", "无", "勿", "ない", "ません"}

func wordSet(words string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		s[w] = true
	}
	return s
}
