package action

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

const (
	tokenAnswer = 64 << 10        // bytes of a token endpoint's answer that are read
	tokenMargin = 5 * time.Minute // before its end a token is not used any more, or a fifth of its life where that is less
	mostTokens  = 256             // kept
)

// tokens are the OAuth tokens of the process, each kept until shortly before it expires.
type tokens struct {
	requests *requests
	mu       sync.Mutex
	kept     map[[sha256.Size]byte]*token
}

// token is what one client may show to one audience.
type token struct {
	turn  chan struct{} // holds one, for whoever looks at the rest
	value string
	until time.Time
}

// tenantPattern is the name of a tenant, which becomes part of an address: an id, or a domain.
var tenantPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$`)

// checkOAuth refuses what no token can be asked for with.
func checkOAuth(o *engine.OAuth) error {
	switch {
	case !tenantPattern.MatchString(string(o.Tenant)):
		return fmt.Errorf("tenant %q is no tenant: it is an id or a domain", o.Tenant)
	case o.Audience == "" || o.ClientID == "":
		return errors.New("there is no audience or no clientId")
	case o.Secret == "":
		return errors.New("there is no secret")
	}
	return nil
}

// authorized sends a request with a token. When the token is refused a new one is asked for, once: it may have been withdrawn.
func (q *requests) authorized(req *http.Request, o *engine.OAuth, log *mask, keep bool) reply {
	refused := ""
	for {
		value, err := q.tokens.get(req.Context(), o, refused)
		if err != nil {
			return reply{err: err}
		}
		log.hide(value)
		again := req.Clone(req.Context())
		if req.GetBody != nil {
			if again.Body, err = req.GetBody(); err != nil {
				return reply{err: fmt.Errorf("repeat the request: %w", err)}
			}
		}
		again.Header.Set("Authorization", "Bearer "+value)
		resp, unknown, err := q.do(again)
		switch {
		case err != nil:
			return reply{err: err, unknown: unknown}
		case resp.StatusCode != http.StatusUnauthorized || refused != "":
			return q.answered(resp, log, keep)
		}
		_, _ = io.CopyN(io.Discard, resp.Body, tokenAnswer) // so that the connection can be used again
		resp.Body.Close()
		refused = value
	}
}

// get returns a token that is not the refused one. Those who need the same token ask for it one after the other.
func (t *tokens) get(ctx context.Context, o *engine.OAuth, refused string) (string, error) {
	k := t.of(o)
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { <-k.turn }()
	if k.value != "" && k.value != refused && time.Now().Before(k.until) {
		return k.value, nil
	}
	k.value = ""
	value, life, err := t.ask(ctx, o)
	if err != nil {
		return "", err
	}
	k.value, k.until = value, time.Now().Add(life-min(tokenMargin, life/5))
	return value, nil
}

func (t *tokens) of(o *engine.OAuth) *token {
	key := sha256.Sum256([]byte(strings.Join([]string{string(o.Tenant), string(o.Audience), string(o.ClientID), string(o.Secret)}, "\x00")))
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kept[key]
	if k == nil {
		if t.kept == nil || len(t.kept) >= mostTokens {
			t.kept = map[[sha256.Size]byte]*token{}
		}
		k = &token{turn: make(chan struct{}, 1)}
		t.kept[key] = k
	}
	return k
}

// ask gets a token by the client's own credentials (`azure-scheduler.md` §3, Outbound HTTP authentication). Its errors name the endpoint's host and
// the error's code, and nothing else that the endpoint said.
func (t *tokens) ask(ctx context.Context, o *engine.OAuth) (value string, life time.Duration, err error) {
	q := t.requests
	at, err := url.Parse(q.config.Azure.Authority + "/" + url.PathEscape(string(o.Tenant)) + "/oauth2/token")
	if err != nil {
		return "", 0, errors.New("the address of the token endpoint is malformed")
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {string(o.ClientID)}, "client_secret": {string(o.Secret)}, "resource": {string(o.Audience)}}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, staying{}, true), http.MethodPost, at.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, errors.New("the address of the token endpoint is malformed")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", q.userAgent())
	resp, err := q.client.Do(req)
	if err != nil {
		return "", 0, fmt.Errorf("get a token from %s: %w", at.Host, bare(err))
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, tokenAnswer))
	if err != nil {
		return "", 0, fmt.Errorf("get a token from %s: %w", at.Host, err)
	}
	var answer struct {
		Token   string          `json:"access_token"`
		Expires json.RawMessage `json:"expires_in"` // a number, or a number in quotes
		Error   string          `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil && resp.StatusCode == http.StatusOK {
		return "", 0, fmt.Errorf("get a token from %s: the answer is not what a token endpoint gives", at.Host)
	}
	if resp.StatusCode != http.StatusOK || answer.Token == "" || strings.ContainsFunc(answer.Token, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		words := statusWords(resp.StatusCode)
		if validToken(answer.Error) && len(answer.Error) <= 64 {
			words += ", " + answer.Error
		}
		return "", 0, fmt.Errorf("get a token from %s: %s", at.Host, words)
	}
	seconds, _ := strconv.ParseInt(strings.Trim(string(answer.Expires), `"`), 10, 32)
	return answer.Token, time.Duration(seconds) * time.Second, nil
}
