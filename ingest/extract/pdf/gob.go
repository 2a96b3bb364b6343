package pdf

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
)

// wirePage is a Page in the form in which processes exchange it, with its
// letters in columns.
type wirePage struct {
	Index, Pages  int
	Label         string
	Width, Height float64
	Chars         []rune
	Roles, Upward []byte
	Boxes         []float32 // four for each letter
}

// GobEncode encodes the page with its letters.
func (p *Page) GobEncode() ([]byte, error) {
	w := wirePage{Index: p.Index, Pages: p.Pages, Label: p.Label, Width: p.Width, Height: p.Height}
	for _, l := range p.letters {
		up := byte(0)
		if l.upward {
			up = 1
		}
		w.Chars, w.Roles, w.Upward = append(w.Chars, l.char), append(w.Roles, byte(l.role)), append(w.Upward, up)
		w.Boxes = append(w.Boxes, l.box.left, l.box.top, l.box.right, l.box.bottom)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(w); err != nil {
		return nil, fmt.Errorf("encode a page: %w", err)
	}
	return b.Bytes(), nil
}

// GobDecode decodes the result of GobEncode. It fails for other data.
func (p *Page) GobDecode(data []byte) error {
	var w wirePage
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&w); err != nil {
		return fmt.Errorf("decode a page: %w", err)
	}
	n := len(w.Chars)
	if n > maxPageLetters || len(w.Roles) != n || len(w.Upward) != n || len(w.Boxes) != 4*n {
		return errors.New("decode a page: its letters do not fit together")
	}
	*p = Page{Index: w.Index, Pages: w.Pages, Label: w.Label, Width: w.Width, Height: w.Height, letters: make([]letter, n)}
	for i := range p.letters {
		b := w.Boxes[4*i:]
		p.letters[i] = letter{
			char: w.Chars[i], role: role(min(w.Roles[i], byte(spoken))), upward: w.Upward[i] != 0,
			box: box{b[0], b[1], b[2], b[3]},
		}
	}
	return nil
}
