package action

import (
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/almanac-sched/almanac/engine"
)

// queueVersion is the version of the storage service's REST API that is spoken; every one since 2011 has what is used of it.
const queueVersion = "2018-11-09"

// prepareQueue makes the request that puts a message on a storage queue (`azure-scheduler.md` §7).
func (q *requests) prepareQueue(ctx context.Context, a engine.Attempt) (sending, error) {
	m := a.Action.Queue
	u, err := q.queueAddress(m)
	if err != nil {
		return nil, err
	}
	if u.RawQuery, err = signature(string(m.SAS)); err != nil {
		return nil, err
	}
	text := string(m.Message)
	if q.config.Azure.Envelope == EnvelopeXML {
		if text, err = envelope(a, q.config.Azure.Region, text); err != nil {
			return nil, err
		}
	}
	body := `<?xml version="1.0" encoding="utf-8"?><QueueMessage><MessageText>` + base64.StdEncoding.EncodeToString([]byte(text)) + `</MessageText></QueueMessage>`
	req, err := http.NewRequestWithContext(context.WithValue(ctx, staying{}, true), http.MethodPost, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of the queue is malformed") // the error would repeat it, with the signature
	}
	req.Header.Set("Content-Type", "application/xml")
	req.Header.Set("User-Agent", q.userAgent())
	req.Header.Set("X-Ms-Version", queueVersion)
	req.Header.Set("X-Ms-Client-Request-Id", clientRequestID(a))
	return func(log *mask) reply {
		log.hide(u.RawQuery, u.Query().Get("sig"), url.QueryEscape(u.Query().Get("sig")))
		return q.exchange(req, log, false).from(u.Host)
	}, nil
}

// queueAddress is where a queue takes messages: below its account, or below the address that the action itself gives.
func (q *requests) queueAddress(m *engine.StorageQueue) (*url.URL, error) {
	if m.URI != "" {
		u, err := url.Parse(string(m.URI))
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, errors.New("queueUri is no address of a queue such as https://host/queue") // without it: it may hold a signature
		}
		return u.JoinPath("messages"), nil
	}
	u, err := at(q.config.Azure.Queue, "{account}", string(m.Account), "storageAccount")
	if err != nil {
		return nil, err
	}
	if !labelPattern.MatchString(string(m.Queue)) {
		return nil, fmt.Errorf("queueName %q: allowed are letters, digits and -, at most 63", m.Queue)
	}
	return u.JoinPath(string(m.Queue), "messages"), nil
}

// signature returns a shared access signature as the query that it is. It comes with a "?" in front or without, once even with "s?", and people paste
// the whole address that it stood in.
func signature(token string) (string, error) {
	token = strings.TrimSpace(token)
	if _, after, found := strings.Cut(token, "?"); found {
		token = after
	}
	if _, err := url.ParseQuery(token); err != nil || token == "" || strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune(`"#<>\^{}|`+"`", c) }) {
		return "", errors.New("the sasToken is no shared access signature: it is a query such as sv=2018-11-09&sig=AbC")
	}
	return token, nil
}

// queueEnvelope is the XML that Azure Scheduler's consumers know.
type queueEnvelope struct {
	XMLName       xml.Name `xml:"StorageQueueMessage"`
	Schema        string   `xml:"xmlns:xsd,attr"`
	Instance      string   `xml:"xmlns:xsi,attr"`
	ExecutionTag  string
	ClientRequest string `xml:"ClientRequestId"`
	Expected      string `xml:"ExpectedExecutionTime"`
	Job           string `xml:"SchedulerJobId"`
	Collection    string `xml:"SchedulerJobCollectionId"`
	Region        string
	Message       string
}

// envelope wraps a message. Its declaration says utf-16 as Azure's did, whose consumers read a text and not bytes.
func envelope(a engine.Attempt, region, message string) (string, error) {
	if !utf8.ValidString(message) || strings.ContainsFunc(message, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0xfffe || c == 0xffff
	}) {
		return "", errors.New("the message holds a character that XML cannot; the server can be told to send messages without the envelope")
	}
	text, err := xml.MarshalIndent(queueEnvelope{
		Schema: "http://www.w3.org/2001/XMLSchema", Instance: "http://www.w3.org/2001/XMLSchema-instance",
		ExecutionTag: fmt.Sprintf("%032x", a.Instance), ClientRequest: clientRequestID(a), Expected: a.PlanTime.UTC().Format("2006-01-02T15:04:05.9999999"),
		Job: a.Ref.Job, Collection: collection(a), Region: region, Message: message,
	}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write the message's envelope: %w", err)
	}
	return `<?xml version="1.0" encoding="utf-16"?>` + "\n" + string(text), nil
}
