package rtf_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office/rtf"
)

func TestRTF(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, rtf.Read, extracttest.File(t, "../testdata/manual.rtf"), "Pump manual", `p ACME Pumps
h1 Pump manual
h1 Installation
p The area is 5 m² of CO₂, Größe × 2, Насос, ポンプ.
li 1. Unpack the pump
li 2. Fill it with oil
li - Spare seal
li - Spare valve
h2 Settings
th Name | Default | Meaning
tr pressure | 4 bar | the working pressure
tr pressure | 6 bar | the most
p A picture:
p The end.
p Confidential
`)
}

func TestRTFWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, want string }{
		"hex":         {`Gr\'f6\'dfe`, "p Größe\n"},
		"fonts":       {`{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}{\f3\fcharset161 D;}}\f1 \'cd\'e0\'f1\'ee\'f1 {\f2 \'83\'7c\'83\'93\'83v} {\f3 \'e1\'e2} \f0 \'e9`, "p Насос ポンプ αβ é\n"},
		"page":        {`\ansicpg1251 \'cd\'e0`, "p На\n"},
		"unicode":     {`\u1053?\u-3913?\u55357?\u56832?{\uc2\u1072\'aa\'bb}{\uc0\u1073}x`, "p Н•😀абx\n"},
		"breaks":      {"one\\par two\\line three\\\nfour", "p one\np two\\nthree\np four\n"},
		"signs":       {`a\~b\_c\-d \{e\}\\ \endash`, "p a b-cd {e}\\ –\n"},
		"styles":      {`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s7 Title;}{\s8 toc 1;}}\pard\s7 Name\par\pard\s1 Part\par\pard\s8 Part 1\par\pard\outlinelevel1 Sub\par\pard text`, "h1 Name\nh1 Part\nh2 Sub\np text\n"},
		"skipped":     {`{\*\unknown gone}{\pict 0102}{\object{\*\objdata 00}{\result shown}}{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}{\v hidden}{\deleted gone}{\*\annotation gone}`, "p shownlink\n"},
		"binary":      {"a\\bin5 {{{{{b", "p ab\n"},
		"note":        {`Text{\super\chftn}{\footnote{\super\chftn} A note.} more\par`, "p Text more\np A note.\n"},
		"table":       {`\trowd\clvmgf\cellx1\cellx2\intbl a\cell 1\cell\row\trowd\clvmrg\cellx1\cellx2\intbl\cell 2\cell\row\pard text`, "tr a | 1\ntr a | 2\np text\n"},
		"header row":  {`\trowd\trhdr\cellx1\intbl 1\cell\row\trowd\cellx1\intbl 2\cell\row\pard`, "th 1\ntr 2\n"},
		"list":        {`{\listtext\'b7\tab}one\par{\pntext 2.\tab}two\par`, "li - one\nli 2. two\n"},
		"boxes":       {`{\fonttbl{\f3\fnil Wingdings;}{\f4\fnil Wingdings 2;}}{\f3\u-3842\'3f} a {\f3\u-3928\'3f} b {\f4\u-4014\'3f} c {\f3 o} d\par`, "p ☑ a ☐ b ☑ c ☐ d\n"},
		"struck":      {`The notice is {\strike six }nine months, the fee \striked1 ten\striked0  twelve.\par`, "p The notice is nine months, the fee twelve.\n"},
		"numbers":     {`\trowd\cellx1\intbl{\listtext 1.\tab}one\par{\listtext 2.\tab}two\cell\row\pard\outlinelevel0{\listtext 2.2\tab}Tenant\par`, "tr 1. one 2. two\nh1 2.2 Tenant\n"},
		"both forms":  {`{\upr{ansi}{\*\ud{\u1078?}}}`, "p ж\n"},
		"header":      {`{\header ACME}{\header ACME}{\footer Page \chpgn}text`, "p ACME\np text\n"},
		"scripts":     {`H{\sub 2}O is m{\super 3}, x{\sub max}`, "p H₂O is m³, x_max\n"},
		"symbol font": {`{\fonttbl{\f3\fcharset2 Symbol;}}{\f3\'b7} x`, "p • x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			title := ""
			if name == "styles" {
				title = "Name"
			}
			extracttest.Check(t, rtf.Read, []byte(`{\rtf1\ansi `+tt.body+`}trailing`), title, tt.want)
		})
	}
}

func TestRTFHostile(t *testing.T) {
	t.Parallel()
	const n = 1 << 17
	for _, body := range []string{
		strings.Repeat(`{\par`, 1500) + "text",
		strings.Repeat(`}`, n) + "text",
		strings.Repeat(`\trowd\cellx1\intbl a\cell\row`, n/16),
		strings.Repeat(`\cell`, n),
		strings.Repeat(`\clvmrg\cellx1`, n) + `a\cell\row` + strings.Repeat(`\cell\row`, n/16),
		strings.Repeat(`{\footnote a}`, n/16),
		strings.Repeat(`{\header a}{\footer b}`, n/16),
		`\bin999999999 a`, `\bin-5 a`, `\u`, `\'`, `\'z`, `\`, `\uc999999999\u1 ` + strings.Repeat("a", 40),
		strings.Repeat(`{\fonttbl{\f1\fcharset128}}\f1\'83`, n/64),
	} {
		doc, err := rtf.Read(t.Context(), "a", []byte(`{\rtf1 `+body))
		if err != nil {
			t.Errorf("%.40s: %v", body, err)
			continue
		}
		extracttest.Verify(t, doc)
		if len(doc.Text) > 2*len(body) {
			t.Errorf("%.40s: %d bytes became %d", body, len(body), len(doc.Text))
		}
	}
	_, err := rtf.Read(t.Context(), "a", []byte(strings.Repeat("{", n)))
	extracttest.Refused(t, err, "damaged:")
	if _, err := rtf.Read(extracttest.Canceled(t), "a", []byte(`{\rtf1 a}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func FuzzRTF(f *testing.F) {
	f.Add([]byte(`{\rtf1\ansi\ansicpg932{\fonttbl{\f0\fcharset128 A;}}{\stylesheet{\s1 heading 1;}}\pard\s1 a\par{\*\x y}\trowd\trhdr\clvmrg\cellx1\intbl b\cell\row{\footnote c}\u-1?\'83\'7c{\upr{a}{\*\ud b}}\bin3 abc}`))
	f.Add(extracttest.File(f, "../testdata/manual.rtf"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		extracttest.FuzzRead(t, rtf.Read, data)
	})
}
