package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	collectorTimeout = 10 * time.Second // of one request, where the environment names none: OpenTelemetry's default
	collectorTries   = 4                // of one batch, while the collector says that it is busy
	collectorPause   = time.Second      // before the second try; doubled after each
	collectorAnswer  = 64 << 10         // bytes that are read of an answer
)

// A collector sends spans by OTLP over HTTP, in protobuf. It implements otlptrace.Client. The module that OpenTelemetry has for this brings gRPC along.
type collector struct {
	endpoint string
	headers  http.Header
	gzip     bool
	client   *http.Client
	pause    time.Duration
}

var _ otlptrace.Client = (*collector)(nil)

// newCollector returns the collector that the environment names. The variables are those of the OpenTelemetry specification ("OTLP exporter"): each of
// OTEL_EXPORTER_OTLP_TRACES_x stands over OTEL_EXPORTER_OTLP_x. The certificates that it names are read by read.
func newCollector(env func(name string) string, read func(file string) ([]byte, error)) (*collector, error) {
	get := func(name string) (value, variable string) {
		for _, variable = range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
			if value = strings.TrimSpace(env(variable)); value != "" {
				return value, variable
			}
		}
		return "", variable
	}
	var problems []error
	wrong := func(variable, format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: %s", variable, fmt.Sprintf(format, args...)))
	}

	c := &collector{headers: http.Header{}, pause: collectorPause}
	endpoint, variable := get("ENDPOINT")
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		wrong(variable, "want a URL such as http://localhost:4318")
	} else {
		if variable == "OTEL_EXPORTER_OTLP_ENDPOINT" { // the base of all signals
			u = u.JoinPath("v1", "traces")
		} else if u.Path == "" {
			u.Path = "/"
		}
		c.endpoint = u.String()
	}
	if value, variable := get("PROTOCOL"); value != "" && value != "http/protobuf" {
		wrong(variable, "%q is not supported; want http/protobuf, which every collector takes (port 4318 by default)", value)
	}
	switch value, variable := get("COMPRESSION"); value {
	case "", "none":
	case "gzip":
		c.gzip = true
	default:
		wrong(variable, "%q is not supported; want gzip or none", value)
	}
	timeout := collectorTimeout
	if value, variable := get("TIMEOUT"); value != "" {
		if ms, err := strconv.Atoi(value); err != nil || ms <= 0 {
			wrong(variable, "want a number of milliseconds above 0, such as 10000")
		} else {
			timeout = time.Duration(ms) * time.Millisecond
		}
	}
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for pair := range strings.SplitSeq(env(variable), ",") {
			if pair = strings.TrimSpace(pair); pair == "" {
				continue
			}
			name, value, ok := strings.Cut(pair, "=")
			value, err := url.PathUnescape(strings.TrimSpace(value))
			if !ok || err != nil || strings.TrimSpace(name) == "" {
				wrong(variable, "want name=value, with commas between, and special characters as in a URL (%%20)") // the value may be a secret
				continue
			}
			c.headers.Set(strings.TrimSpace(name), value)
		}
	}
	trust := &tls.Config{}
	if file, variable := get("CERTIFICATE"); file != "" {
		if pem, err := read(file); err != nil {
			wrong(variable, "%v", err)
		} else if trust.RootCAs = x509.NewCertPool(); !trust.RootCAs.AppendCertsFromPEM(pem) {
			wrong(variable, "%s holds no certificate in PEM", file)
		}
	}
	if file, variable := get("CLIENT_CERTIFICATE"); file != "" {
		keyFile, _ := get("CLIENT_KEY")
		cert, err := read(file)
		key, keyErr := read(keyFile)
		if err = errors.Join(err, keyErr); err == nil {
			trust.Certificates = make([]tls.Certificate, 1)
			trust.Certificates[0], err = tls.X509KeyPair(cert, key)
		}
		if err != nil {
			wrong(variable, "%v", err)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	c.client = &http.Client{Transport: transport, Timeout: timeout}
	return c, errors.Join(problems...)
}

// Start implements otlptrace.Client: the first request connects.
func (c *collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch. While the collector is busy or cannot be reached it is sent again a few times, for as long as ctx lets it.
func (c *collector) UploadTraces(ctx context.Context, batch []*spans.ResourceSpans) error {
	body, err := proto.Marshal(&spans.TracesData{ResourceSpans: batch}) // on the wire the same as an ExportTraceServiceRequest
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	if c.gzip {
		var small bytes.Buffer
		w := gzip.NewWriter(&small)
		if _, err := w.Write(body); err != nil {
			return fmt.Errorf("compress spans: %w", err)
		}
		if err := w.Close(); err != nil {
			return fmt.Errorf("compress spans: %w", err)
		}
		body = small.Bytes()
	}
	pause := c.pause
	for try := 1; ; try++ {
		after, err := c.post(ctx, body)
		if err == nil || after < 0 || try == collectorTries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(pause, after)):
		}
		pause *= 2
	}
}

// post sends one request. With an error, after is how long the collector asks to be left alone, or below 0 when sending the same again cannot help.
func (c *collector) post(ctx context.Context, body []byte) (after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return -1, fmt.Errorf("send spans: %w", err)
	}
	for name, values := range c.headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	if c.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, fmt.Errorf("send spans: %w", err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, collectorAnswer)) // what there is of it serves the message below
	if response.StatusCode/100 == 2 {
		if n := rejected(answer); n > 0 && response.Header.Get("Content-Type") == "application/x-protobuf" {
			return -1, fmt.Errorf("send spans to %s: the collector rejected %d of them", request.URL.Redacted(), n)
		}
		return 0, nil
	}
	err = fmt.Errorf("send spans to %s: %s: %s", request.URL.Redacted(), response.Status, firstLine(answer))
	switch response.StatusCode { // those that the specification calls retryable
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return min(time.Duration(max(seconds, 0))*time.Second, exportWithin), err
	}
	return -1, err
}

// rejected reads partial_success.rejected_spans of an ExportTraceServiceResponse: field 1 of field 1. The generated type would bring gRPC along.
func rejected(answer []byte) uint64 {
	partial, _ := protowire.ConsumeBytes(field(answer, 1, protowire.BytesType))
	n, _ := protowire.ConsumeVarint(field(partial, 1, protowire.VarintType))
	return n
}

// field returns what follows the tag of a field of a message, nil when the message does not have it or is damaged.
func field(message []byte, number protowire.Number, kind protowire.Type) []byte {
	for len(message) > 0 {
		n, t, size := protowire.ConsumeTag(message)
		if size < 0 {
			return nil
		}
		message = message[size:]
		if n == number && t == kind {
			return message
		}
		if size = protowire.ConsumeFieldValue(n, t, message); size < 0 {
			return nil
		}
		message = message[size:]
	}
	return nil
}

func firstLine(answer []byte) string {
	line, _, _ := strings.Cut(strings.ToValidUTF8(string(answer), "?"), "\n")
	if line = strings.TrimSpace(line); line == "" || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
		return "(no text)"
	}
	return line[:min(len(line), 200)]
}
