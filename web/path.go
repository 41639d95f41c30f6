package web

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkPath refuses paths that two programs could read in two ways: an encoded slash, backslash or dot, a dot segment, an empty segment, a
// control character. What it lets through is routed by its decoded form alone, so that there is one reading of a path from here on.
func (s *server) checkPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := badPath(r.URL); why != "" {
			s.refuse(w, r, refusal(codePath, why))
			return
		}
		if r.URL.RawPath != "" {
			plain := *r.URL
			plain.RawPath = ""
			clone := *r
			clone.URL = &plain
			r = &clone
		}
		next.ServeHTTP(w, r)
	})
}

// badPath says what is wrong with the path of a request; "" is nothing.
func badPath(u *url.URL) string {
	raw := u.EscapedPath()
	if !strings.HasPrefix(raw, "/") {
		return "the path does not begin with a slash"
	}
	if raw == "/" {
		return ""
	}
	for segment := range strings.SplitSeq(raw[1:], "/") {
		lower := strings.ToLower(segment)
		for _, encoded := range []string{"%2f", "%5c", "%2e"} {
			if strings.Contains(lower, encoded) {
				return "the path holds an encoded slash, backslash or dot"
			}
		}
		plain, err := url.PathUnescape(segment)
		switch {
		case err != nil || !utf8.ValidString(plain):
			return "the path is not UTF-8, or badly encoded"
		case plain == "":
			return "the path has an empty segment"
		case plain == "." || plain == "..":
			return "the path has a dot segment"
		case strings.ContainsFunc(plain, func(c rune) bool { return c == '\\' || unicode.IsControl(c) }):
			return "the path holds a backslash or a control character"
		}
	}
	return ""
}
