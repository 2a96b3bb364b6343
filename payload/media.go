package payload

import (
	"encoding/base64"
	"encoding/binary"
	"net/http"

	"docent/internal/fault"
)

// Image is an image file, preferably a JPEG. In JSON it is a base64 string.
type Image []byte

// IsPicture reports whether the bytes begin as a JPEG, PNG, GIF, or WebP file.
func (i Image) IsPicture() bool {
	switch http.DetectContentType(i) {
	case "image/jpeg", "image/png", "image/gif", "image/webp":
		return true
	}
	return false
}

// Location is a place on Earth.
type Location struct {
	// Latitude is in degrees, north positive.
	Latitude float64 `json:"latitude"`
	// Longitude is in degrees, east positive.
	Longitude float64 `json:"longitude"`
}

// Audio is sampled sound.
type Audio struct {
	// Base64 are the samples, little-endian, in standard base64.
	Base64 string `json:"audio_data_base64"`
	// Metadata describes the format of the samples.
	Metadata AudioMetadata `json:"metadata"`
}

// AudioMetadata describes the samples of an Audio.
type AudioMetadata struct {
	// SampleRate is in samples a second.
	SampleRate int `json:"sample_rate"`
	// DType is the numpy name of the samples' type: float32 or int16.
	DType string `json:"dtype"`
	// Shape is [n] for one channel, or [n, channels].
	Shape []int `json:"shape"`
}

// Sample is the type of a sample.
type Sample interface{ float32 | int16 }

// NewAudio returns sound with the given number of samples per second. Several
// channels are interleaved. It fails with fault.Invalid if rate or channels is
// not positive, or if the channels have different numbers of samples.
func NewAudio[S Sample](rate, channels int, samples []S) (Audio, error) {
	if rate <= 0 || channels <= 0 || len(samples)%channels != 0 {
		return Audio{}, fault.New(fault.Invalid,
			"audio_invalid", "audio needs a sample rate and channels, and each channel the same number of samples")
	}
	data, err := binary.Append(nil, binary.LittleEndian, samples)
	if err != nil { // both types always encode
		return Audio{}, fault.Wrap(fault.Internal, err, "audio_not_encoded", "the audio could not be encoded")
	}
	a := Audio{Base64: base64.StdEncoding.EncodeToString(data), Metadata: AudioMetadata{
		SampleRate: rate, DType: "float32", Shape: []int{len(samples)},
	}}
	if _, ok := any(samples).([]int16); ok {
		a.Metadata.DType = "int16"
	}
	if channels > 1 {
		a.Metadata.Shape = []int{len(samples) / channels, channels}
	}
	return a, nil
}

// UI is the model of a user interface: anything that JSON can represent.
type UI any
