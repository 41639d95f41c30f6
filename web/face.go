package web

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/almanac-sched/almanac/web/azure"
)

// mountFace mounts a route of the face of Azure Scheduler under its guard.
func (s *server) mountFace(mux *chi.Mux, rt *route) {
	guarded := s.guard(rt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.cfg.Azure.Serve(w, r, rt.face, exchangeOf(r.Context()).principal.name)
	}))
	mux.Method(rt.Method, rt.Pattern, guarded)
	if rt.Method == http.MethodGet {
		mux.Method(http.MethodHead, rt.Pattern, guarded)
	}
}

// head gives the answers of the face the headers that they all have, refusals too.
func head(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if azure.Owns(r.URL.Path) {
			azure.Head(w.Header(), exchangeOf(r.Context()).id)
		}
		next.ServeHTTP(w, r)
	})
}

// canonical gives the paths of the face the spelling in which the routes have them. It comes after checkPath, which must see a path as it was sent.
func canonical(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if azure.Owns(r.URL.Path) {
			at := *r.URL
			at.Path = azure.Canonical(at.Path)
			clone := *r
			clone.URL = &at
			r = &clone
		}
		next.ServeHTTP(w, r)
	})
}
