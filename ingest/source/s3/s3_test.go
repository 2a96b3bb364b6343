package s3

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"go.uber.org/goleak"

	"docent/ingest/source"
	"docent/ingest/source/sourcetest"
	"docent/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	access = "reader"
	secret = "very-secret"
)

// gateway starts versitygw with an empty bucket "docs" and returns its address.
func gateway(t *testing.T) string {
	t.Helper()
	address := "127.0.0.1:" + sourcetest.Port(t)
	cmd := exec.Command(sourcetest.Program(t, "versitygw"), "--port", address, "--quiet", "--access", access, "--secret", secret,
		"posix", "--sidecar", t.TempDir(), t.TempDir())
	sourcetest.Start(t, cmd, address)
	src := open(t, Config{URL: "http://" + address + "/docs", AccessKey: access, SecretKey: secret})
	if err := src.objects.MakeBucket(t.Context(), "docs", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return "http://" + address
}

func open(t *testing.T, cfg Config) *Source {
	t.Helper()
	cfg.AllowPrivate, cfg.RetryMillis = true, 1
	src, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func put(t *testing.T, s *Source, key, text string) {
	t.Helper()
	_, err := s.objects.Client.PutObject(t.Context(), "docs", key, bytes.NewReader([]byte(text)), int64(len(text)), minio.PutObjectOptions{DisableMultipart: true})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGateway(t *testing.T) {
	t.Parallel()
	address := gateway(t)
	cfg := Config{URL: address + "/docs/manual", AccessKey: access, SecretKey: secret, Exclude: []string{"*.bin"}, MaxBytes: 1000}
	src := open(t, cfg)
	put(t, src, "manual/a.txt", "one")
	put(t, src, "manual/Grüße #1 %20+.md", "two")
	put(t, src, "manual/deep/b.html", "three")
	put(t, src, "manual/c.bin", "binary")
	put(t, src, "manual/large.txt", strings.Repeat("x", 1001))
	put(t, src, "manuals/d.txt", "other prefix")
	var k sourcetest.Kept
	k.Sync(t, src)
	all := []string{"Grüße #1 %20+.md", "a.txt", "deep/b.html"}
	sourcetest.Equal(t, "items", k.Keys(), all)
	if k.Err != nil || len(k.Failed) != 1 || k.Bodies[all[0]] != "two" || k.Items["a.txt"].Address != "s3://docs/manual/a.txt" {
		t.Fatalf("error %v, failed %v, bodies %q", k.Err, k.Failed, k.Bodies)
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, nil)
	put(t, src, "manual/a.txt", "one more")
	if err := src.objects.Client.RemoveObject(t.Context(), "docs", "manual/deep/b.html", minio.RemoveObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	k.Sync(t, src)
	sourcetest.Equal(t, "changed", k.Changed, []string{"a.txt"})
	sourcetest.Equal(t, "items", k.Keys(), all[:2])

	for name, wrong := range map[string]Config{
		"secret": {URL: cfg.URL, AccessKey: access, SecretKey: "wrong"},
		"bucket": {URL: address + "/none", AccessKey: access, SecretKey: secret},
	} {
		k.Sync(t, open(t, wrong))
		if kind := fault.KindOf(k.Err); kind != fault.Forbidden && kind != fault.NotFound || len(k.States) != 2 {
			t.Errorf("wrong %s: error %v", name, k.Err)
		}
	}
}

func TestServerThatFailsHalfTheTime(t *testing.T) {
	t.Parallel()
	address := gateway(t)
	cfg := Config{URL: address + "/docs", AccessKey: access, SecretKey: secret}
	direct := open(t, cfg)
	for i := range 30 {
		put(t, direct, fmt.Sprintf("x/%d.txt", i), "x")
	}
	cfg.URL = sourcetest.Proxy(t, address, func(h http.Handler) http.Handler { return sourcetest.Flaky(11, h) }) + "/docs"
	src := open(t, cfg)
	var k sourcetest.Kept
	most := 0
	for range 15 {
		k.Sync(t, src)
		if len(k.States) < most {
			t.Fatalf("items went from %d to %d: error %v", most, len(k.States), k.Err)
		}
		most = len(k.States)
	}
	if most != 30 {
		t.Errorf("%d of 30 objects, failed %v, error %v", most, k.Failed, k.Err)
	}
}

func TestEndlessListing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>`)
	}))
	t.Cleanup(server.Close)
	var k sourcetest.Kept
	k.Sync(t, open(t, Config{URL: server.URL + "/docs"}))
	if k.Err == nil {
		t.Error("an endless listing ends without an error")
	}
}

// TestLargeListing has one response without end, and one with the longest names.
func TestLargeListing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<ListBucketResult><EncodingType>url</EncodingType>`)
		for i := 0; i < 1000 || strings.HasPrefix(r.URL.Path, "/endless"); i++ {
			_, err := fmt.Fprintf(w, `<Contents><Key>%04d%s</Key><Size>1</Size></Contents>`, i, strings.Repeat("%20", 1020))
			if err != nil {
				return
			}
		}
		fmt.Fprint(w, `</ListBucketResult>`)
	}))
	t.Cleanup(server.Close)
	for bucket, want := range map[string]bool{"longest": true, "endless": false} {
		items, failed := 0, error(nil)
		for _, err := range open(t, Config{URL: server.URL + "/" + bucket}).List(t.Context(), func(string) ([]byte, bool) { return nil, false }) {
			if err != nil {
				failed = err
				break
			}
			items++
		}
		if want != (failed == nil) || want && items != 1000 || !want && fault.KindOf(failed) != fault.Invalid {
			t.Errorf("%s: %d objects, %v", bucket, items, failed)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]Config{
		"url":        {URL: "bucket"},
		"bucket":     {URL: "https://s3.example.com/"},
		"private":    {URL: "http://10.0.0.1/bucket"},
		"secret_key": {URL: "s3://bucket", AccessKey: "x"},
		"exclude":    {URL: "s3://bucket", Exclude: []string{""}},
		"max_files":  {URL: "s3://bucket", MaxFiles: -1},
	} {
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	src, err := New(Config{URL: "s3://bucket/some/prefix"})
	if err != nil || src.bucket != "bucket" || src.prefix != "some/prefix/" || src.host != amazon {
		t.Errorf("%+v, %v", src, err)
	}
	var _ source.Source = src
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"e":"x","m":1,"s":1}`))
	f.Fuzz(func(_ *testing.T, data []byte) { state{ETag: "x", Modified: 1, Size: 1}.same(data) })
}
