package pdfium

import (
	"context"
	"encoding/binary"
	"strings"
)

// Annotation is a note on a page or a form field.
type Annotation struct {
	// Contents is the text of a note.
	Contents string
	// Field reports whether the annotation is a form field.
	Field bool
	// Label is the name of a field that people see; it is often "".
	Label string
	// Name is the internal name of a field.
	Name string
	// Value is the content of a field. For a checkbox it says whether the box
	// is checked.
	Value string
}

// Kinds of annotations.
const (
	textNote      = 1
	freeText      = 3
	highlight     = 9
	underline     = 10
	squiggly      = 11
	strikeOut     = 12
	fieldOfForm   = 20
	hiddenFlag    = 2
	passwordField = 1 << 13
)

// Kinds of form fields.
const (
	checkBox    = 2
	radioButton = 3
	comboBox    = 4
	listBox     = 5
	textField   = 6
)

// maxOptions bounds the options that are read from a list.
const maxOptions = 1000

// Annotations returns the number of annotations of the page.
func (p *Page) Annotations(ctx context.Context) (int, error) {
	n, err := p.Call(ctx, "FPDFPage_GetAnnotCount", p.Handle)
	return max(int(int32(n)), 0), err
}

// Annotation reads an annotation. The result is empty if the annotation is
// neither a note nor a field with a value.
func (p *Page) Annotation(ctx context.Context, index int) (Annotation, error) {
	var a Annotation
	at, err := p.Call(ctx, "FPDFPage_GetAnnot", p.Handle, uint64(index))
	if err != nil || at == 0 {
		return a, err
	}
	kind, err := p.Call(ctx, "FPDFAnnot_GetSubtype", at)
	if err != nil {
		return a, err
	}
	switch kind {
	case textNote, freeText, highlight, underline, squiggly, strikeOut:
		if a.Contents, err = p.Named(ctx, "FPDFAnnot_GetStringValue", at, "Contents"); err != nil {
			return a, err
		}
	case fieldOfForm:
		if err := p.readField(ctx, at, &a); err != nil {
			return a, err
		}
	}
	_, err = p.Call(ctx, "FPDFPage_CloseAnnot", at)
	return a, err
}

// formInfoBytes is larger than FPDF_FORMFILLINFO, which begins with its
// version.
const (
	formInfoBytes   = 512
	formInfoVersion = 1
)

// forms returns the handle for reading fields.
func (d *Document) forms(ctx context.Context) (uint64, error) {
	if d.form != 0 {
		return d.form, nil
	}
	at, err := d.Sandbox.Alloc(ctx, formInfoBytes)
	if err != nil {
		return 0, err
	}
	b, err := d.Sandbox.Bytes(at, formInfoBytes)
	if err != nil {
		return 0, err
	}
	clear(b)
	binary.LittleEndian.PutUint32(b, formInfoVersion)
	d.form, err = d.Call(ctx, "FPDFDOC_InitFormFillEnvironment", d.handle, uint64(at))
	return d.form, err
}

// readField reads a form field.
func (p *Page) readField(ctx context.Context, at uint64, a *Annotation) error {
	form, err := p.forms(ctx)
	if err != nil || form == 0 {
		return err
	}
	flags, err := p.Call(ctx, "FPDFAnnot_GetFlags", at)
	if err != nil || flags&hiddenFlag != 0 {
		return err
	}
	kind, err := p.Call(ctx, "FPDFAnnot_GetFormFieldType", form, at)
	if err != nil {
		return err
	}
	switch kind {
	case checkBox, radioButton:
		state, err := p.Named(ctx, "FPDFAnnot_GetStringValue", at, "AS")
		if err != nil {
			return err
		}
		switch on := state != "" && state != "Off"; {
		case on && kind == radioButton:
			if a.Value, err = p.String(ctx, "FPDFAnnot_GetFormFieldExportValue", form, at); err != nil {
				return err
			}
		case on:
			a.Value = "yes"
		case kind == checkBox:
			a.Value = "no"
		}
	case textField:
		of, err := p.Call(ctx, "FPDFAnnot_GetFormFieldFlags", form, at)
		if err != nil || of&passwordField != 0 {
			return err
		}
		if a.Value, err = p.String(ctx, "FPDFAnnot_GetFormFieldValue", form, at); err != nil {
			return err
		}
	case comboBox, listBox:
		if a.Value, err = p.chosen(ctx, form, at); err != nil {
			return err
		}
	default:
		return nil
	}
	a.Field = true
	if a.Label, err = p.String(ctx, "FPDFAnnot_GetFormFieldAlternateName", form, at); err != nil {
		return err
	}
	a.Name, err = p.String(ctx, "FPDFAnnot_GetFormFieldName", form, at)
	return err
}

// chosen returns the selected options of a list. Without any, it returns the value.
func (p *Page) chosen(ctx context.Context, form, at uint64) (string, error) {
	n, err := p.Call(ctx, "FPDFAnnot_GetOptionCount", form, at)
	if err != nil {
		return "", err
	}
	var labels []string
	for i := range uint64(min(max(int32(n), 0), maxOptions)) {
		on, err := p.Call(ctx, "FPDFAnnot_IsOptionSelected", form, at, i)
		if err != nil {
			return "", err
		}
		if uint32(on) == 0 {
			continue
		}
		label, err := p.String(ctx, "FPDFAnnot_GetOptionLabel", form, at, i)
		if err != nil {
			return "", err
		}
		labels = append(labels, label)
	}
	if len(labels) > 0 {
		return strings.Join(labels, ", "), nil
	}
	return p.String(ctx, "FPDFAnnot_GetFormFieldValue", form, at)
}

// ShowsAnything reports whether the page draws anything.
func (p *Page) ShowsAnything(ctx context.Context) (bool, error) {
	n, err := p.Call(ctx, "FPDFPage_CountObjects", p.Handle)
	return int32(n) > 0, err
}
