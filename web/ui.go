package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"
)

// The web UI: its sources are in ui, and what `npm run build` makes of them is in dist, so that a build of the program needs no Node.
//
//go:embed dist
var dist embed.FS

// pages are the paths that answer with the UI's one document; the list of src/pages.ts, to which a test holds it.
var pages = []struct{ id, pattern string }{
	{"pageHome", "/"},
	{"pageIncidents", "/incidents"},
	{"pageIncident", "/incidents/{id}"},
	{"pageDay", "/day"},
	{"pageDayOf", "/day/{date}"},
	{"pageInstances", "/instances"},
	{"pageInstance", "/instances/{id}"},
	{"pagePlanned", "/planned"},
	{"pageInstanceGraph", "/instances/{id}/graph"},
	{"pageGraph", "/graph"},
	{"pageJobs", "/jobs"},
	{"pageJob", "/jobs/{workflow}/{job}"},
	{"pageDefinition", "/definitions/{workflow}"},
	{"pageBackfills", "/backfills"},
	{"pageNewBackfill", "/backfills/new"},
	{"pageBackfill", "/backfills/{id}"},
	{"pageSimulate", "/simulate"},
	{"pageAdmin", "/admin"},
}

// uiRoutes are the pages and what they are made of. They are public: they hold nothing but the program's own code, and all data is asked for with
// the token of whoever looks.
func uiRoutes() []route {
	routes := []route{
		{Method: http.MethodGet, Pattern: "/assets/{file}", Permission: Public, ID: "asset", Tag: "ui", Summary: "A script or a style of the UI", serve: (*server).asset},
		{Method: http.MethodGet, Pattern: "/favicon.svg", Permission: Public, ID: "icon", Tag: "ui", Summary: "The UI's icon", serve: (*server).asset},
	}
	for _, p := range pages {
		routes = append(routes, route{Method: http.MethodGet, Pattern: p.pattern, Permission: Public, ID: p.id, Tag: "ui", Summary: "A page of the UI", serve: (*server).page})
	}
	return routes
}

// bootPolicy is pagePolicy with the digest of the one script that stands in the document itself: it has the page loaded again when another script does not
// arrive, and so must not be a file that may not arrive either.
var bootPolicy = sync.OnceValue(func() string {
	files, err := distFiles()
	if err != nil || files["/index.html"] == nil {
		return pagePolicy // without a document there is nothing to run
	}
	_, rest, found := strings.Cut(string(files["/index.html"].plain), "<script>")
	script, _, ended := strings.Cut(rest, "</script>")
	if !found || !ended {
		return pagePolicy
	}
	sum := sha256.Sum256([]byte(script))
	return strings.Replace(pagePolicy, "script-src 'self'", "script-src 'self' 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'", 1)
})

// pagePolicy lets the UI run its own scripts and styles and speak with its own server, and nothing else: no inline code, no other site, and no text that
// becomes markup. Of the one policy of trusted types, almanac-worker, ui/src/graph/worker.ts makes the only instance as the first thing that
// runs; it accepts the path of the graph's own worker and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types almanac-worker"

// A distFile is a built file as it is sent.
type distFile struct {
	plain, packed []byte // packed is nil when it would be no smaller
	kind, tag     string
}

// distFiles reads and compresses every built file, once, when the first of them is asked for.
var distFiles = sync.OnceValues(func() (map[string]*distFile, error) {
	files := map[string]*distFile{}
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		plain, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(plain)
		file := &distFile{plain: plain, kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:12]) + `"`}
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(plain); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		if packed.Len() < len(plain) {
			file.packed = packed.Bytes()
		}
		files[strings.TrimPrefix(name, "dist")] = file
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the built UI: %w", err)
	}
	return files, nil
})

// kindOf is the media type of a built file. The kinds that the build makes are written here, as the machine's own table may say something else.
func kindOf(name string) string {
	switch extension := path.Ext(name); extension {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	default:
		return mime.TypeByExtension(extension)
	}
}

// page answers with the UI's document, which must be asked for again each time: it names the assets by their content.
func (s *server) page(w http.ResponseWriter, r *http.Request) { s.sendPage(w, r, http.StatusOK) }

// noPage answers a browser that asks for a page that there is not with the UI's document, which says so and has a way on. It looks the same to everybody, so
// that a stranger learns nothing. false is that no browser asks for a page.
func (s *server) noPage(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return false
	}
	for _, other := range []string{"/api", "/assets/", "/hooks/", "/subscriptions/"} {
		if strings.HasPrefix(r.URL.Path, other) {
			return false
		}
	}
	s.sendPage(w, r, http.StatusNotFound)
	return true
}

func (s *server) sendPage(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Content-Security-Policy", bootPolicy())
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	w.Header().Set("Cache-Control", "no-cache")
	s.sendFile(w, r, "/index.html", status)
}

// asset answers with a built file. One that has its hash in its name never changes.
func (s *server) asset(w http.ResponseWriter, r *http.Request) {
	name := "/favicon.svg"
	w.Header().Set("Cache-Control", "no-cache")
	if file := chi.URLParam(r, "file"); file != "" {
		name = "/assets/" + file
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	s.sendFile(w, r, name, http.StatusOK)
}

func (s *server) sendFile(w http.ResponseWriter, r *http.Request, name string, status int) {
	files, err := distFiles()
	if err != nil {
		s.refuse(w, r, s.problem(r.Context(), err))
		return
	}
	file := files[name]
	if file == nil {
		w.Header().Set("Cache-Control", "no-store")
		s.refuse(w, r, refusal(codeNotFound, "there is no such file; a page that is older than this server should be loaded again"))
		return
	}
	h := w.Header()
	h.Set("Content-Type", file.kind)
	h.Set("ETag", file.tag)
	h.Add("Vary", "Accept-Encoding")
	if status == http.StatusOK && matches(strings.Split(r.Header.Get("If-None-Match"), ","), file.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := file.plain
	if file.packed != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body = file.packed
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// acceptsGzip reports whether a client says that it can read gzip. One that gives it the weight 0 says that it cannot.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.TrimRight(strings.TrimPrefix(strings.ToLower(weight), "q="), "0.") != "" || weight == ""
		}
	}
	return false
}

// mountFile mounts a route of the UI under its guard.
func (s *server) mountFile(mux *chi.Mux, rt *route) {
	guarded := s.guard(rt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rt.serve(s, w, r) }))
	mux.Method(rt.Method, rt.Pattern, guarded)
	mux.Method(http.MethodHead, rt.Pattern, guarded)
}
