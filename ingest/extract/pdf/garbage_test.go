package pdf

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// honest are meaningful texts. Some are hard to distinguish from nonsense.
var honest = map[string]string{
	"English":    "The pump stands in the cellar of the house. Its motor is started by hand, after all valves but the one at the end of the feed line have been closed. Then the pressure is read at the gauge and noted in the book of the plant. Workers without training must never open switches, because electric current remains dangerous several minutes longer than anybody would expect from such equipment.",
	"Polish":     "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa, bez względu na język, wyznanie i pochodzenie.",
	"Finnish":    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä kaikissa oloissa ja joka paikassa.",
	"Turkish":    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler, her yerde ve her zaman böyle davranmalıdırlar.",
	"Welsh":      "Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau. Fe'u cynysgaeddir â rheswm a chydwybod, a dylai pawb ymddwyn y naill at y llall mewn ysbryd cymodlon, ymhob man ac ar bob adeg o'r flwyddyn gron.",
	"Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người đều được tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình anh em, ở mọi nơi và mọi lúc.",
	"Hungarian":  "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek mindenütt és minden időben.",
	"Basque":     "Gizon-emakume guztiak aske jaiotzen dira, duintasun eta eskubide berberak dituztela; eta ezaguera eta kontzientzia dutenez gero, elkarren artean senide legez jokatu beharra dute, leku guztietan eta beti.",
	"Greek":      "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση.",
	"numbers":    "12.5 % 14.8 % (3.2) 17,400 $ 19/20 [4] 12:30 +4 -7 #12 8 & 9 100 % 12.5 % (3.3) 18,400 $ 21/22 [5] 13:30 #13",
	"code":       `\def\next#1{\ifx#1\relax\else\expandafter\next\fi} for (i = 0; i < n; i++) { a[i] = b[i] & 0x7f; } if (!p || *p == '%') return ~0; \begin{tabular}{|l|r|} x & y \\ \hline`,
	"leaders":    "Preface . . . . . . . . . . . . . . . . . . . . 3 Pumps . . . . . . . . . . . . . . . . . . . . . . . . . 17",
}

func asPage(text string) []line {
	return slices.Repeat([]line{{text: text}}, 12)
}

func TestNonsense(t *testing.T) {
	t.Parallel()
	for name, text := range honest {
		if nonsense(asPage(text)) {
			t.Errorf("%s is taken for nonsense", name)
		}
	}
	shifted := func(by rune) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLower(r) && r < unicode.MaxASCII {
				return 'a' + (r-'a'+by)%26
			}
			return r
		}, honest["English"])
	}
	for name, text := range map[string]string{
		"letters shifted by one": shifted(1), "letters shifted by three": shifted(3),
		"signs": `%(-.48&79)& ! (-.45) 1 "#$ 2'&3 (.)*5 /0 &%$ (*6& 4'%" 7#(& )%*! "&8 '($5 %&/ (9)`,
	} {
		if !nonsense(asPage(text)) {
			t.Errorf("%s are not found", name)
		}
	}
}
