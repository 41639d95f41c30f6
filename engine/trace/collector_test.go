package trace

import (
	"compress/gzip"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// A batch of two spans, and how a collector reads it.
func batch() []*spans.ResourceSpans {
	return []*spans.ResourceSpans{{ScopeSpans: []*spans.ScopeSpans{{Spans: []*spans.Span{{Name: "w/a"}, {Name: "w/b"}}}}}}
}

func names(t *testing.T, body io.Reader) (names []string) {
	data, err := io.ReadAll(body)
	require.NoError(t, err)
	var got spans.TracesData
	require.NoError(t, proto.Unmarshal(data, &got))
	for _, s := range got.ResourceSpans[0].ScopeSpans[0].Spans {
		names = append(names, s.Name)
	}
	return names
}

func TestTheCollectorIsTheOneThatTheEnvironmentNames(t *testing.T) {
	var got *http.Request
	var sent []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, err := gzip.NewReader(r.Body)
		require.NoError(t, err)
		sent = names(t, body)
	}))
	defer server.Close()
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	for variable, path := range map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "/base/v1/traces", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "/base/"} {
		c, err := newCollector(environment(map[string]string{
			variable:                                server.URL + "/base/",
			"OTEL_EXPORTER_OTLP_HEADERS":            "x-team=data%20platform, x-key=one",
			"OTEL_EXPORTER_OTLP_TRACES_HEADERS":     "x-key=two",
			"OTEL_EXPORTER_OTLP_COMPRESSION":        "none",
			"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "gzip",
			"OTEL_EXPORTER_OTLP_CERTIFICATE":        trusted,
			"OTEL_EXPORTER_OTLP_TIMEOUT":            "20000",
		}), os.ReadFile)
		require.NoError(t, err)
		require.Equal(t, 20*time.Second, c.client.Timeout)
		require.NoError(t, c.UploadTraces(t.Context(), batch()))
		require.Equal(t, []string{"w/a", "w/b"}, sent)
		require.Equal(t, path, got.URL.Path)
		require.Equal(t, "application/x-protobuf", got.Header.Get("Content-Type"))
		require.Equal(t, "data platform", got.Header.Get("X-Team"))
		require.Equal(t, "two", got.Header.Get("X-Key"))
	}
}

func TestAllMistakesOfTheEnvironmentAreTold(t *testing.T) {
	_, err := newCollector(environment(map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT":           "localhost:4317",
		"OTEL_EXPORTER_OTLP_PROTOCOL":           "grpc",
		"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION": "zstd",
		"OTEL_EXPORTER_OTLP_TIMEOUT":            "10s",
		"OTEL_EXPORTER_OTLP_HEADERS":            "swordfish",
		"OTEL_EXPORTER_OTLP_CERTIFICATE":        filepath.Join(t.TempDir(), "none.pem"),
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": filepath.Join(t.TempDir(), "none.pem"),
	}), os.ReadFile)
	require.Error(t, err)
	for _, want := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT: want a URL", `OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not supported; want http/protobuf`, `"zstd" is not supported; want gzip or none`,
		"OTEL_EXPORTER_OTLP_TIMEOUT: want a number of milliseconds", "OTEL_EXPORTER_OTLP_HEADERS: want name=value", "OTEL_EXPORTER_OTLP_CERTIFICATE: open", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: open",
	} {
		require.ErrorContains(t, err, want)
	}
	require.NotContains(t, err.Error(), "swordfish", "a header may hold a secret")
}

// What the collector answers decides whether the batch is sent again.
func TestABusyCollectorIsAskedAgain(t *testing.T) {
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 2)
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), "too old")
	answered := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
	for _, test := range []struct {
		name    string
		answers []int // the last one is repeated
		body    []byte
		tries   int
		wants   string // "" is no error
	}{
		{name: "taken", answers: []int{200}, tries: 1},
		{name: "busy, then taken", answers: []int{503, 429, 202}, tries: 3},
		{name: "busy for good", answers: []int{502}, tries: collectorTries, wants: "502 Bad Gateway"},
		{name: "refused", answers: []int{401}, body: []byte("no such key\nat all"), tries: 1, wants: "401 Unauthorized: no such key"},
		{name: "taken in part", answers: []int{200}, body: answered, tries: 1, wants: "rejected 2"},
		{name: "taken, and an answer of another kind", answers: []int{200}, body: []byte(`{"partialSuccess":{}}`), tries: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			tries := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				require.Equal(t, []string{"w/a", "w/b"}, names(t, r.Body), "the whole batch, each time")
				w.Header().Set("Content-Type", "application/x-protobuf")
				w.WriteHeader(test.answers[min(tries, len(test.answers)-1)])
				_, _ = w.Write(test.body)
				tries++
			}))
			defer server.Close()
			c, err := newCollector(environment(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL}), nil)
			require.NoError(t, err)
			c.pause = time.Millisecond
			err = c.UploadTraces(t.Context(), batch())
			if test.wants == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.wants)
			}
			require.Equal(t, test.tries, tries)
		})
	}
	require.Zero(t, rejected([]byte{0xff, 0xff, 0xff}))
}
