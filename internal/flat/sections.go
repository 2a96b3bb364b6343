package flat

import (
	"encoding/binary"
	"errors"
	"io"
)

// WriteSections writes the outputs of several functions one after the other, and
// then their lengths. Each is empty or a stream, so that all numbers are aligned.
func WriteSections(to io.Writer, sections ...func(io.Writer) error) error {
	out := &counter{to: to}
	var lengths []byte
	for _, write := range sections {
		start := out.n
		if err := write(out); err != nil {
			return err
		}
		lengths = binary.LittleEndian.AppendUint64(lengths, uint64(out.n-start))
	}
	_, err := to.Write(binary.LittleEndian.AppendUint64(lengths, uint64(len(sections))))
	return err
}

// counter counts the written bytes.
type counter struct {
	to io.Writer
	n  int
}

func (c *counter) Write(data []byte) (int, error) {
	n, err := c.to.Write(data)
	c.n += n
	return n, err
}

// maxSections limits the sections of a file. The number in a file of another kind could
// ask for gigabytes.
const maxSections = 1 << 10

var errSections = errors.New("its sections do not fit together")

// Sections divides the output of WriteSections.
func Sections(data []byte) ([][]byte, error) {
	const size = 8
	if len(data) < size {
		return nil, errSections
	}
	data, last := data[:len(data)-size], data[len(data)-size:]
	n := binary.LittleEndian.Uint64(last)
	if n > min(maxSections, uint64(len(data)/size)) {
		return nil, errSections
	}
	data, lengths := data[:len(data)-int(n)*size], data[len(data)-int(n)*size:]
	out := make([][]byte, n)
	for i := range out {
		length := binary.LittleEndian.Uint64(lengths[i*size:])
		if length > uint64(len(data)) {
			return nil, errSections
		}
		out[i], data = data[:length:length], data[length:]
	}
	if len(data) > 0 {
		return nil, errSections
	}
	return out, nil
}
