package web

import (
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// A principal is who makes a request. The zero value may do nothing.
type principal struct {
	name    string
	role    Role
	token   int64     // id; 0 is one that is not kept
	expires time.Time // zero is never
}

// developer is who makes a request without a token to a server that was started with Dev.
var developer = principal{name: "dev", role: RoleAdmin}

// guard lets a request through to next when its principal may use the route, and no other. It is the only way to a handler: mount knows no
// other, for operations and for what answers unknown paths alike.
func (s *server) guard(rt *route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		x.route = rt
		switch rt.Permission {
		case Public:
			if who, problem := s.authenticate(r, rt.Basic); problem == nil {
				x.principal = who // it may say more to those who may know more
			}
		case Signed:
			if problem := checkBody(rt, r); problem != nil {
				s.refuse(w, r, problem)
				return
			}
			checked, problem := s.signed(r, rt.BodyLimit)
			if problem != nil {
				if problem.Status == http.StatusUnauthorized {
					w.Header().Set("WWW-Authenticate", `HMAC-SHA256 realm="almanac"`)
				}
				s.refuse(w, r, problem)
				return
			}
			if wait, ok := s.rate.take(x.principal.name, s.cfg.Now()); !ok {
				w.Header().Set("Retry-After", retryAfter(wait))
				s.refuse(w, r, refusal(codeRate, "too many deliveries to "+x.principal.name))
				return
			}
			r = checked
		default:
			who, problem := s.authenticate(r, rt.Basic)
			if problem != nil {
				if problem.Status == http.StatusUnauthorized {
					w.Header().Set("WWW-Authenticate", `Bearer realm="almanac"`)
					if rt.Basic {
						w.Header().Add("WWW-Authenticate", `Basic realm="almanac", charset="UTF-8"`)
					}
				}
				s.refuse(w, r, problem)
				return
			}
			x.principal = who
			if wait, ok := s.rate.take(who.name, s.cfg.Now()); !ok {
				w.Header().Set("Retry-After", retryAfter(wait))
				s.refuse(w, r, refusal(codeRate, "too many requests of "+who.name))
				return
			}
			if !who.role.allows(rt.Permission) {
				s.refuse(w, r, refusal(codeForbidden, "this needs the role "+rt.Permission.String()+"; "+who.name+" has "+orNone(string(who.role))))
				return
			}
		}
		if problem := checkBody(rt, r); problem != nil {
			s.refuse(w, r, problem)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authenticate finds who makes the request. Exactly one Authorization header is looked at, and nothing else ever: no cookie, no query parameter. It
// holds a bearer token or, with basic, the token as the password of any user.
func (s *server) authenticate(r *http.Request, basic bool) (principal, *Problem) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 && s.cfg.Dev {
		return developer, nil
	}
	if len(headers) != 1 {
		return principal{}, refusal(codeUnauthenticated, "the request has no token")
	}
	scheme, secret, _ := strings.Cut(headers[0], " ")
	if _, password, ok := r.BasicAuth(); basic && ok {
		scheme, secret = "bearer", password
	}
	if !strings.EqualFold(scheme, "bearer") || !wellFormed(secret) || s.cfg.Tokens == nil {
		return principal{}, refusal(codeUnauthenticated, "the token is not valid")
	}
	hash := HashToken(secret)
	token, err := s.cfg.Tokens.TokenByHash(r.Context(), hash)
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return principal{}, refusal(codeUnauthenticated, "the token is not valid")
	case err != nil:
		return principal{}, s.problem(r.Context(), err)
	case subtle.ConstantTimeCompare(token.Hash, hash) != 1:
		return principal{}, refusal(codeUnauthenticated, "the token is not valid")
	case !token.ExpiresAt.IsZero() && !s.cfg.Now().Before(token.ExpiresAt):
		return principal{}, refusal(codeTokenExpired, "the token has expired")
	}
	return principal{name: token.Name, role: token.Role, token: token.ID, expires: token.ExpiresAt}, nil
}

// checkHost refuses, on a server that asks for no token, requests for any host but this one: a page of another site that has its name
// resolve to a loopback address is stopped by nothing else.
func (s *server) checkHost(next http.Handler) http.Handler {
	if !s.cfg.Dev {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopbackHost(r.Host) {
			s.refuse(w, r, refusal(codeHost, "this server answers on loopback addresses only"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func loopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
