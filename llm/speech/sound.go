package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"mime"
	"strconv"

	"docent/internal/fault"
	"docent/payload"
)

// Bounds of sound.
const (
	// maxRate is the highest accepted sample rate, in samples per second.
	maxRate = 384_000
	// maxChannels is the highest accepted number of channels.
	maxChannels = 8
	// pcmRate is the rate of samples without a header, as OpenAI sends them.
	pcmRate = 24_000
)

// errSound: the response is not sound in a known format.
var errSound = errors.New("not sound that is understood")

// The sample formats of a WAV file.
const (
	formatPCM        = 1
	formatFloat      = 3
	formatExtensible = 0xfffe // the format is in the first two bytes of the subformat
)

// FileName returns a file name for a recording. It derives the extension from the
// first bytes, because servers rely on the extension. It fails with fault.Invalid
// for formats other than WAV, WebM, Ogg, MP3, M4A, and FLAC.
func FileName(recording []byte) (string, error) {
	b := recording
	begins := func(s string) bool { return bytes.HasPrefix(b, []byte(s)) }
	switch {
	case isWAV(b):
		return "recording.wav", nil
	case begins("\x1aE\xdf\xa3"):
		return "recording.webm", nil
	case begins("OggS"):
		return "recording.ogg", nil
	case begins("fLaC"):
		return "recording.flac", nil
	case len(b) >= 8 && string(b[4:8]) == "ftyp":
		return "recording.m4a", nil
	case begins("ID3"), len(b) >= 2 && b[0] == 0xff && b[1]&0xe6 == 0xe2: // a frame of layer III
		return "recording.mp3", nil
	}
	return "", fault.New(fault.Invalid, "recording_format", "a recording must be WAV, WebM, Ogg, MP3, M4A, or FLAC")
}

// isWAV reports whether a file starts like a WAV file.
func isWAV(b []byte) bool {
	return len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WAVE"
}

// ParseWAV reads a WAV file of 16-bit or 32-bit floating-point samples, without
// converting them. If the sizes in the header are wrong, it reads to the end of
// the file. Some servers write the header before they know the sizes.
func ParseWAV(file []byte) (payload.Audio, error) {
	if !isWAV(file) {
		return payload.Audio{}, fmt.Errorf("%w: no WAV file", errSound)
	}
	var format []byte
	for rest := file[12:]; len(rest) >= 8; {
		size := uint64(binary.LittleEndian.Uint32(rest[4:8]))
		name := string(rest[:4])
		rest = rest[8:]
		chunk := rest[:min(size, uint64(len(rest)))]
		switch name {
		case "fmt ":
			format = chunk
		case "data":
			if size == 0 {
				chunk = rest
			}
			return samples(format, chunk)
		}
		rest = rest[min(size+size%2, uint64(len(rest))):] // chunks begin at even offsets
	}
	return payload.Audio{}, fmt.Errorf("%w: a WAV file without samples", errSound)
}

// samples reads the samples that a format chunk describes.
func samples(format, data []byte) (payload.Audio, error) {
	if len(format) < 16 {
		return payload.Audio{}, fmt.Errorf("%w: a WAV file without a format", errSound)
	}
	kind, channels := binary.LittleEndian.Uint16(format), int(binary.LittleEndian.Uint16(format[2:]))
	rate, bits := binary.LittleEndian.Uint32(format[4:]), binary.LittleEndian.Uint16(format[14:])
	if kind == formatExtensible && len(format) >= 26 {
		kind = binary.LittleEndian.Uint16(format[24:])
	}
	switch {
	case rate < 1 || rate > maxRate || channels < 1 || channels > maxChannels:
		return payload.Audio{}, fmt.Errorf("%w: %d channels of %d samples a second", errSound, channels, rate)
	case kind == formatPCM && bits == 16:
		return pcm(data, int(rate), channels)
	case kind == formatFloat && bits == 32:
		return floats(data, int(rate), channels)
	}
	return payload.Audio{}, fmt.Errorf("%w: samples of format %d and %d bits", errSound, kind, bits)
}

// pcm returns sound of 16-bit samples, little-endian. It drops an incomplete
// last sample.
func pcm(data []byte, rate, channels int) (payload.Audio, error) {
	list := make([]int16, len(data)/2/channels*channels)
	for i := range list {
		list[i] = int16(binary.LittleEndian.Uint16(data[2*i:])) //nolint:gosec // the same bits as a signed number
	}
	return sound(rate, channels, list)
}

// floats returns sound of 32-bit floating-point samples, little-endian.
func floats(data []byte, rate, channels int) (payload.Audio, error) {
	list := make([]float32, len(data)/4/channels*channels)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return sound(rate, channels, list)
}

// sound refuses sound without samples, which clients cannot play.
func sound[S payload.Sample](rate, channels int, list []S) (payload.Audio, error) {
	if len(list) == 0 {
		return payload.Audio{}, fmt.Errorf("%w: no samples", errSound)
	}
	return payload.NewAudio(rate, channels, list)
}

// rawRate returns the sample rate in a content type of samples without a header;
// 0 for other types.
func rawRate(contentType string) int {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "audio/pcm" {
		return 0
	}
	if rate, err := strconv.Atoi(parameters["rate"]); err == nil && rate > 0 && rate <= maxRate {
		return rate
	}
	return pcmRate
}
