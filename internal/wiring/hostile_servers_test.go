//go:build linux && soak

package wiring

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// flood writes head, and then unit until the client goes away.
func flood(w io.Writer, head, unit string) {
	_, err := io.WriteString(w, head)
	block := strings.Repeat(unit, 1+(64<<10)/len(unit))
	for err == nil {
		_, err = io.WriteString(w, block)
	}
}

// endless answers without an end.
func endless(status int, kind, head, unit string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		flood(w, head, unit)
	}
}

// packed answers like endless, but compressed.
func packed(status int, kind, head, unit string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(status)
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			panic(err)
		}
		flood(z, head, unit)
	}
}

// says answers with a text.
func says(status int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// lying announces much more than it sends.
func lying(status int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", "1099511627776")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then the server notices that the client leaves
	<-r.Context().Done()
}

// dripping sends a byte now and then.
func dripping(status int, kind, head string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.Copy(io.Discard, r.Body)
		_, err := io.WriteString(w, head)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for err == nil {
			if err = http.NewResponseController(w).Flush(); err == nil {
				_, err = io.WriteString(w, " ")
			}
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
}

// except answers requests for some paths in another way.
func except(rest http.HandlerFunc, paths map[string]http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if h, ok := paths[r.URL.Path]; ok {
			h(w, r)
			return
		}
		rest(w, r)
	}
}

// with returns options that let a source give up soon.
func with(pairs ...string) map[string]string {
	out := map[string]string{"timeout_seconds": "1", "retry_ms": "1"}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// patient returns options that let a source wait for long, so that a limit and not the time ends it.
func patient(pairs ...string) map[string]string {
	out := map[string]string{"timeout_seconds": "600", "retry_ms": "1", "max_bytes": "1000000"}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

const (
	htmlType = "text/html"
	xmlType  = "application/xml"
	jsonType = "application/json"
)

func webAttacks() []attack {
	const ok = http.StatusOK
	page := func(name, item string, options map[string]string, serve http.HandlerFunc) attack {
		robots := except(serve, map[string]http.HandlerFunc{"/robots.txt": http.NotFound})
		return attack{kind: "web", name: "page/" + name, at: "/page", options: options, item: item, serve: robots}
	}
	sitemap := func(name, want string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "web", name: "sitemap/" + name, at: "/sitemap.xml", options: options, want: want, serve: serve}
	}
	maze := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", htmlType)
		fmt.Fprintf(w, "<title>A</title><p>Word %s<a href='%s/a'>a</a><a href='/%d'>b</a>", r.URL.Path, r.URL.Path, time.Now().UnixNano())
	}
	index := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<sitemapindex><sitemap><loc>http://%s/%d.xml</loc></sitemap></sitemapindex>", r.Host, time.Now().UnixNano())
	}
	robotic := func(robots http.HandlerFunc) http.HandlerFunc {
		return except(says(ok, htmlType, "<p>x"), map[string]http.HandlerFunc{"/robots.txt": robots})
	}
	return []attack{
		page("endless", "larger_than", patient(), endless(ok, htmlType, "<p>", "word ")),
		page("endless text", "larger_than", patient(), endless(ok, "text/plain", "", "word ")),
		page("packed", "larger_than", patient(), packed(ok, htmlType, "<p>", "word ")),
		page("lying", "host_unreachable", patient(), lying(ok, htmlType, "<p>short")),
		page("lying pdf", "larger_than", patient(), lying(ok, "application/pdf", "%PDF-1.4")),
		page("silent", "host_slow", with(), silent),
		page("dripping", "host_slow", with(), dripping(ok, htmlType, "<p>")),
		{
			kind: "web", name: "page/deep", at: "/page", options: patient(), most: 1,
			serve: says(ok, htmlType, strings.Repeat("<div>", 1_000_000)+"deep"),
		},
		{
			kind: "web", name: "page/redirects", at: "/0", options: patient(), want: "web_page_moved",
			serve: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"0", http.StatusFound) },
		},
		{
			kind: "web", name: "crawl/maze", at: "/start", want: "web_too_many_pages", most: 40, serve: maze,
			options: patient("mode", "crawl", "max_pages", "40", "prefixes", "/"),
		},
		{kind: "web", name: "robots/endless", at: "/page", options: patient(), most: 1, serve: robotic(endless(ok, "text/plain", "", "Disallow: /x\n"))},
		{kind: "web", name: "robots/packed", at: "/page", options: patient(), most: 1, serve: robotic(packed(ok, "text/plain", "", "Allow: /\n"))},
		{kind: "web", name: "robots/silent", at: "/page", options: with(), item: "host_slow", serve: robotic(silent)},
		sitemap("endless", "web_too_many_pages", patient("max_pages", "10"),
			except(says(http.StatusNotFound, htmlType, ""), map[string]http.HandlerFunc{
				"/sitemap.xml": endless(ok, xmlType, "<urlset>", "<url><loc>/a</loc></url>"),
			})),
		sitemap("packed", "larger_than", patient(), packed(ok, xmlType, "<urlset>", "<url><lastmod>2026</lastmod></url>")),
		sitemap("deep", "sitemap_too_deep", patient(), endless(ok, xmlType, "<urlset>", "<a>")),
		sitemap("text", "larger_than", patient(), endless(ok, xmlType, "<urlset><url><loc>", "x")),
		sitemap("indexes", "sitemap_too_large", patient(), index),
		sitemap("lying", "host_unreachable", patient(), lying(ok, xmlType, "<urlset>")),
		sitemap("silent", "host_slow", with(), silent),
		sitemap("dripping", "host_slow", with(), dripping(ok, xmlType, "<urlset>")),
	}
}

func feedAttacks() []attack {
	const ok, rss = http.StatusOK, "application/rss+xml"
	feed := func(name, want string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "feed", name: name, at: "/feed", options: options, want: want, serve: serve}
	}
	linked := except(endless(ok, htmlType, "<p>", "word "), map[string]http.HandlerFunc{
		"/feed": says(ok, rss, `<rss version="2.0"><channel><title>F</title><item><guid>1</guid><link>/page</link></item></channel></rss>`),
	})
	return []attack{
		feed("endless", "larger_than", patient(), endless(ok, rss, `<rss version="2.0"><channel>`, "<item><guid>1</guid></item>")),
		feed("packed", "larger_than", patient(), packed(ok, rss, `<rss version="2.0"><channel><title>`, "title ")),
		feed("deep", "feed_too_deep", patient("max_bytes", "20000000"), says(ok, rss, "<rss>"+strings.Repeat("<a>", 1_000_000))),
		feed("deep json", "feed_too_deep", patient("max_bytes", "20000000"), says(ok, jsonType, `{"items":`+strings.Repeat("[", 1_000_000))),
		feed("elements", "feed_too_many_elements", patient("max_bytes", "20000000"), says(ok, rss, "<rss>"+strings.Repeat("<a/>", 1_000_000))),
		feed("lying", "host_unreachable", patient(), lying(ok, rss, "<rss>")),
		feed("silent", "host_slow", with(), silent),
		feed("dripping", "host_slow", with(), dripping(ok, rss, "<rss>")),
		{kind: "feed", name: "linked", at: "/feed", options: patient("linked", "true"), item: "larger_than", serve: linked},
	}
}

func davAttacks() []attack {
	const multi = http.StatusMultiStatus
	const head = `<multistatus xmlns="DAV:">`
	response := func(href, prop string) string {
		return "<response><href>" + href + "</href><propstat><prop>" + prop + "</prop><status>HTTP/1.1 200 OK</status></propstat></response>"
	}
	const folder = "<resourcetype><collection/></resourcetype>"
	dav := func(name, want string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "webdav", name: name, at: "/dav/", options: options, want: want, serve: serve}
	}
	tunnel := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(multi)
		_, _ = io.WriteString(w, head+response(r.URL.Path+"d/", folder)+"</multistatus>")
	}
	tree := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(multi)
		_, _ = io.WriteString(w, head)
		for i := range 100 {
			_, _ = io.WriteString(w, response(fmt.Sprintf("%s%d/", r.URL.Path, i), folder))
		}
		_, _ = io.WriteString(w, "</multistatus>")
	}
	file := func(size string, get http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "PROPFIND" {
				w.WriteHeader(multi)
				_, _ = io.WriteString(w, head+response("/dav/a.txt", "<resourcetype/><getcontentlength>"+size+"</getcontentlength>")+"</multistatus>")
				return
			}
			get(w, r)
		}
	}
	one := func(name, item string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "webdav", name: name, at: "/dav/", options: options, item: item, serve: serve}
	}
	const ok = http.StatusOK
	return []attack{
		dav("endless", "larger_than", patient(), endless(multi, xmlType, head, response("/dav/a.txt", ""))),
		dav("packed", "larger_than", patient(), packed(multi, xmlType, head, "<a/>")),
		dav("deep", "webdav_listing_too_deep", patient(), endless(multi, xmlType, head, "<a>")),
		dav("tunnel", "", patient(), tunnel),
		dav("tree", "folder_too_many_files", patient("max_files", "1000"), tree),
		dav("lying", "host_unreachable", patient(), lying(multi, xmlType, head)),
		dav("silent", "host_slow", with(), silent),
		dav("dripping", "host_slow", with(), dripping(multi, xmlType, head)),
		one("lying size", "larger_than", patient(), file("3", endless(ok, "text/plain", "", "word "))),
		one("huge size", "larger_than", patient(), file("1099511627776", endless(ok, "text/plain", "", "word "))),
		one("packed file", "larger_than", patient(), file("3", packed(ok, "text/plain", "", "word "))),
		one("slow file", "host_slow", with(), file("3", dripping(ok, "text/plain", "x"))),
	}
}

func s3Attacks() []attack {
	const ok = http.StatusOK
	s3 := func(name, want string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "s3", name: name, at: "/bucket", options: options, want: want, serve: serve}
	}
	listing := func(contents string) string {
		return `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>` + contents + "</ListBucketResult>"
	}
	object := func(key, size string) string {
		return "<Contents><Key>" + key + "</Key><ETag>&quot;1&quot;</ETag><Size>" + size + "</Size></Contents>"
	}
	pages := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", xmlType)
		at := time.Now().UnixNano()
		_, _ = io.WriteString(w, listing("<IsTruncated>true</IsTruncated><NextContinuationToken>"+fmt.Sprint(at)+"</NextContinuationToken>"+
			object(fmt.Sprintf("dir%d/", at), "1")))
	}
	empty := says(ok, xmlType, listing("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"))
	file := func(size string, get http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "a.txt") {
				w.Header().Set("ETag", `"1"`)
				w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
				get(w, r)
				return
			}
			says(ok, xmlType, listing(object("a.txt", size)))(w, r)
		}
	}
	one := func(name, item string, options map[string]string, serve http.HandlerFunc) attack {
		return attack{kind: "s3", name: name, at: "/bucket", options: options, item: item, serve: serve}
	}
	return []attack{
		s3("endless", "larger_than", patient(), endless(ok, xmlType, "<ListBucketResult>", object("a.txt", "1"))),
		s3("packed", "larger_than", patient(), packed(ok, xmlType, "<ListBucketResult>", "<a/>")),
		s3("deep", "larger_than", patient(), endless(ok, xmlType, "<ListBucketResult>", "<a>")),
		s3("pages", "s3_too_many_requests", patient("max_files", "100"), pages),
		s3("circle", "s3_too_many_requests", patient("max_files", "100"), empty),
		s3("lying", "host_unreachable", patient(), lying(ok, xmlType, "<ListBucketResult>")),
		s3("silent", "host_slow", with(), silent),
		s3("dripping", "host_slow", with(), dripping(ok, xmlType, "<ListBucketResult>")),
		one("lying size", "larger_than", patient(), file("3", endless(ok, "text/plain", "", "word "))),
		one("huge size", "larger_than", patient(), file("1099511627776", endless(ok, "text/plain", "", "word "))),
		one("slow file", "host_slow", with(), file("3", dripping(ok, "text/plain", "x"))),
	}
}
