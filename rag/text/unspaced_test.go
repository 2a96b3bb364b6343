package text_test

import (
	"strings"
	"testing"

	"docent/rag/text"
)

// TestStopless divides texts in scripts without the usual stops into sentences.
func TestStopless(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"ปั๊มน้ำต้องตรวจสอบทุกสัปดาห์โดยทีมงาน เปลี่ยนน้ำมันหลังจากใช้งานสี่ร้อยชั่วโมง": "ปั๊มน้ำต้องตรวจสอบทุกสัปดาห์โดยทีมงาน|เปลี่ยนน้ำมันหลังจากใช้งานสี่ร้อยชั่วโมง",
		"ម៉ាស៊ីនបូមទឹកត្រូវពិនិត្យរៀងរាល់សប្តាហ៍។ ប្តូរប្រេងបន្ទាប់ពីបួនរយម៉ោង។":         "ម៉ាស៊ីនបូមទឹកត្រូវពិនិត្យរៀងរាល់សប្តាហ៍។|ប្តូរប្រេងបន្ទាប់ពីបួនរយម៉ោង។",
		"နာရီလေးရာပြီးလျှင် ဆီလဲပါ။ တံဆိပ်၏ဈေးနှုန်းမှာ လေးဆယ့်ငါးကျပ်ဖြစ်သည်။":          "နာရီလေးရာပြီးလျှင် ဆီလဲပါ။|တံဆိပ်၏ဈေးနှုန်းမှာ လေးဆယ့်ငါးကျပ်ဖြစ်သည်။",
	} {
		var got []string
		for _, s := range text.Sentences(source, false) {
			if s.Kind != text.ProseSentence {
				t.Errorf("%q has the kind %v", source[s.Start:s.End], s.Kind)
			}
			got = append(got, source[s.Start:s.End])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("got %q", got)
		}
	}
	for source, want := range map[string]bool{"แมวกินอะไร": true, "ລາຄາ": true, "ポンプの点検": false, "What is แมว here?": false, "": false} {
		if text.IsUnmodeled(source) != want {
			t.Errorf("%q is unmodeled: %v", source, !want)
		}
	}
}
