package speech_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"docent/llm/speech"
)

// oddities are unusual WAV files that servers write.
func oddities() map[string]string {
	head := "RIFF\xff\xff\xff\xffWAVE"
	pcm := "fmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00"
	return map[string]string{
		"sizes not known":   head + pcm + "data\xff\xff\xff\xff\x01\x00",
		"size left out":     head + pcm + "data\x00\x00\x00\x00\x01\x00",
		"cut sample":        head + pcm + "data\x03\x00\x00\x00\x01\x00\x02",
		"other chunks":      head + "LIST\x03\x00\x00\x00abc\x00" + pcm + "fact\x04\x00\x00\x00\x00\x00\x00\x00data\x02\x00\x00\x00\x01\x00LIST",
		"extensible format": head + "fmt \x28\x00\x00\x00\xfe\xff\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00\x16\x00\x10\x00\x04\x00\x00\x00\x01\x00" + strings.Repeat("\x00", 14) + "data\x02\x00\x00\x00\x01\x00",
	}
}

func TestParseWAV(t *testing.T) {
	t.Parallel()
	for name, file := range oddities() {
		sound, err := speech.ParseWAV([]byte(file))
		if err != nil || sound.Base64 != "AQA=" || sound.Metadata.SampleRate != 8000 || sound.Metadata.DType != "int16" || len(sound.Metadata.Shape) != 1 {
			t.Errorf("%s: %+v %v", name, sound, err)
		}
	}
	float := "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00\xc0\x5d\x00\x00\x00\x77\x01\x00\x04\x00\x20\x00data\x04\x00\x00\x00\x00\x00\x80\x3f"
	sound, err := speech.ParseWAV([]byte(float))
	if err != nil || sound.Base64 != "AACAPw==" || sound.Metadata.SampleRate != 24000 || sound.Metadata.DType != "float32" {
		t.Errorf("%+v %v", sound, err)
	}
	for name, file := range map[string]string{
		"nothing": "", "no WAV": "RIFX", "no chunks": "RIFF\x00\x00\x00\x00WAVE", "data without format": "RIFF\x00\x00\x00\x00WAVEdata\x02\x00\x00\x00\x01\x00",
		"format cut": "RIFF\x00\x00\x00\x00WAVEfmt \x04\x00\x00\x00\x01\x00\x01\x00data\x02\x00\x00\x00\x01\x00",
		"no data":    float[:36], "8 bits": strings.Replace(float, "\x03\x00\x01\x00\xc0", "\x01\x00\x01\x00\xc0", 1), "A-law": strings.Replace(float, "\x03\x00\x01\x00\xc0", "\x06\x00\x01\x00\xc0", 1),
		"99 channels": strings.Replace(float, "\x03\x00\x01\x00\xc0", "\x03\x00\x63\x00\xc0", 1), "no samples": float[:40] + "\x00\x00\x00\x00",
		"less than a frame": strings.Replace(float, "\x03\x00\x01\x00\xc0", "\x03\x00\x02\x00\xc0", 1),
	} {
		if sound, err := speech.ParseWAV([]byte(file)); err == nil {
			t.Errorf("%s: read as %+v", name, sound)
		}
	}
}

// A WAV file of any content is refused, or gives sound whose shape fits its
// samples.
func FuzzParseWAV(f *testing.F) {
	for _, file := range oddities() {
		f.Add([]byte(file))
	}
	f.Add(wav(8000, 2, []byte{1, 0, 2, 0}))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, _ = speech.FileName(file)
		sound, err := speech.ParseWAV(file)
		if err != nil {
			return
		}
		data, err := base64.StdEncoding.DecodeString(sound.Base64)
		if err != nil || len(data) > len(file) {
			t.Fatalf("%d bytes of samples in %d: %v", len(data), len(file), err)
		}
		size := map[string]int{"int16": 2, "float32": 4}[sound.Metadata.DType]
		for _, n := range sound.Metadata.Shape {
			size *= n
		}
		if size != len(data) || size == 0 || sound.Metadata.SampleRate < 1 {
			t.Fatalf("%+v of %d bytes", sound.Metadata, len(data))
		}
	})
}
