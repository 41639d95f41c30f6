package web

import (
	"compress/gzip"
	"net/http"
)

// packed compresses an answer for clients that can read it so. It is for answers that are large.
func packed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		if r.Method == http.MethodHead || !acceptsGzip(r.Header.Get("Accept-Encoding")) {
			next.ServeHTTP(w, r)
			return
		}
		p := &packer{ResponseWriter: w}
		next.ServeHTTP(p, r)
		if p.gzip != nil {
			_ = p.gzip.Close() // an error is of the connection, and nobody is left to tell
		}
	})
}

// A packer compresses what is written, but an answer without a body.
type packer struct {
	http.ResponseWriter
	gzip *gzip.Writer
	head bool
}

// WriteHeader says that the body is compressed, before it is too late to.
func (p *packer) WriteHeader(status int) {
	if !p.head && status != http.StatusNotModified && status != http.StatusNoContent {
		p.Header().Set("Content-Encoding", "gzip")
		p.Header().Del("Content-Length")
		p.gzip, _ = gzip.NewWriterLevel(p.ResponseWriter, gzip.BestSpeed) // the level is a valid one
	}
	p.head = true
	p.ResponseWriter.WriteHeader(status)
}

func (p *packer) Write(b []byte) (int, error) {
	if !p.head {
		p.WriteHeader(http.StatusOK)
	}
	if p.gzip == nil {
		return p.ResponseWriter.Write(b)
	}
	return p.gzip.Write(b)
}

// Unwrap lets what comes before set deadlines.
func (p *packer) Unwrap() http.ResponseWriter { return p.ResponseWriter }
