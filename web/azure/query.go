package azure

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The versions of the API. The paths and the bodies are the same in all; the newest has other names of plans.
const newest = "2016-03-01"

var (
	versions    = []string{newest, "2016-01-01", "2014-08-01-preview"}
	versionForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(-[a-z]+)?$`)
)

// param is the value of a parameter of the query, whose names are equal in any case. Of several in other cases the first by name counts.
func (q *request) param(name string) (value string, given bool) {
	query := q.URL.Query()
	if query.Has(name) {
		return query.Get(name), true
	}
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if strings.EqualFold(key, name) {
			return query.Get(key), true
		}
	}
	return "", false
}

func (q *request) readVersion(op *Operation) error {
	version, _ := q.param("api-version")
	switch {
	case version == "":
		return refuse(codeNoVersion, "The api-version query parameter (?api-version=) is required for all requests.")
	case op.neighbor && !versionForm.MatchString(strings.ToLower(version)),
		!op.neighbor && !slices.ContainsFunc(versions, func(known string) bool { return strings.EqualFold(known, version) }):
		return refuse(codeVersion, "The api-version '%s' is invalid. The supported versions are '%s'.", version, strings.Join(versions, ","))
	}
	q.version = strings.ToLower(version)
	return nil
}

// A window is the part of a list that a client asks for.
type window struct {
	top, skip int
	stated    bool // the client stated top
}

// window reads $top and $skip. Without $top a page has usual rows.
func (q *request) window(usual int) (window, error) {
	w := window{top: usual}
	for _, p := range []struct {
		name      string
		low, high int
		to        *int
	}{{"$top", 1, 100, &w.top}, {"$skip", 0, 1<<31 - 1, &w.skip}} {
		text, given := q.param(p.name)
		if !given {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < p.low || n > p.high {
			return w, refuse(codeQuery, "The query parameter '%s' must be a number between %d and %d.", p.name, p.low, p.high)
		}
		*p.to = n
		w.stated = w.stated || p.name == "$top"
	}
	return w, nil
}

var filterForm = regexp.MustCompile(`(?i)^\s*([a-z]+)\s+eq\s+(?:'([a-z]+)'|([a-z]+))\s*$`)

// filter reads `$filter=MEMBER eq WORD`, the word bare or in quotes, in any case; "" is no filter.
func (q *request) filter(member string, words ...string) (string, error) {
	text, given := q.param("$filter")
	if !given || strings.TrimSpace(text) == "" {
		return "", nil
	}
	wrong := refuse(codeQuery, "The query parameter '$filter' must be of the form '%s eq VALUE', and VALUE one of %s.", member, strings.Join(words, ", "))
	m := filterForm.FindStringSubmatch(text)
	if m == nil || !strings.EqualFold(m[1], member) {
		return "", wrong
	}
	for _, word := range words {
		if strings.EqualFold(word, m[2]+m[3]) {
			return word, nil
		}
	}
	return "", wrong
}

// A page is an answer with a part of a list.
type page struct {
	Value    any     `json:"value"`
	NextLink *string `json:"nextLink"`
}

// cut returns the rows of the window out of all, and the address of the rest; nil when there is none.
func cut[T any](q *request, w window, rows []T) page {
	rows = rows[min(w.skip, len(rows)):]
	p := page{Value: append([]T{}, rows[:min(w.top, len(rows))]...)}
	if len(rows) > w.top {
		p.NextLink = q.nextLink(w)
	}
	return p
}

// nextLink is the address of the page after the window: absolute, to be asked for as it is.
func (q *request) nextLink(w window) *string {
	values := url.Values{"api-version": {q.version}, "$skip": {strconv.Itoa(w.skip + w.top)}}
	if w.stated {
		values.Set("$top", strconv.Itoa(w.top))
	}
	if filter, given := q.param("$filter"); given {
		values.Set("$filter", filter)
	}
	scheme := "http"
	if q.TLS != nil || strings.EqualFold(q.Header.Get("X-Forwarded-Proto"), "https") {
		scheme = "https"
	}
	link := fmt.Sprintf("%s://%s%s?%s", scheme, q.Host, q.URL.EscapedPath(), values.Encode())
	return &link
}

// head reports whether only the head of an answer is asked for.
func (q *request) head() bool { return q.Method == http.MethodHead }
