package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Webhook says how a request starts a job.
type Webhook struct {
	Secret    string            // the name of the job's secret that signs
	SignsBody bool              // the signature is of the body alone, as GitHub's; else of delivery id, timestamp and body
	Tolerance time.Duration     // how far the signed timestamp may be from now
	PlanTime  string            // a JSON pointer into the body, or a header; "" is now
	Params    map[string]string // the same for parameters
}

// A Delivery is a request to a webhook, as it came.
type Delivery struct {
	Ref       JobRef
	ID        string // what the sender calls it
	Timestamp string // seconds since 1970
	Signature string // sha256= and the HMAC-SHA256 in hexadecimal
	Body      []byte
	Header    func(name string) string
}

// ErrSignature is a delivery that does not prove what it must. It says no more, so that strangers learn nothing.
var ErrSignature = errors.New("the delivery is not signed as it must be")

// shortestHookSecret is the least that signs, in bytes.
const shortestHookSecret = 16

var deliveryIDForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$`)

// CheckDelivery reports whether a delivery is signed with the secret of the job's webhook: nil, or ErrSignature. It takes as long for a job that there is not.
func (e *Engine) CheckDelivery(d Delivery, now time.Time) error {
	_, _, err := e.checkDelivery(d, now)
	return err
}

// checkDelivery returns the job and the key of the instance that the delivery makes.
func (e *Engine) checkDelivery(d Delivery, now time.Time) (job *definition, key string, err error) {
	secret, hook := strings.Repeat("\x00", 32), &Webhook{Tolerance: time.Minute} // of nobody
	known := false
	if job = e.defs.lookup(d.Ref); job != nil && !job.row.Removed && job.job.Webhook != nil && e.cfg.Secret != nil {
		hook = job.job.Webhook
		value, err := e.cfg.Secret(job.job.Secrets[hook.Secret])
		switch {
		case err != nil:
			e.log.Warn("a delivery cannot be checked: its secret cannot be read", "job", d.Ref.String(), "error", err)
		case len(value) < shortestHookSecret:
			e.log.Warn("a delivery cannot be checked: its secret is too short", "job", d.Ref.String(), "bytes", len(value), "least", shortestHookSecret)
		default:
			secret, known = value, true
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fresh := true
	if !hook.SignsBody {
		fmt.Fprintf(mac, "%s.%s.", d.ID, d.Timestamp)
		at, err := strconv.ParseInt(d.Timestamp, 10, 64)
		fresh = err == nil && at > 0 && at < 1<<40 && now.Sub(time.Unix(at, 0)).Abs() <= hook.Tolerance && deliveryIDForm.MatchString(d.ID)
	}
	mac.Write(d.Body)
	given, err := hex.DecodeString(strings.TrimPrefix(d.Signature, "sha256="))
	if !hmac.Equal(mac.Sum(nil), given) || err != nil || !strings.HasPrefix(d.Signature, "sha256=") || !known || !fresh {
		return nil, "", ErrSignature
	}
	id := d.ID
	if hook.SignsBody { // the id is not signed, and another one must not make another instance
		sum := sha256.Sum256(d.Body)
		id = hex.EncodeToString(sum[:16])
	}
	return job, OwnKeys + "hook-" + id, nil
}

// Deliver starts the job of a webhook, once for each delivery however often it is sent. Errors are of kind ErrSignature, ErrConflict (the job is disabled) or
// ErrInvalid, which says everything that is wrong with the body.
func (e *Engine) Deliver(ctx context.Context, d Delivery, now time.Time) (instance Instance, created bool, err error) {
	job, key, err := e.checkDelivery(d, now)
	if err != nil {
		return Instance{}, false, err
	}
	r, err := job.job.Webhook.request(d, job.job.When.Location)
	if err != nil {
		return Instance{}, false, err
	}
	r.Ref, r.Key, r.Actor = d.Ref, key, "webhook"
	r.Note = "delivery " + strings.TrimPrefix(key, OwnKeys+"hook-")
	return e.Trigger(ctx, r, now)
}

// request makes of a delivery what a trigger would say.
func (w *Webhook) request(d Delivery, zone *time.Location) (TriggerRequest, error) {
	var r TriggerRequest
	var document any
	var mistakes []error
	if len(d.Body) > 0 {
		decoder := json.NewDecoder(strings.NewReader(string(d.Body)))
		decoder.UseNumber()
		if err := decoder.Decode(&document); err != nil {
			return r, fmt.Errorf("%w: the body is no JSON", ErrInvalid)
		}
	}
	at := func(source string) (string, bool) {
		if strings.HasPrefix(source, "/") {
			value, err := Point(document, source)
			return value, err == nil
		}
		value := d.Header(source)
		return value, value != ""
	}
	if w.PlanTime != "" {
		text, found := at(w.PlanTime)
		planTime, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			planTime, err = time.ParseInLocation(time.DateOnly, text, zone)
		}
		switch {
		case !found:
			mistakes = append(mistakes, fmt.Errorf("%w: there is no plan time at %s", ErrInvalid, w.PlanTime))
		case err != nil:
			mistakes = append(mistakes, fmt.Errorf("%w: the plan time at %s is %q; allowed is a time such as 2026-10-01T02:00:00+08:00, or a date", ErrInvalid, w.PlanTime, cut(text, 100)))
		}
		r.PlanTime = &planTime
	}
	for _, name := range slices.Sorted(maps.Keys(w.Params)) {
		if value, found := at(w.Params[name]); found {
			if r.Params == nil {
				r.Params = map[string]string{}
			}
			r.Params[name] = value
		}
	}
	return r, errors.Join(mistakes...)
}

// Point returns what a JSON pointer (RFC 6901) points to in a document that was decoded with its numbers as they are: a text as it is, anything else as JSON.
func Point(document any, pointer string) (string, error) {
	at := document
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		found := false
		switch v := at.(type) {
		case map[string]any:
			at, found = v[token]
		case []any:
			if n, err := strconv.Atoi(token); err == nil && n >= 0 && n < len(v) && strconv.Itoa(n) == token {
				at, found = v[n], true
			}
		}
		if !found {
			return "", fmt.Errorf("there is nothing at %s", pointer)
		}
	}
	if text, ok := at.(string); ok {
		return text, nil
	}
	text, err := json.Marshal(at)
	return string(text), err
}
