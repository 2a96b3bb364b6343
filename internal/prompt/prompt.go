// Package prompt fills in the templates that prompts for models are written in.
//
// They are text/template's, but of its language only what prompts need: fields,
// the dot, if, with, range, else, and eq of two texts. The standard library's
// engine can call any method of what it is given, for which the linker has to
// keep all methods of all types: a tenth of the program.
package prompt

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"text/template/parse"
)

// ending is what the files of templates end with.
const ending = ".tmpl"

// Set is templates by name. It is safe for concurrent use.
type Set struct {
	roots map[string]*parse.ListNode
}

// Must reads the files NAME.tmpl of a folder of fsys. It is for embedded files
// and panics if one cannot be read, or uses what is not in the language.
func Must(fsys fs.FS, folder string) *Set {
	s := &Set{roots: map[string]*parse.ListNode{}}
	files, err := fs.Glob(fsys, path.Join(folder, "*"+ending))
	if err != nil || len(files) == 0 {
		panic(fmt.Sprintf("prompt: no templates in %s: %v", folder, err))
	}
	for _, file := range files {
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			panic(fmt.Sprintf("prompt: %v", err))
		}
		name := strings.TrimSuffix(path.Base(file), ending)
		if s.roots[name], err = read(name, string(text)); err != nil {
			panic(fmt.Sprintf("prompt: %v", err))
		}
	}
	return s
}

// read parses a template and checks that Fill knows all that is in it.
func read(name, text string) (*parse.ListNode, error) {
	trees, err := parse.Parse(name, text, "", "", map[string]any{"eq": true})
	if err != nil {
		return nil, err
	}
	if len(trees) != 1 || trees[name] == nil {
		if strings.TrimSpace(text) == "" {
			return &parse.ListNode{}, nil
		}
		return nil, fmt.Errorf("%s: it defines other templates", name)
	}
	root := trees[name].Root
	if err := check(root); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return root, nil
}

func check(node parse.Node) error {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if err := check(child); err != nil {
				return err
			}
		}
		return nil
	case *parse.TextNode, *parse.CommentNode:
		return nil
	case *parse.ActionNode:
		return checkPipe(n.Pipe)
	case *parse.IfNode:
		return checkBranch(&n.BranchNode)
	case *parse.WithNode:
		return checkBranch(&n.BranchNode)
	case *parse.RangeNode:
		return checkBranch(&n.BranchNode)
	}
	return fmt.Errorf("it uses %s", node)
}

func checkBranch(n *parse.BranchNode) error {
	if err := checkPipe(n.Pipe); err != nil {
		return err
	}
	if err := check(n.List); err != nil {
		return err
	}
	return check(n.ElseList)
}

func checkPipe(p *parse.PipeNode) error {
	if len(p.Decl) == 0 && len(p.Cmds) == 1 {
		args := p.Cmds[0].Args
		if len(args) == 1 && operand(args[0]) || len(args) == 3 && args[0].String() == "eq" && operand(args[1]) && operand(args[2]) {
			return nil
		}
	}
	return fmt.Errorf("it uses %s", p)
}

func operand(n parse.Node) bool {
	switch n.(type) {
	case *parse.FieldNode, *parse.DotNode, *parse.StringNode:
		return true
	}
	return false
}

// Fill returns a template with data filled in, without space at its ends. It is
// an error if there is no such template or data does not have what it names.
func (s *Set) Fill(name string, data any) (string, error) {
	root := s.roots[name]
	if root == nil {
		return "", fmt.Errorf("prompt %s: there is none", name)
	}
	var b strings.Builder
	if err := write(&b, root, reflect.ValueOf(data)); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

func write(b *strings.Builder, node parse.Node, dot reflect.Value) error {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if err := write(b, child, dot); err != nil {
				return err
			}
		}
	case *parse.TextNode:
		b.Write(n.Text)
	case *parse.ActionNode:
		v, err := value(n.Pipe, dot)
		if err != nil {
			return err
		}
		switch v.Kind() {
		case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array, reflect.Func, reflect.Chan:
			return fmt.Errorf("%s is no text", n.Pipe)
		}
		fmt.Fprint(b, v.Interface())
	case *parse.IfNode:
		v, err := value(n.Pipe, dot)
		if err != nil {
			return err
		}
		if holds(v) {
			return write(b, n.List, dot)
		}
		return write(b, n.ElseList, dot)
	case *parse.WithNode:
		v, err := value(n.Pipe, dot)
		if err != nil {
			return err
		}
		if holds(v) {
			return write(b, n.List, v)
		}
		return write(b, n.ElseList, dot)
	case *parse.RangeNode:
		return writeRange(b, n, dot)
	}
	return nil
}

func writeRange(b *strings.Builder, n *parse.RangeNode, dot reflect.Value) error {
	v, err := value(n.Pipe, dot)
	if err != nil {
		return err
	}
	if v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return fmt.Errorf("%s is no list", n.Pipe)
	}
	if v.Len() == 0 {
		return write(b, n.ElseList, dot)
	}
	for i := range v.Len() {
		if err := write(b, n.List, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// value is what stands between a template's braces.
func value(p *parse.PipeNode, dot reflect.Value) (reflect.Value, error) {
	args := p.Cmds[0].Args
	if len(args) == 1 {
		return operandValue(args[0], dot)
	}
	one, err := operandValue(args[1], dot)
	if err != nil {
		return one, err
	}
	other, err := operandValue(args[2], dot)
	if err != nil {
		return other, err
	}
	if one.Kind() != reflect.String || other.Kind() != reflect.String {
		return one, fmt.Errorf("%s compares what is not text", p)
	}
	return reflect.ValueOf(one.String() == other.String()), nil
}

func operandValue(n parse.Node, v reflect.Value) (reflect.Value, error) {
	switch n := n.(type) {
	case *parse.StringNode:
		return reflect.ValueOf(n.Text), nil
	case *parse.FieldNode:
		for _, name := range n.Ident {
			v = plain(v)
			switch {
			case v.Kind() == reflect.Struct:
				v = v.FieldByName(name)
			case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
				v = v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
			default:
				v = reflect.Value{}
			}
			if !v.IsValid() || !v.CanInterface() {
				return v, fmt.Errorf("there is no %s", n)
			}
		}
	}
	if v = plain(v); !v.IsValid() {
		return v, fmt.Errorf("%s has no value", n)
	}
	return v, nil
}

// plain is what pointers and interfaces lead to; the zero Value for nil.
func plain(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// holds reports whether a value is what if and with take for true.
func holds(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return v.Len() > 0
	case reflect.Struct:
		return true
	}
	return !v.IsZero()
}
