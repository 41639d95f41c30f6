package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// The bounds of one message to a sink.
const (
	sinkPatience = 30 * time.Second // for the whole exchange; less than the engine waits for what became of it
	messageLimit = 256 << 10
	answerLimit  = 64 << 10 // of an answer, of which the beginning may be shown
	answerShown  = 200
)

// Sinks tells the sinks of a server, through the one client that actions use too: what they may not reach, sinks may not either.
type Sinks struct {
	Page string // address of the server's pages, for links; "" is none

	requests *requests
	logs     *Logs
	names    []string
	byName   map[string]*sink
}

var _ engine.Notifier = (*Sinks)(nil)

type sink struct {
	engine.Sink
	template *template.Template // nil is the type's own
	secret   func(engine.SecretSource) (string, error)
}

// Sinks makes the sinks of a list. Secrets are read anew for each message.
func (r *Runner) Sinks(list []engine.Sink, secret func(engine.SecretSource) (string, error)) (*Sinks, error) {
	s := &Sinks{requests: r.web, logs: r.Logs(), byName: map[string]*sink{}}
	for _, one := range list {
		k := &sink{Sink: one, secret: secret}
		if one.Template != "" {
			t, err := template.New(one.Name).Option("missingkey=error").Funcs(engine.AlertTemplateFuncs).Parse(one.Template)
			if err != nil {
				return nil, fmt.Errorf("the template of the sink %s: %w", one.Name, err)
			}
			k.template = t
		}
		s.byName[one.Name] = k
		s.names = append(s.names, one.Name)
	}
	slices.Sort(s.names)
	return s, nil
}

// Sinks lists the names.
func (s *Sinks) Sinks() []string { return s.names }

// Notify sends a message and returns at once.
func (s *Sinks) Notify(name string, m engine.AlertMessage, done func(engine.Told)) {
	k := s.byName[name]
	if k == nil {
		go done(engine.Told{Error: "the server has no sink " + name, Final: true, At: time.Now()})
		return
	}
	go func() {
		s.complete(&m)
		ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), staying{}, true), sinkPatience)
		defer cancel()
		hidden := &mask{}
		err := k.tell(ctx, s.requests, m, hidden)
		told := engine.Told{At: time.Now()}
		if err != nil {
			var final *finalError
			told.Error, told.Final = firstLine(hidden.hidden(strings.ToValidUTF8(err.Error(), "\uFFFD"))), errors.As(err, &final)
		}
		done(told)
	}()
}

// A finalError is one that trying again cannot help.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

func (k *sink) tell(ctx context.Context, q *requests, m engine.AlertMessage, hidden *mask) error {
	if k.Type == engine.SinkEmail {
		return k.mail(ctx, q, m, hidden)
	}
	address := k.URL
	if k.URLFrom != nil {
		var err error
		if address, err = k.secret(*k.URLFrom); err != nil {
			return fmt.Errorf("its address: %w", err)
		}
		hidden.hide(address)
	}
	at, err := url.Parse(strings.TrimSpace(address))
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return &finalError{errors.New("its address is none of http or https")}
	}
	if k.URLFrom != nil {
		hidden.hide(at.RequestURI(), at.RawQuery)
	}
	key := ""
	if k.Secret != nil {
		if key, err = k.secret(*k.Secret); err != nil {
			return fmt.Errorf("its secret: %w", err)
		}
		hidden.hide(key)
	}
	body, err := k.body(m)
	if err != nil {
		return &finalError{err}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), nil)
	if err != nil {
		return &finalError{bare(err)}
	}
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("User-Agent", "almanac/"+q.config.Version)
	request.Header.Set("Idempotency-Key", m.ID)
	for name, value := range k.Headers {
		request.Header.Set(name, value)
	}
	if body, err = sign(k.Type, key, time.Now(), request, body); err != nil {
		return &finalError{err}
	}
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response, err := q.client.Do(request)
	if err != nil {
		return errors.New(plain(err))
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("the answer of %s broke off: %s", at.Host, plain(err))
	}
	return judgeAnswer(k.Type, at.Host, response.StatusCode, answer)
}

// body is the message in the words of the sink's type, or of its template.
func (k *sink) body(m engine.AlertMessage) ([]byte, error) {
	if k.template == nil {
		return json.Marshal(formed(k.Type, m))
	}
	out := &limited{left: messageLimit}
	if err := k.template.Execute(out, m); err != nil {
		return nil, fmt.Errorf("the template: %w", err)
	}
	return out.Bytes(), nil
}

// A limited is a buffer that refuses to grow beyond a limit.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fmt.Errorf("it makes more than %d bytes", messageLimit)
	}
	return l.Buffer.Write(p)
}

// judgeAnswer finds out whether a sink has taken a message. Some services say no under the status 200.
func judgeAnswer(kind, host string, status int, answer []byte) error {
	words := fmt.Sprintf("HTTP %d from %s", status, host)
	if text := strings.TrimSpace(string(answer)); text != "" {
		words += ": " + strconv.Quote(text[:min(len(text), answerShown)])
	}
	switch {
	case status >= 200 && status < 300:
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status == http.StatusTooManyRequests, status >= 500:
		return errors.New(words)
	default:
		return &finalError{errors.New(words)}
	}
	var said struct {
		Code    int `json:"code"`
		ErrCode int `json:"errcode"`
	}
	switch kind {
	case engine.SinkFeishu, engine.SinkDingTalk, engine.SinkWeCom:
		if err := json.Unmarshal(answer, &said); err != nil {
			return fmt.Errorf("the answer is not that of the service: %s", words)
		}
		if said.Code != 0 || said.ErrCode != 0 {
			return errors.New(words)
		}
	}
	return nil
}
