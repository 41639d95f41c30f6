package web

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// A RouteLine is a line of the table as the tests see it.
type RouteLine struct {
	Method, Pattern, ID string
	Permission          Permission
	BodyLimit           int64
	Audit               bool
	Face                bool // of Azure Scheduler, which the description leaves to that service's own
	File                bool // of the web UI, which the description does not hold
	Basic               bool // takes the token as a password too
}

// Table lists the routes.
func Table() []RouteLine {
	var lines []RouteLine
	for _, rt := range table() {
		lines = append(lines, RouteLine{rt.Method, rt.Pattern, rt.ID, rt.Permission, rt.BodyLimit, rt.Audit, rt.face != nil, rt.serve != nil, rt.Basic})
	}
	return lines
}

// NewWithout builds the API with one route changed.
func NewWithout(cfg Config, id string, change func(permission *Permission, method, pattern *string)) (http.Handler, error) {
	routes := table()
	for i := range routes {
		if rt := &routes[i]; rt.ID == id {
			change(&rt.Permission, &rt.Method, &rt.Pattern)
		}
	}
	return build(cfg, routes)
}

// Allows is Role.allows.
func Allows(r Role, p Permission) bool { return r.allows(p) }

// ZeroPrincipalAllows reports whether a principal that nobody filled in may use a permission.
func ZeroPrincipalAllows(p Permission) bool { return principal{}.role.allows(p) }

// NewRate is newRateLimit's take.
func NewRate(l Limits) func(name string, now time.Time) (time.Duration, bool) {
	return newRateLimit(l).take
}

// Pages lists the routes that answer with the UI's document.
func Pages() []RouteLine {
	return slices.DeleteFunc(Table(), func(r RouteLine) bool { return !strings.HasPrefix(r.ID, "page") })
}
