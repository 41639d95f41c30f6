package web_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/web"
)

// anAsset is the name of a script of the built UI, which changes with what is in it.
func anAsset() string {
	entries, err := os.ReadDir("dist/assets")
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "index-") && path.Ext(entry.Name()) == ".js" {
			return entry.Name()
		}
	}
	panic("the UI is not built: npm run build, in web/ui")
}

func pageVisits() map[string]visit {
	list := map[string]visit{
		"asset": {"/assets/" + anAsset(), "", 200, nil},
		"icon":  {"/favicon.svg", "", 200, nil},
	}
	for _, p := range web.Pages() {
		list[p.ID] = visit{strings.NewReplacer("{id}", "7", "{workflow}", "retail", "{job}", "orders", "{date}", "2026-11-21").Replace(p.Pattern), "", 200, nil}
	}
	return list
}

func TestAPageIsTheSameDocumentForEverybody(t *testing.T) {
	f := newFixture(t)
	document, err := os.ReadFile("dist/index.html")
	require.NoError(t, err)
	for _, p := range []string{"/", "/instances/7", "/jobs/retail/orders"} {
		w := f.as("", http.MethodGet, p, "")
		require.Equal(t, 200, w.Code)
		require.Equal(t, string(document), w.Body.String())
		require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
		require.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
		require.Equal(t, "DENY", w.Header().Get("X-Frame-Options"))
		require.Equal(t, "no-referrer", w.Header().Get("Referrer-Policy"))
		policy := w.Header().Get("Content-Security-Policy")
		require.Regexp(t, `^default-src 'none'; script-src 'self'( 'sha256-[A-Za-z0-9+/=]{44}')?; style-src 'self';`, policy)
		require.Contains(t, policy, "frame-ancestors 'none'")
		require.True(t, strings.HasSuffix(policy, "; require-trusted-types-for 'script'; trusted-types almanac-worker"), policy)
		require.Contains(t, policy, " worker-src 'self'; ")
		require.NotContains(t, policy, "unsafe")
		require.NotContains(t, policy, "http")
		require.Equal(t, 304, f.as("", http.MethodGet, p, "", header("If-None-Match", w.Header().Get("ETag"))).Code)
	}
}

func TestTheDocumentHoldsNoCodeOfItsOwn(t *testing.T) {
	document, err := os.ReadFile("dist/index.html")
	require.NoError(t, err)
	boots := 0
	for _, tag := range regexp.MustCompile(`(?s)<(script|style)\b[^>]*>.*?</(script|style)>`).FindAllString(string(document), -1) {
		if script, boot := strings.CutPrefix(tag, "<script>"); boot { // that which has the page loaded again, and nothing besides
			sum := sha256.Sum256([]byte(strings.TrimSuffix(script, "</script>")))
			policy := newFixture(t).as("", http.MethodGet, "/", "").Header().Get("Content-Security-Policy")
			require.Contains(t, policy, "script-src 'self' 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';")
			boots++
			continue
		}
		require.Regexp(t, `^<script type="module" crossorigin src="/assets/[\w-]+\.js"></script>$`, tag)
	}
	require.LessOrEqual(t, boots, 1)
	require.NotRegexp(t, `(?i)\son\w+\s*=|style\s*=|https?://`, string(document))
}

func TestAnAssetNeverChangesAndIsCompressed(t *testing.T) {
	f := newFixture(t)
	name := "/assets/" + anAsset()
	plain := f.as("", http.MethodGet, name, "")
	require.Equal(t, 200, plain.Code)
	require.Equal(t, "text/javascript; charset=utf-8", plain.Header().Get("Content-Type"))
	require.Equal(t, "public, max-age=31536000, immutable", plain.Header().Get("Cache-Control"))
	require.Contains(t, plain.Header().Get("Content-Security-Policy"), "default-src 'none';", "a worker lives by its own policy: it may ask for nothing")
	require.Empty(t, plain.Header().Get("Content-Encoding"))
	for accepts, packed := range map[string]bool{"gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "": false} {
		w := f.as("", http.MethodGet, name, "", header("Accept-Encoding", accepts))
		require.Equal(t, packed, w.Header().Get("Content-Encoding") == "gzip", accepts)
		require.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
		if packed {
			r, err := gzip.NewReader(bytes.NewReader(w.Body.Bytes()))
			require.NoError(t, err)
			whole, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Equal(t, plain.Body.Bytes(), whole)
		}
	}
	missing := f.as("", http.MethodGet, "/assets/index-0.js", "")
	require.Equal(t, 404, missing.Code)
	require.Equal(t, "no-store", missing.Header().Get("Cache-Control"))
}

// TestTheServerKnowsThePagesOfTheUI holds the two lists of pages together: a path that only the UI knows is a 401 when it is loaded again.
func TestTheServerKnowsThePagesOfTheUI(t *testing.T) {
	source, err := os.ReadFile("ui/src/pages.ts")
	require.NoError(t, err)
	var there, here []string
	for _, match := range regexp.MustCompile(`path: "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		there = append(there, regexp.MustCompile(`:(\w+)`).ReplaceAllString(match[1], "{$1}"))
	}
	for _, p := range web.Pages() {
		here = append(here, p.Pattern)
	}
	slices.Sort(there)
	slices.Sort(here)
	require.Equal(t, there, here)
}

func TestABrowserThatAsksForAPageThatThereIsNotGetsWords(t *testing.T) {
	f := newFixture(t)
	html := header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	known := f.as("", http.MethodGet, "/instances", "", html)
	for _, who := range []string{"", "viewer", "expired"} {
		w := f.as(who, http.MethodGet, "/no/such/page", "", html)
		require.Equal(t, 404, w.Code)
		require.Equal(t, known.Body.String(), w.Body.String(), "the document, which says so")
		require.Equal(t, known.Header().Get("Content-Security-Policy"), w.Header().Get("Content-Security-Policy"))
	}
	for _, path := range []string{"/api/v1/nothing", "/api", "/assets/x.js", "/hooks/x", "/subscriptions/x"} {
		require.NotEqual(t, "text/html; charset=utf-8", f.as("", http.MethodGet, path, "", html).Header().Get("Content-Type"), path)
	}
	refused(f, f.as("", http.MethodPost, "/no/such/page", "", html), 401, "unauthenticated")
	refused(f, f.as("", http.MethodGet, "/no/such/page", ""), 401, "unauthenticated")
}
