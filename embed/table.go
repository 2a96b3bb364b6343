package embed

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"
)

// dimensions is the length of the built-in model's vectors.
const dimensions = 256

// The layout of the table file, little-endian and without padding: the magic
// bytes, three uint32 (version, rows, dimensions), a float32 scale per row, and
// the rows of int8. The vector of row i is scale[i] * int8[i].
const (
	tableMagic   = "DSEM"
	tableVersion = 1
	tableHeader  = 16
)

// tableFile is used in place in the binary. Nothing is decoded at start, and
// only the pages of needed rows are read.
//
//go:embed model/static-v1.bin
var tableFile string

// table is the token table of a static model.
type table struct {
	n      int    // rows
	scales string // float32 per row
	rows   string // dimensions int8 per row
}

// newTable checks a table file and locates its parts.
func newTable(file string) (table, error) {
	if len(file) < tableHeader || file[:4] != tableMagic {
		return table{}, fmt.Errorf("model table: no %s header", tableMagic)
	}
	head := []byte(file[4:tableHeader])
	version, n, d := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])
	if version != tableVersion || d != dimensions || n == 0 || n > math.MaxUint16 {
		return table{}, fmt.Errorf("model table: version %d with %d rows of %d dimensions, want version %d with 1 to %d rows of %d",
			version, n, d, tableVersion, math.MaxUint16, dimensions)
	}
	rows := tableHeader + 4*int(n)
	if want := rows + dimensions*int(n); len(file) != want {
		return table{}, fmt.Errorf("model table: %d bytes, want %d", len(file), want)
	}
	return table{n: int(n), scales: file[tableHeader:rows], rows: file[rows:]}, nil
}

// scale returns row id's scale.
func (t *table) scale(id uint16) float32 {
	s := t.scales[4*int(id):][:4]
	return math.Float32frombits(uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24)
}

// row returns row id's bytes, each an int8.
func (t *table) row(id uint16) string {
	return t.rows[dimensions*int(id):][:dimensions]
}

// sum adds the rows of ids to acc, in order. Ids must be below n, which the
// kernel does not check.
func (t *table) sum(acc *[dimensions]float32, ids []uint16) {
	switch {
	case len(ids) == 0:
	case useAVX2:
		sumRowsAVX2(acc, unsafe.StringData(t.rows), unsafe.StringData(t.scales), &ids[0], len(ids))
	default:
		t.sumGeneric(acc, ids)
	}
}

// dots writes to dst the integer dot product of row q with each row of ids.
func (t *table) dots(dst []int32, q uint16, ids []uint16) {
	if len(ids) == 0 {
		return
	}
	if !useAVX2 {
		t.dotsGeneric(dst, q, ids)
		return
	}
	var wide [dimensions]int16
	row := t.row(q)
	for i := range wide {
		wide[i] = int16(int8(row[i]))
	}
	dotRowsAVX2(&dst[:len(ids)][0], &wide, unsafe.StringData(t.rows), &ids[0], len(ids))
}

// square returns the dot product of row id with itself.
func (t *table) square(id uint16) int32 {
	row := t.row(id)
	if useAVX2 {
		return squareRowAVX2(unsafe.StringData(row))
	}
	return squareGeneric(row)
}
