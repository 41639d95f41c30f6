package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web/azure"
)

// A Problem is why a request was refused (RFC 9457). Code is stable and meant for programs, Detail and Hint are for people.
type Problem struct {
	Type     string    `json:"type" doc:"A stable name of the kind of problem" example:"urn:almanac:problem:not-found"`
	Title    string    `json:"title" doc:"The kind of problem in words" example:"Not Found"`
	Status   int       `json:"status" doc:"The HTTP status" example:"404"`
	Code     string    `json:"code" doc:"The last part of type" example:"not-found"`
	Detail   string    `json:"detail,omitempty" doc:"What happened this time" example:"instance 7: not found"`
	Hint     string    `json:"hint,omitempty" doc:"What to do about it"`
	Instance string    `json:"instance,omitempty" doc:"Names this request; the server's log has it too" example:"urn:almanac:request:4f9c11d2a07be358"`
	Errors   []Mistake `json:"errors,omitempty" nullable:"false" doc:"Everything that is wrong with the request"`
}

// A Mistake is one thing that is wrong with a request.
type Mistake struct {
	Location string `json:"location,omitempty" doc:"Where: path, query, header or body, then the member" example:"body.params.day"`
	Message  string `json:"message" doc:"What is wrong" example:"expected string"`
}

// Error gives the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus gives the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is the media type of problem details.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = "application/problem+json"

// The codes of problems. They are part of the API: one is never renamed.
const (
	codeBadRequest      = "bad-request"
	codePath            = "bad-path"
	codeUnauthenticated = "unauthenticated"
	codeTokenExpired    = "token-expired"
	codeSignature       = "bad-signature"
	codeForbidden       = "forbidden"
	codeCrossOrigin     = "cross-origin"
	codeNotFound        = "not-found"
	codeMethod          = "method-not-allowed"
	codeTimeout         = "timeout"
	codeConflict        = "conflict"
	codeDrift           = "drift"
	codeRepeated        = "repeated"
	codeTooLarge        = "too-large"
	codeMediaType       = "unsupported-media-type"
	codeHost            = "wrong-host"
	codeInvalid         = "invalid"
	codeKeyReused       = "key-reused"
	codeRate            = "rate-limited"
	codeStreams         = "too-many-streams"
	codeInternal        = "internal"
	codeNotReady        = "not-ready"
	codeFull            = "disk-full"
)

// problems is the one table of codes: status and hint.
var problems = []struct {
	code   string
	status int
	hint   string
}{
	{codeBadRequest, http.StatusBadRequest, "send one JSON document as the API's description has it: /api/v1/openapi.json"},
	{codePath, http.StatusBadRequest, "write each name as one plain segment of the path"},
	{codeUnauthenticated, http.StatusUnauthorized, "send the header Authorization: Bearer alm_…; `almanac token create` makes a token"},
	{codeTokenExpired, http.StatusUnauthorized, "make a new token with `almanac token create`"},
	{codeSignature, http.StatusUnauthorized, "sign delivery id, timestamp and body with HMAC-SHA256 and the webhook's secret; docs/actions.md shows how"},
	{codeForbidden, http.StatusForbidden, "use a token with a stronger role"},
	{codeCrossOrigin, http.StatusForbidden, "use the server's own pages, or a program"},
	{codeNotFound, http.StatusNotFound, "look for it with GET /api/v1/jobs or GET /api/v1/instances"},
	{codeMethod, http.StatusMethodNotAllowed, "the header Allow lists the methods of this path"},
	{codeTimeout, http.StatusRequestTimeout, "send the body faster"},
	{codeConflict, http.StatusConflict, "read it again: its state has changed, or does not allow this"},
	{codeDrift, http.StatusPreconditionFailed, "plan or compare again, look at what is different, and apply that"},
	{codeRepeated, http.StatusConflict, "send it again in a moment; without an answer still, read what it was to change: it is not carried out twice"},
	{codeTooLarge, http.StatusRequestEntityTooLarge, "a body has at most 1 MiB, and most operations take none"},
	{codeMediaType, http.StatusUnsupportedMediaType, "send the header Content-Type: application/json"},
	{codeHost, http.StatusMisdirectedRequest, "use http://127.0.0.1 or http://localhost, or start the server with tokens"},
	{codeInvalid, http.StatusUnprocessableEntity, "the member errors lists everything that is wrong"},
	{codeKeyReused, http.StatusUnprocessableEntity, "take a new key for each new request"},
	{codeRate, http.StatusTooManyRequests, "wait as long as the header Retry-After says"},
	{codeStreams, http.StatusTooManyRequests, "end a stream before another is begun; one can follow everything"},
	{codeInternal, http.StatusInternalServerError, "the server's log says more under the name in the member instance"},
	{codeNotReady, http.StatusServiceUnavailable, "try again soon; GET /api/v1/status says why"},
	{codeFull, http.StatusInsufficientStorage, "free some space where the server's data directory lies, then send it again"},
}

// refusal is a problem of a known code.
func refusal(code, detail string) *Problem {
	for _, known := range problems {
		if known.code == code {
			return &Problem{
				Type: "urn:almanac:problem:" + code, Title: http.StatusText(known.status), Status: known.status, Code: code,
				Detail: detail, Hint: known.hint,
			}
		}
	}
	return refusal(codeInternal, detail)
}

// statusRefusal is a problem of the first code with a status, for what the OpenAPI library refuses by itself.
func statusRefusal(status int, detail string) *Problem {
	for _, known := range problems {
		if known.status == status {
			return refusal(known.code, detail)
		}
	}
	return refusal(codeInternal, "")
}

// problem turns an error of a port into the answer. A fault of the server is logged here, once, with the request's name, and the answer tells
// nothing of it.
func (s *server) problem(ctx context.Context, err error) *Problem {
	var p *Problem
	if !errors.As(err, &p) {
		p = s.answerTo(ctx, err)
	}
	p.Instance = exchangeOf(ctx).name()
	return p
}

// errorAnswers is the one table of the kinds of error: the code of each, and what is told of it; "" tells the error itself. The first that the error
// wraps counts.
var errorAnswers = []struct {
	kind  error
	code  string
	words string
	log   bool // it is a fault of the server or its machine
}{
	{engine.ErrDrift, codeDrift, "", false},
	{engine.ErrNotFound, codeNotFound, "", false},
	{engine.ErrRepeated, codeRepeated, "", false},
	{engine.ErrConflict, codeConflict, "", false},
	{engine.ErrInvalid, codeInvalid, "the request is not valid", false},
	{engine.ErrFull, codeFull, "the disk of the server is full: nothing was changed", true},
	{engine.ErrUnavailable, codeNotReady, "the rows cannot be reached just now: nothing was acknowledged", true},
}

// answerTo is what is told of an error.
func (s *server) answerTo(ctx context.Context, err error) *Problem {
	for _, known := range errorAnswers {
		if !errors.Is(err, known.kind) {
			continue
		}
		if known.log && ctx.Err() != nil {
			break
		}
		if known.log {
			s.log.Error("request failed", "request", exchangeOf(ctx).id, "error", err)
		}
		words := known.words
		if words == "" {
			words = oneLine(err)
		}
		p := refusal(known.code, words)
		if errors.Is(known.kind, engine.ErrInvalid) {
			p.Errors = mistakes(err)
		}
		return p
	}
	if ctx.Err() != nil {
		return refusal(codeNotReady, "the request was given up") // nobody reads it, or the server stops
	}
	s.log.Error("request failed", "request", exchangeOf(ctx).id, "error", err)
	return refusal(codeInternal, "the server could not do this")
}

// mistakes lists the mistakes that an error is made of, with their places where these are known; else the lines of an error that joins several, each
// without the words that say that it is one.
func mistakes(err error) []Mistake {
	var list []Mistake
	for _, m := range engine.Mistakes(err) {
		list = append(list, Mistake{Location: "body." + m.Field, Message: m.Text})
	}
	if list != nil {
		return list
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if _, rest, ok := strings.Cut(line, engine.ErrInvalid.Error()+": "); ok {
			line = rest
		}
		list = append(list, Mistake{Message: line})
	}
	return list
}

// oneLine is an error that joins several in one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// refuse writes a problem as the whole answer.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, p *Problem) {
	if azure.Owns(r.URL.Path) {
		azure.Outside(p.Status, p.Detail).Write(w)
		return
	}
	p.Instance = exchangeOf(r.Context()).name()
	body, err := json.Marshal(p)
	if err != nil {
		s.log.Error("write a problem", "error", err)
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n'))
}

// The OpenAPI library asks package variables how errors look and how strict it is; it knows no other way. They are set once, to what this
// package's doc comment promises.
func init() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, detail string, errs ...error) huma.StatusError {
		return validationProblem(status, detail, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, detail string, errs ...error) huma.StatusError {
		p := validationProblem(status, detail, errs)
		p.Instance = exchangeOf(ctx.Context()).name()
		return p
	}
}

// validationProblem lists what the library found wrong, in a stable order. The values that were sent are not repeated: one may be a secret
// in the wrong place.
func validationProblem(status int, detail string, errs []error) *Problem {
	p := statusRefusal(status, detail)
	if p.Code == codeInternal {
		return p
	}
	for _, err := range errs {
		var detail huma.ErrorDetailer
		if errors.As(err, &detail) {
			d := detail.ErrorDetail()
			p.Errors = append(p.Errors, Mistake{Location: d.Location, Message: d.Message})
		} else if err != nil {
			p.Errors = append(p.Errors, Mistake{Message: err.Error()})
		}
	}
	slices.SortFunc(p.Errors, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Message, b.Message))
	})
	p.Errors = slices.Compact(p.Errors)
	return p
}
