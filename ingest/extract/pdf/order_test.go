package pdf

import (
	"fmt"
	"strings"
	"testing"
)

// pageOf returns the lines of a page with letters of 10 points.
func pageOf(texts ...string) []line {
	var lines []line
	for _, text := range texts {
		lines = append(lines, line{text: text, size: 10})
	}
	return lines
}

func show(lines []line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.text)
	}
	return strings.Join(out, "\n")
}

func TestRightToLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ drawn, want []string }{
		{[]string{"המשאבה )הגדולה( נבדקת", "ראו סעיף ,3.2 עמוד .17 ארגון"}, []string{"המשאבה (הגדולה) נבדקת", "ראו סעיף 3.2, עמוד 17. ארגון"}},
		{[]string{"ארגון )WHO )פרסם ]ראו 5[."}, []string{"ארגון (WHO) פרסם [ראו 5]."}},
		{[]string{"המקרה )שבו הסוגריים", "נסגרים( בשורה אחרת"}, []string{"המקרה (שבו הסוגריים", "נסגרים) בשורה אחרת"}},
		{[]string{"הדלת (סגורה) עכשיו"}, []string{"הדלת (סגורה) עכשיו"}},
		{[]string{"المضخة )الكبيرة( ،3.2 الصفحة .17 نشرت"}, []string{"المضخة (الكبيرة) 3.2، الصفحة 17. نشرت"}},
		{[]string{"a )b( c .5 d"}, []string{"a )b( c .5 d"}},
	} {
		page := pageOf(tt.drawn...)
		rightToLeft(page)
		if got, want := show(page), strings.Join(tt.want, "\n"); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestWatermarks(t *testing.T) {
	t.Parallel()
	stamp := line{text: "DRAFT COPY", size: 70, turn: oblique}
	for name, tt := range map[string]struct {
		mark line
		kept bool
	}{
		"oblique":      {stamp, false},
		"small":        {line{text: "for Vera Quist", size: 10, turn: oblique}, false},
		"level":        {line{text: "CONFIDENTIAL", size: 40}, false},
		"large title":  {line{text: "Care of the ferry", size: 40}, true},
		"stamped text": {line{text: "Draft", size: 10}, true},
	} {
		pages := [][]line{append(pageOf("The oil is changed."), tt.mark), append(pageOf("The anchor hangs."), tt.mark)}
		dropWatermarks(pages)
		if kept := strings.Contains(show(pages[1]), tt.mark.text); kept != tt.kept {
			t.Errorf("%s: kept %v:\n%s", name, kept, show(pages[1]))
		}
	}
	alone := [][]line{{stamp}}
	if dropWatermarks(alone); show(alone[0]) != "DRAFT COPY" {
		t.Error("a page without other text keeps its watermark")
	}
	label := [][]line{append(pageOf("The oil is changed."), line{text: "January", size: 8, turn: oblique}), pageOf("More text.")}
	if dropWatermarks(label); !strings.Contains(show(label[0]), "January") {
		t.Error("an oblique label of a chart is no watermark")
	}
}

func TestDividedAtPageEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ last, next, wantLast, wantNext string }{
		{"the second inspec-", "tion of the valve", "the second inspection", "of the valve"},
		{"the second inspec-", "tion. Then rest", "the second inspection.", "Then rest"},
		{"see part A-", "tion of the valve", "see part A-", "tion of the valve"},
		{"the second -", "tion of the valve", "the second -", "tion of the valve"},
		{"from Monday-", "Friday it rests", "from Monday-", "Friday it rests"},
	} {
		pages := [][]line{pageOf("a", tt.last, ""), pageOf("", tt.next)}
		joinDivided(pages)
		if pages[0][1].text != tt.wantLast || pages[1][1].text != tt.wantNext {
			t.Errorf("%q and %q become %q and %q", tt.last, tt.next, pages[0][1].text, pages[1][1].text)
		}
	}
}

// TestTurnedHeader reads a table whose columns have names that run up the page.
func TestTurnedHeader(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	add := func(x, y int, upward bool, text string) {
		matrix := "1 0 0 1"
		if upward {
			matrix = "0 1 -1 0"
		}
		fmt.Fprintf(&content, "BT /F1 10 Tf %s %d %d Tm (%s) Tj ET\n", matrix, x, y, text)
	}
	add(60, 760, false, "The rota tells which crew serves each hook on each day of the week.")
	add(60, 740, false, "The foreman changes it every spring and signs each page before it is used.")
	add(60, 600, false, "Item")
	for i, name := range []string{"Monday crew", "Tuesday crew", "Load limit"} {
		add(180+i*100, 600, true, name)
	}
	for i := range 3 {
		for k, text := range []string{"Hook 1", "Team A", "Team D", "11 t"} {
			add(60+k*100, 580-i*16, false, text)
		}
	}
	doc, err := newReader(t).Read(t.Context(), "", onePage(content.String(), "", ""))
	if err != nil || !strings.Contains(doc.Text, "Item | Monday crew | Tuesday crew | Load limit\nHook 1 | Team A | Team D | 11 t") {
		t.Errorf("got %v, %v", doc, err)
	}
}
