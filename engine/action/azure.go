package action

import (
	"cmp"
	"crypto/sha1" // UUIDs of version 5 are made of it; nothing is kept secret by it
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
)

// The addresses of Azure's public cloud.
const (
	DefaultQueueEndpoint   = "https://{account}.queue.core.windows.net"
	DefaultBusEndpoint     = "https://{namespace}.servicebus.windows.net"
	DefaultBusAMQPEndpoint = "amqps://{namespace}.servicebus.windows.net:5671"
	DefaultAuthority       = "https://login.microsoftonline.com"
)

// The forms of a message on a storage queue.
const (
	EnvelopeXML   = "xml"   // Azure Scheduler's own, in which its consumers look for the message
	EnvelopePlain = "plain" // the message alone
)

// Azure says where the services are to which Azure's types of action speak. What is empty is Azure's public cloud.
type Azure struct {
	Queue     string // storage queues; {account} stands for the storage account
	Bus       string // Service Bus by REST; {namespace} stands for the namespace
	BusAMQP   string // Service Bus by AMQP 1.0: amqps://, or amqp:// without TLS
	Authority string // in front of /{tenant}/oauth2/token
	Envelope  string // of messages on a storage queue; "" is EnvelopeXML
	Region    string // what the envelope says of where the job runs; "" is DefaultRegion
}

// DefaultRegion is also the location of the collections that stand for the workflows of a folder.
const DefaultRegion = "almanac"

// collection is what the service calls the workflow. That of a collection outside of the server's own resource group has a tilde and a hash after it.
func collection(a engine.Attempt) string {
	name, _, _ := strings.Cut(a.Ref.Workflow, "~")
	return name
}

// filled puts the defaults in and takes trailing slashes off.
func (z Azure) filled() Azure {
	return Azure{
		Queue:     strings.TrimRight(cmp.Or(z.Queue, DefaultQueueEndpoint), "/"),
		Bus:       strings.TrimRight(cmp.Or(z.Bus, DefaultBusEndpoint), "/"),
		BusAMQP:   strings.TrimRight(cmp.Or(z.BusAMQP, DefaultBusAMQPEndpoint), "/"),
		Authority: strings.TrimRight(cmp.Or(z.Authority, DefaultAuthority), "/"),
		Envelope:  cmp.Or(z.Envelope, EnvelopeXML),
		Region:    cmp.Or(z.Region, DefaultRegion),
	}
}

// Check returns what is wrong with the addresses, all of it.
func (z Azure) Check() error {
	z = z.filled()
	var errs []error
	for _, e := range []struct {
		what, address string
		schemes       []string
	}{
		{"storage queues", z.Queue, []string{"https", "http"}},
		{"the Service Bus", z.Bus, []string{"https", "http"}},
		{"the Service Bus by AMQP", z.BusAMQP, []string{"amqps", "amqp"}},
		{"tokens", z.Authority, []string{"https", "http"}},
	} {
		u, err := url.Parse(strings.NewReplacer("{account}", "x", "{namespace}", "x").Replace(e.address))
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || !slices.Contains(e.schemes, u.Scheme):
			errs = append(errs, fmt.Errorf("the address of %s is %q; allowed is %s://host[:port] without user and query", e.what, e.address, strings.Join(e.schemes, ":// or ")))
		case strings.HasPrefix(u.Scheme, "amqp") && u.Path != "":
			errs = append(errs, fmt.Errorf("the address of %s is %q; it has no path", e.what, e.address))
		}
	}
	if z.Envelope != EnvelopeXML && z.Envelope != EnvelopePlain {
		errs = append(errs, fmt.Errorf("the envelope of messages is %q; allowed is %s or %s", z.Envelope, EnvelopeXML, EnvelopePlain))
	}
	return errors.Join(errs...)
}

// labelPattern is a name that becomes part of a host name: a storage account, a namespace, and a queue, whose names are as narrow.
var labelPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)

// at puts a name into the template of an address. What could make another address of it is refused.
func at(template, placeholder, name, what string) (*url.URL, error) {
	if !labelPattern.MatchString(name) {
		return nil, fmt.Errorf("%s %q: allowed are letters, digits and -, at most 63", what, name)
	}
	u, err := url.Parse(strings.ReplaceAll(template, placeholder, name))
	if err != nil {
		return nil, fmt.Errorf("the address of %s %s is malformed", what, name)
	}
	return u, nil
}

// clientRequestID is a UUID of the attempt, by which the two sides' logs can be matched: the same whenever it is asked for.
func clientRequestID(a engine.Attempt) string {
	sum := sha1.Sum(fmt.Appendf(nil, "almanac attempt\x00%s\x00%d\x00%d\x00%s\x00%d\x00%t\x00%s", a.Ref, a.ID, a.Instance, a.Step, a.Number, a.Error, a.PlanTime.UTC()))
	sum[6], sum[8] = sum[6]&0x0f|0x50, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func (q *requests) userAgent() string { return "almanac/" + q.config.Version }
