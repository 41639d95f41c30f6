package engine

import "encoding/json"

// A Sink is one place where messages go. What of it is secret stands elsewhere: the file says where.
type Sink struct {
	Name     string
	Type     string // one of SinkTypes
	URL      string // of a webhook; "" when URLFrom says
	URLFrom  *SecretSource
	Secret   *SecretSource // signs
	Headers  map[string]string
	Template string // of the body; "" is the type's own

	Host     string // of email
	Port     int
	TLS      string // starttls, tls or none
	Username string
	Password *SecretSource
	From     string
	To       []string
}

// The types of sinks.
const (
	SinkWebhook  = "webhook"
	SinkEmail    = "email"
	SinkSlack    = "slack"
	SinkFeishu   = "feishu"
	SinkDingTalk = "dingtalk"
	SinkWeCom    = "wecom"
)

// SinkTypes are the types of sinks.
var SinkTypes = []string{SinkWebhook, SinkEmail, SinkSlack, SinkFeishu, SinkDingTalk, SinkWeCom}

// AlertTemplateFuncs are the functions of a sink's template besides those of Go's own.
var AlertTemplateFuncs = map[string]any{
	"json": func(v any) (string, error) {
		text, err := json.Marshal(v)
		return string(text), err
	},
}
