package action

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/Azure/go-amqp"

	"github.com/almanac-sched/almanac/engine"
)

// The reserved annotations of the Service Bus.
const (
	partitionKey    = "x-opt-partition-key"
	viaPartitionKey = "x-opt-via-partition-key"
	enqueueAt       = "x-opt-scheduled-enqueue-time"
)

// prepareAMQP makes a message ready for the Service Bus by AMQP 1.0 (`azure-scheduler.md` §7).
func (q *requests) prepareAMQP(ctx context.Context, a engine.Attempt) (sending, error) {
	b := a.Action.Bus
	if err := checkBus(b); err != nil {
		return nil, err
	}
	u, err := at(q.config.Azure.BusAMQP, "{namespace}", string(b.Namespace), "namespace")
	if err != nil {
		return nil, err
	}
	message, err := amqpMessage(b, brokered(a))
	if err != nil {
		return nil, err
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), map[string]string{"amqps": "5671", "amqp": "5672"}[u.Scheme])
	}
	return func(log *mask) reply {
		log.hide(string(b.Key))
		d := delivery{requests: q, bus: b, message: message, host: host, name: u.Hostname(), secure: u.Scheme == "amqps"}
		state, err := d.send(ctx)
		r := d.reply(log, state, err)
		r.unknown = err != nil && d.unsettled()
		if r.unknown && r.err == nil { // the other side has ended the link or the connection: it does not say what became of the message
			r.err = errors.New(r.words)
		}
		return r
	}, nil
}

// delivery is one message on its way over a connection of its own.
type delivery struct {
	*requests
	bus     *engine.ServiceBus
	message *amqp.Message
	host    string // with its port
	name    string
	secure  bool
	peer    map[string]any // what the other side says of itself

	wire *countedConn // nil before it is about to be sent
	base int64        // bytes written before it
}

// unsettled reports, when the connection is closed, that the message or a part of it was sent. What became of it was not said.
func (d *delivery) unsettled() bool { return d.wire != nil && d.wire.written.Load() > d.base }

// send delivers the message and returns what the other side made of it.
func (d *delivery) send(attempt context.Context) (amqp.DeliveryState, error) {
	// Without the deadline, which would end up in the connection's own and pass there a moment before the attempt is over.
	ctx, cancel := context.WithCancel(context.WithoutCancel(attempt))
	defer cancel()
	defer context.AfterFunc(attempt, cancel)()
	dialled, err := d.dialer.DialContext(ctx, "tcp", d.host)
	if err != nil {
		return nil, err
	}
	raw := &countedConn{Conn: dialled}
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.Close() })() // whatever the protocol waits for, it ends with the attempt
	var link net.Conn = raw
	if d.secure {
		secured := tls.Client(raw, &tls.Config{ServerName: d.name, RootCAs: d.config.Roots})
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, err
		}
		link = secured
	}
	proof := amqp.SASLTypeAnonymous()
	if d.bus.KeyName != "" {
		proof = amqp.SASLTypePlain(string(d.bus.KeyName), string(d.bus.Key))
	}
	conn, err := amqp.NewConn(ctx, link, &amqp.ConnOptions{ContainerID: "almanac", HostName: d.name, SASLType: proof})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	d.peer = conn.Properties()
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return nil, err
	}
	sender, err := session.NewSender(ctx, string(d.bus.Entity), &amqp.SenderOptions{SettlementMode: amqp.SenderSettleModeUnsettled.Ptr()})
	if err != nil {
		return nil, err
	}
	d.wire, d.base = raw, raw.written.Load()
	receipt, err := sender.SendWithReceipt(ctx, d.message, nil)
	if err != nil {
		return nil, err
	}
	return receipt.Wait(ctx)
}

// reply says what became of the message, in the log too, in the manner of an HTTP answer: a line with the outcome, what the other side says of itself, and
// its explanation.
func (d *delivery) reply(log *mask, state amqp.DeliveryState, err error) reply {
	var refusal *amqp.Error
	if rejected, ok := state.(*amqp.StateRejected); ok {
		refusal = rejected.Error
		if refusal == nil {
			refusal = &amqp.Error{Condition: "rejected"}
		}
	} else if err != nil {
		errors.As(err, &refusal)
	}
	words, explanation := "", ""
	switch state.(type) {
	case *amqp.StateAccepted:
		words = "AMQP 1.0 accepted"
	case *amqp.StateReleased:
		words = "AMQP 1.0 released" // nobody wanted it
	case *amqp.StateModified:
		words = "AMQP 1.0 modified"
	}
	if refusal != nil {
		words, explanation = "AMQP 1.0 "+string(refusal.Condition), strings.ToValidUTF8(refusal.Description, "\uFFFD")
	}
	if words == "" { // no answer in the protocol's words
		if err == nil {
			err = fmt.Errorf("the message ended as %T", state)
		}
		return reply{err: err}.from(d.host)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\nHost: %s\nTarget: %s\n", words, d.host, d.bus.Entity)
	for _, name := range slices.Sorted(maps.Keys(d.peer)) {
		if value, ok := d.peer[name].(string); ok && validToken(name) {
			fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(strings.Fields(value), " "))
		}
	}
	fmt.Fprintf(&text, "\n%s", explanation)
	_, _ = fmt.Fprint(log, text.String()[:min(text.Len(), bodyLimit)])
	_, accepted := state.(*amqp.StateAccepted)
	r := reply{accepted: accepted, words: words}.from(d.host)
	if line, _, _ := strings.Cut(explanation, "\n"); line != "" {
		r.words += ": " + line
	}
	return r
}

// amqpMessage writes a message with its properties in their places.
func amqpMessage(b *engine.ServiceBus, p *engine.BrokeredProperties) (*amqp.Message, error) {
	m := amqp.NewMessage([]byte(b.Message))
	m.Header = &amqp.MessageHeader{Durable: p.ForcePersistence, Priority: 4}
	m.Properties = &amqp.MessageProperties{
		To: textOf(p.To), Subject: textOf(p.Label), ReplyTo: textOf(p.ReplyTo), ContentType: textOf(p.ContentType), GroupID: textOf(p.SessionID),
		ReplyToGroupID: textOf(p.ReplyToSessionID),
	}
	if p.MessageID != "" {
		m.Properties.MessageID = string(p.MessageID)
	}
	if p.CorrelationID != "" {
		m.Properties.CorrelationID = string(p.CorrelationID)
	}
	if p.TimeToLive > 0 {
		const longest = time.Duration(1<<32-1) * time.Millisecond // the header counts milliseconds in 32 bits
		if m.Header.TTL = p.TimeToLive; p.TimeToLive > longest {
			created := time.Now().UTC()
			expiry := created.Add(p.TimeToLive)
			m.Header.TTL, m.Properties.CreationTime, m.Properties.AbsoluteExpiryTime = longest, &created, &expiry
		}
	}
	m.Annotations = amqp.Annotations{}
	for name, text := range map[string]engine.Text{partitionKey: p.PartitionKey, viaPartitionKey: p.ViaPartitionKey} {
		if text != "" {
			m.Annotations[name] = string(text)
		}
	}
	at, err := enqueueTime(p)
	if err != nil {
		return nil, err
	}
	if !at.IsZero() {
		m.Annotations[enqueueAt] = at
	}
	if len(m.Annotations) == 0 {
		m.Annotations = nil
	}
	for name, text := range b.Custom {
		if m.ApplicationProperties == nil {
			m.ApplicationProperties = map[string]any{}
		}
		m.ApplicationProperties[name] = string(text)
	}
	return m, nil
}

// textOf is a property that is not sent when it is empty.
func textOf(t engine.Text) *string {
	if t == "" {
		return nil
	}
	s := string(t)
	return &s
}
