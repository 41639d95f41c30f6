package spec

import (
	"cmp"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"text/template"
	"time"

	yaml "go.yaml.in/yaml/v4"

	"github.com/almanac-sched/almanac/engine"
)

// An AlertFile is what a server's file of alerts says.
type AlertFile struct {
	Sinks   []engine.Sink
	Default []engine.Notify
	Repeat  time.Duration // 0 when the file does not say
}

// Names lists the names of the sinks, in order.
func (f *AlertFile) Names() []string {
	names := make([]string, len(f.Sinks))
	for i := range f.Sinks {
		names[i] = f.Sinks[i].Name
	}
	return names
}

var (
	headersType = &typ{kind: mapKind, pattern: headerPattern, elem: textType, what: "a mapping of header names to text"}
	placeType   = object(secretShape)
)

var sinkShape = newShape("sink", "One place where messages go.",
	field{name: "type", typ: words(engine.SinkTypes...), required: true, doc: "What it is."},
	field{name: "url", typ: nonEmptyText, doc: "Address of the webhook."},
	field{name: "urlFrom", typ: placeType, doc: "Where the address comes from, when it is a secret."},
	field{name: "secretFrom", typ: placeType, doc: "Where the key comes from that signs messages: webhook, feishu, dingtalk."},
	field{name: "headers", typ: headersType, doc: "Further headers of a webhook's requests."},
	field{name: "template", typ: nonEmptyText, doc: "Body of the message, as a Go text template over its members.", def: "the type's own"},
	field{name: "host", typ: nonEmptyText, doc: "Mail server."},
	field{name: "port", typ: integer(1, 65535), doc: "Port of the mail server.", def: "587, with tls: tls 465"},
	field{name: "tls", typ: words("starttls", "tls", "none"), doc: "How the connection to the mail server is kept secret.", def: "starttls"},
	field{name: "username", typ: nonEmptyText, doc: "Who logs in to the mail server."},
	field{name: "passwordFrom", typ: placeType, doc: "Where the password comes from."},
	field{name: "from", typ: nonEmptyText, doc: "Sender of the mail."},
	field{name: "to", typ: items(nonEmptyText), doc: "Who gets the mail."},
)

var alertsShape = newShape("alerts", "Where a server sends alerts.",
	field{name: "sinks", typ: mapOf(namePattern, object(sinkShape)), required: true, doc: "The sinks by name."},
	field{name: "default", typ: notifyType, doc: "Who is told of jobs that do not say."},
	field{name: "repeat", typ: durationType, doc: "Between two messages about one incident that grows.", def: "PT1H"},
)

// mailMembers and webMembers are the members of sinks that only mail, and only what speaks HTTP, has.
var (
	mailMembers = []string{"host", "port", "tls", "username", "passwordFrom", "from", "to"}
	webMembers  = []string{"url", "urlFrom", "secretFrom", "headers"}
)

// DecodeAlerts reads a server's file of alerts. The file is nil when there is an error.
func DecodeAlerts(file string, data []byte) (*AlertFile, Problems) {
	d := &decoder{file: file}
	root := parseDocument(data, func(line, column int, message, hint string) {
		d.problems = append(d.problems, Problem{File: file, Line: line, Column: column, Message: message, Hint: hint})
	})
	if root == nil || d.problems.HasErrors() {
		return nil, d.problems.sorted()
	}
	r := reader{report: func(n *yaml.Node, severity Severity, message, hint string) {
		d.add(severity, n.Line, n.Column, message, hint)
	}}
	v := r.readObject(root, alertsShape, object(alertsShape), "the file", false)
	f := &AlertFile{Default: d.notifyLines(v.field("default")), Repeat: d.duration(v.field("repeat"), 0)}
	if sinks := v.field("sinks"); sinks != nil {
		for _, name := range sortedKeys(sinks.fields) {
			if own := sinks.fields[name]; own.fields != nil {
				f.Sinks = append(f.Sinks, d.sink(name, own))
			}
		}
	}
	for _, item := range v.field("default").items() {
		named := item
		if item.fields != nil {
			named = item.field("sink")
		}
		if named.ok() && !slices.Contains(f.Names(), named.text) {
			d.fail(named, suggestion(named.text, f.Names()), "there is no sink %s in this file", quoteShort(named.text))
		}
	}
	if problems := d.problems.sorted(); problems.HasErrors() {
		return nil, problems
	}
	return f, d.problems.sorted()
}

func suggestion(name string, names []string) string {
	if len(names) == 0 {
		return "it has none at all"
	}
	if near := didYouMean(name, names); near != "" {
		return near
	}
	return "it has " + strings.Join(names, ", ")
}

// sink reads one sink and reports what does not fit its type.
func (d *decoder) sink(name string, v *value) engine.Sink {
	s := engine.Sink{
		Name: name, Type: v.field("type").str(), URL: v.field("url").str(), Template: v.field("template").str(), Host: v.field("host").str(),
		TLS: wordOr(v.field("tls"), "starttls"), Username: v.field("username").str(), From: v.field("from").str(),
	}
	s.URLFrom, s.Secret, s.Password = d.place(v.field("urlFrom")), d.place(v.field("secretFrom")), d.place(v.field("passwordFrom"))
	for _, h := range sortedKeys(fieldsOf(v.field("headers"))) {
		if s.Headers == nil {
			s.Headers = map[string]string{}
		}
		s.Headers[h] = v.field("headers").fields[h].str()
	}
	for _, to := range v.field("to").items() {
		s.To = append(s.To, to.str())
		d.mailbox(to)
	}
	if v.bad || s.Type == "" {
		return s
	}
	d.strangers(v, s.Type)
	if s.Type == engine.SinkEmail {
		port := 587
		if s.TLS == "tls" {
			port = 465
		}
		s.Port = v.field("port").integer(port)
		for _, member := range []string{"host", "from", "to"} {
			if v.field(member) == nil {
				d.fail(v, "", "the sink %s sends mail and needs %s", name, member)
			}
		}
		d.mailbox(v.field("from"))
		if s.TLS == "none" && s.Password != nil {
			d.fail(v.field("passwordFrom"), "use starttls or tls", "the password would go over the network for everybody to read")
		}
		if (v.field("username") == nil) != (v.field("passwordFrom") == nil) {
			d.fail(v, "", "the sink %s needs both username and passwordFrom, or neither", name)
		}
	} else {
		d.webhookSink(name, v, &s)
	}
	if t := v.field("template"); t.ok() {
		if _, err := template.New(name).Funcs(engine.AlertTemplateFuncs).Parse(t.text); err != nil {
			d.fail(t, "", "the template cannot be read: %v", err)
		}
	}
	return s
}

// strangers reports members of other types of sinks.
func (d *decoder) strangers(v *value, kind string) {
	others := mailMembers
	if kind == engine.SinkEmail {
		others = webMembers
	}
	for _, member := range others {
		if m := v.field(member); m != nil {
			d.fail(m, "", "a sink of type %s has no %s", kind, member)
		}
	}
	if m := v.field("secretFrom"); m != nil && (kind == engine.SinkSlack || kind == engine.SinkWeCom) {
		d.fail(m, "its secret is its address: urlFrom", "a sink of type %s signs nothing", kind)
	}
}

func (d *decoder) webhookSink(name string, v *value, s *engine.Sink) {
	if (v.field("url") == nil) == (v.field("urlFrom") == nil) {
		d.fail(v, "url: https://…, or urlFrom: {env: NAME} or {file: path}", "the sink %s needs one address", name)
	}
	if u := v.field("url"); u.ok() {
		if at, err := url.Parse(s.URL); err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
			d.fail(u, "", "the url of the sink %s is no http or https address", name)
		}
	}
}

func (d *decoder) mailbox(v *value) {
	if v.ok() {
		if _, err := mail.ParseAddress(v.text); err != nil {
			d.fail(v, "write ops@example.com or Operations <ops@example.com>", "%s is no mail address", quoteShort(v.text))
		}
	}
}

// place reads where a secret comes from; nil when the member is absent.
func (d *decoder) place(v *value) *engine.SecretSource {
	if v == nil {
		return nil
	}
	s := d.secret(v)
	return &s
}

// UnknownSinks reports, of every job, the sinks that the server does not have.
func UnknownSinks(workflows []*engine.Workflow, known []string) Problems {
	var problems Problems
	for _, w := range workflows {
		for _, j := range w.Jobs {
			for _, n := range j.Notify {
				if slices.Contains(known, n.Sink) {
					continue
				}
				at := marksOf(w)[j.Name].notify
				problems = append(problems, Problem{
					File: w.File, Line: at.line, Column: at.column, Message: "the job " + j.Name + " tells " + quoteShort(n.Sink) + ", and the server has no sink of that name",
					Hint: suggestion(n.Sink, known),
				})
			}
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return problems
}
