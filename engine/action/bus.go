package action

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// sharedAccessLife is how long a signature holds: longer than any request, and than two clocks are apart.
const sharedAccessLife = 20 * time.Minute

// entityPattern is the path of a queue or a topic.
var entityPattern = regexp.MustCompile(`^[A-Za-z0-9/_~$][A-Za-z0-9._/~$-]{0,259}$`)

// checkBus refuses what would be another address or another header than meant, on either transport.
func checkBus(b *engine.ServiceBus) error {
	p := &b.Brokered
	switch entity := string(b.Entity); {
	case !entityPattern.MatchString(entity) || slices.ContainsFunc(strings.Split(entity, "/"), func(s string) bool { return s == "." || s == ".." }):
		return fmt.Errorf("the queue or topic %q: allowed are at most 260 letters, digits and the characters . _ ~ $ - and /", entity)
	case b.KeyName != "" && b.Key == "":
		return errors.New("there is no sasKey")
	}
	for _, text := range slices.Concat([]engine.Text{b.KeyName, b.Key, p.ContentType, p.CorrelationID, p.Label, p.MessageID, p.PartitionKey, p.ReplyTo, p.ReplyToSessionID,
		p.SessionID, p.To, p.ViaPartitionKey}, slices.Collect(maps.Values(b.Custom))) {
		if strings.ContainsFunc(string(text), func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
			return errors.New("a property or the key of the message holds a line break or another control character")
		}
	}
	return nil
}

// prepareBus makes the request that sends a message to the Service Bus by REST (`azure-scheduler.md` §7).
func (q *requests) prepareBus(ctx context.Context, a engine.Attempt) (sending, error) {
	b := a.Action.Bus
	if err := checkBus(b); err != nil {
		return nil, err
	}
	u, err := at(q.config.Azure.Bus, "{namespace}", string(b.Namespace), "namespace")
	if err != nil {
		return nil, err
	}
	u = u.JoinPath(strings.Trim(string(b.Entity), "/"))
	entity := u.String()
	u = u.JoinPath("messages")
	req, err := http.NewRequestWithContext(context.WithValue(ctx, staying{}, true), http.MethodPost, u.String(), strings.NewReader(string(b.Message)))
	if err != nil {
		return nil, errors.New("the address of the queue or topic is malformed")
	}
	// Each header that is not one of its own the Service Bus takes as a property of the message: no more than these are sent.
	for _, name := range slices.Sorted(maps.Keys(b.Custom)) {
		key := http.CanonicalHeaderKey(name)
		if !validToken(name) || slices.Contains(framing, key) || slices.Contains(busHeaders, key) {
			return nil, fmt.Errorf("the property %q cannot be sent as a header: use transportType AMQP", name)
		}
		req.Header[name] = []string{quoteProperty(string(b.Custom[name]))}
	}
	req.Header.Set("User-Agent", q.userAgent())
	if b.Brokered.ContentType != "" {
		req.Header.Set("Content-Type", string(b.Brokered.ContentType))
	}
	properties, err := brokerProperties(brokered(a))
	if err != nil {
		return nil, err
	}
	if properties != "" {
		req.Header.Set("BrokerProperties", properties)
	}
	return func(log *mask) reply {
		if b.KeyName != "" {
			token := sharedAccess(entity, string(b.KeyName), string(b.Key), time.Now().Add(sharedAccessLife))
			req.Header.Set("Authorization", token)
			log.hide(string(b.Key), token, signatureOf(token))
		}
		return q.exchange(req, log, false).from(u.Host)
	}, nil
}

// busHeaders are headers that are no properties of a message.
var busHeaders = []string{"Accept-Encoding", "Authorization", "Brokerproperties", "Content-Type", "Content-Encoding", "Cookie", "Expect", "Host", "User-Agent"}

// quoteProperty writes a text as the value of a property's header.
func quoteProperty(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// brokered are the properties of the message of an attempt. One without an id gets the idempotency key, by which a queue or topic with duplicate
// detection refuses what it has already.
func brokered(a engine.Attempt) *engine.BrokeredProperties {
	p := a.Action.Bus.Brokered
	if p.MessageID == "" {
		p.MessageID = engine.Text(a.IdempotencyKey())
	}
	return &p
}

// brokerProperties is the header of that name: JSON in ASCII, "" when there is nothing to say.
func brokerProperties(p *engine.BrokeredProperties) (string, error) {
	m := map[string]any{}
	for name, text := range map[string]engine.Text{
		"CorrelationId": p.CorrelationID, "SessionId": p.SessionID, "MessageId": p.MessageID, "Label": p.Label, "ReplyTo": p.ReplyTo, "To": p.To,
		"ReplyToSessionId": p.ReplyToSessionID, "PartitionKey": p.PartitionKey, "ViaPartitionKey": p.ViaPartitionKey,
	} {
		if text != "" {
			m[name] = string(text)
		}
	}
	if p.TimeToLive > 0 {
		m["TimeToLive"] = p.TimeToLive.Seconds()
	}
	if p.ForcePersistence {
		m["ForcePersistence"] = true
	}
	at, err := enqueueTime(p)
	if err != nil {
		return "", err
	}
	if !at.IsZero() {
		m["ScheduledEnqueueTimeUtc"] = at.Format(http.TimeFormat)
	}
	if len(m) == 0 {
		return "", nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("write the broker properties: %w", err)
	}
	var ascii strings.Builder
	for _, c := range string(text) {
		switch {
		case c < 0x80:
			ascii.WriteRune(c)
		case c > 0xffff:
			c -= 0x10000
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		default:
			fmt.Fprintf(&ascii, `\u%04x`, c)
		}
	}
	return ascii.String(), nil
}

// enqueueTime is when the message becomes visible, in UTC; zero is at once.
func enqueueTime(p *engine.BrokeredProperties) (time.Time, error) {
	text := string(p.ScheduledEnqueue)
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("scheduledEnqueueTimeUtc is %q, which is no time such as 2026-10-01T02:00:00Z", text)
}

// sharedAccess is a shared access signature of the Service Bus (`azure-scheduler.md` §8). The key's text is the key.
func sharedAccess(resource, keyName, key string, until time.Time) string {
	resource = strings.ToLower(url.QueryEscape(resource))
	expiry := strconv.FormatInt(until.Unix(), 10)
	sum := hmac.New(sha256.New, []byte(key))
	sum.Write([]byte(resource + "\n" + expiry))
	return "SharedAccessSignature sr=" + resource + "&sig=" + url.QueryEscape(base64.StdEncoding.EncodeToString(sum.Sum(nil))) + "&se=" + expiry + "&skn=" + url.QueryEscape(keyName)
}

// signatureOf is what of a shared access signature nobody can make without the key.
func signatureOf(token string) string {
	_, after, _ := strings.Cut(token, "&sig=")
	before, _, _ := strings.Cut(after, "&")
	return before
}
