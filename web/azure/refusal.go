package azure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/almanac-sched/almanac/engine/azure"
)

// A Refusal is why a request was refused, in the form of the Azure Resource Manager.
type Refusal struct {
	Status  int      `json:"-"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Details []Detail `json:"details,omitempty"`
}

// A Detail is one of several things that are wrong.
type Detail struct {
	Code    string `json:"code"`
	Target  string `json:"target,omitempty"` // the member, as the client wrote it
	Message string `json:"message"`
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// The codes of refusals.
const (
	codeBadRequest     = "BadRequest"
	codeVerb           = "InvalidHttpVerb"
	codeQuery          = "MissingOrInvalidRequiredQueryParameter"
	codeNoVersion      = "MissingApiVersionParameter"
	codeVersion        = "InvalidApiVersionParameter"
	codeSubscription   = "InvalidSubscriptionId"
	codeAuthentication = "AuthenticationFailed"
	codeAuthorization  = "AuthorizationFailed"
	codeNotFound       = "ResourceNotFound"
	codeNoGroup        = "ResourceGroupNotFound"
	codeTimeout        = "OperationTimedOut"
	codeConflict       = "ConflictError"
	codeTooLarge       = "RequestEntityTooLarge"
	codeMediaType      = "UnsupportedMediaType"
	codeHost           = "MisdirectedRequest"
	codeRate           = "TooManyRequests"
	codeInternal       = "InternalError"
	codeBusy           = "ServerBusy"
)

// statuses is the one table of codes.
var statuses = map[string]int{
	codeBadRequest: http.StatusBadRequest, codeVerb: http.StatusBadRequest, codeQuery: http.StatusBadRequest, codeNoVersion: http.StatusBadRequest,
	codeVersion: http.StatusBadRequest, codeSubscription: http.StatusBadRequest, codeAuthentication: http.StatusUnauthorized,
	codeAuthorization: http.StatusForbidden, codeNotFound: http.StatusNotFound, codeNoGroup: http.StatusNotFound, codeTimeout: http.StatusRequestTimeout,
	codeConflict: http.StatusConflict, codeTooLarge: http.StatusRequestEntityTooLarge, codeMediaType: http.StatusUnsupportedMediaType,
	codeHost: http.StatusMisdirectedRequest, codeRate: http.StatusTooManyRequests, codeInternal: http.StatusInternalServerError,
	codeBusy: http.StatusServiceUnavailable,
}

// outside are the codes of what is refused before the face is asked, by the status that the native API answers. The service has no 405.
var outside = map[int]string{
	http.StatusUnauthorized: codeAuthentication, http.StatusForbidden: codeAuthorization, http.StatusNotFound: codeNotFound,
	http.StatusMethodNotAllowed: codeVerb, http.StatusRequestTimeout: codeTimeout, http.StatusConflict: codeConflict,
	http.StatusRequestEntityTooLarge: codeTooLarge, http.StatusUnsupportedMediaType: codeMediaType, http.StatusMisdirectedRequest: codeHost,
	http.StatusTooManyRequests: codeRate, http.StatusInternalServerError: codeInternal, http.StatusServiceUnavailable: codeBusy,
}

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Status: statuses[code], Code: code, Message: fmt.Sprintf(format, args...)}
}

// Outside is the refusal of what the server refuses before the face is asked, by its status.
func Outside(status int, message string) *Refusal {
	code, known := outside[status]
	if !known {
		code = codeBadRequest
	}
	return refuse(code, "%s", message)
}

// refuseMistakes is the refusal of a document with all that is wrong with it: a conflict when it only clashes with what is there.
func refuseMistakes(mistakes azure.Mistakes) *Refusal {
	code := codeConflict
	lines := make([]string, len(mistakes))
	for i, m := range mistakes {
		if !m.Conflict {
			code = codeBadRequest
		}
		lines[i] = m.String()
	}
	r := refuse(code, "%s", strings.Join(lines, " "))
	for _, m := range mistakes {
		r.Details = append(r.Details, Detail{Code: code, Target: m.Path, Message: m.Message})
	}
	return r
}

func missing(p place) *Refusal {
	if p.Job != "" {
		return refuse(codeNotFound, "The job '%s' was not found in the job collection '%s'.", p.Job, p.Collection)
	}
	return refuse(codeNotFound, "The Resource 'Microsoft.Scheduler/jobCollections/%s' under resource group '%s' was not found.", p.Collection, p.Group)
}

// Write answers with the refusal.
func (r *Refusal) Write(w http.ResponseWriter) {
	writeJSON(w, r.Status, map[string]*Refusal{"error": r})
}

// writeJSON answers with a document, nil with nothing.
func writeJSON(w http.ResponseWriter, status int, body any) {
	if body == nil {
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(status)
		return
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		panic("stuck, this is a bug: an answer of the face can be written: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})) // whoever went away reads no error either
}

// Head sets the headers that every answer of the face has. id names the request.
func Head(h http.Header, id string) {
	h.Set("x-ms-request-id", id)
	h.Set("x-ms-correlation-request-id", id)
	h.Set("Cache-Control", "no-cache")
	h.Set("Pragma", "no-cache")
	h.Set("Expires", "-1")
}
