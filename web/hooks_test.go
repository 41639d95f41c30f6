package web_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/web"
)

func sign(secret, text string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// deliver sends a delivery to the webhook of a job, signed now with the right secret unless an option says otherwise.
func (f *fixture) deliver(job, id, body string, options ...option) *httptest.ResponseRecorder {
	f.t.Helper()
	stamp := strconv.FormatInt(f.cfg.Now().Unix(), 10)
	all := append([]option{
		header("X-Almanac-Delivery", id), header("X-Almanac-Timestamp", stamp), header("X-Hub-Signature-256", sign(hookSecret, id+"."+stamp+"."+body)),
	}, options...)
	return f.as("", http.MethodPost, "/hooks/retail/"+job, body, all...)
}

func TestADeliveryStartsItsJobOnce(t *testing.T) {
	f := newFixture(t)
	w := f.deliver("stores", "d-1", `{"data": {"day": "2026-11-20"}}`, header("X-From", "depot"))
	first := decode[web.HookAnswer](f, w, 201)
	require.Equal(t, "retail/stores@2026-11-20T00:00:00+01:00", first.Name)
	again := decode[web.HookAnswer](f, f.deliver("stores", "d-1", `{"data": {"day": "2026-11-20"}}`), 200)
	require.Equal(t, first.Instance, again.Instance, "the same delivery is the same instance")
	other := decode[web.HookAnswer](f, f.deliver("stores", "d-2", `{"data": {"day": "2026-11-19"}}`), 201)
	require.NotEqual(t, first.Instance, other.Instance)
	require.Equal(t, "retail/stores@2026-11-19T00:00:00+01:00", other.Name)

	i := get[web.Instance](f, "/api/v1/instances/"+first.Instance.String())
	require.Equal(t, map[string]string{"day": "2026-11-20", "from": "depot"}, i.Params)
	events := get[web.EventPage](f, "/api/v1/instances/"+first.Instance.String()+"/events")
	require.Equal(t, "webhook", events.Items[0].Actor)
	require.Contains(t, events.Items[0].Reason.Text, "delivery d-1")
	require.Contains(t, f.output.String(), `msg=audit`)
	require.Contains(t, f.output.String(), `principal="webhook retail/stores"`)
	require.NotContains(t, f.output.String(), hookSecret)
}

func TestADeliveryThatDoesNotProveItselfIsRefused(t *testing.T) {
	f := newFixture(t)
	body := `{"data": {"day": "2026-11-20"}}`
	now := f.cfg.Now()
	stamped := func(at time.Time, id, secret string) []option {
		stamp := strconv.FormatInt(at.Unix(), 10)
		return []option{header("X-Almanac-Timestamp", stamp), header("X-Hub-Signature-256", sign(secret, id+"."+stamp+"."+body))}
	}
	for name, options := range map[string][]option{
		"no signature":                  {header("X-Hub-Signature-256", "")},
		"another secret":                stamped(now, "d", strings.Repeat("x", 40)),
		"an empty secret":               stamped(now, "d", ""),
		"the secret of nobody":          stamped(now, "d", strings.Repeat("\x00", 32)),
		"a signature of the body alone": {header("X-Hub-Signature-256", sign(hookSecret, body))},
		"a signature without its name":  {header("X-Hub-Signature-256", strings.TrimPrefix(sign(hookSecret, "d."+strconv.FormatInt(now.Unix(), 10)+"."+body), "sha256="))},
		"a signature cut short":         {header("X-Hub-Signature-256", "sha256=00")},
		"too old":                       stamped(now.Add(-301*time.Second), "d", hookSecret),
		"too early":                     stamped(now.Add(301*time.Second), "d", hookSecret),
		"another id":                    {header("X-Almanac-Delivery", "e")},
		"no id":                         append(stamped(now, "", hookSecret), header("X-Almanac-Delivery", "")),
		"an id that is none":            append(stamped(now, "a b", hookSecret), header("X-Almanac-Delivery", "a b")),
		"no timestamp":                  {header("X-Almanac-Timestamp", "")},
	} {
		refused(f, f.deliver("stores", "d", body, options...), 401, "bad-signature")
		t.Log(name)
	}
	refused(f, f.as("admin", http.MethodPost, "/hooks/retail/stores", body), 401, "bad-signature")
	refused(f, f.deliver("orders", "d", body), 401, "bad-signature") // it has no webhook
	refused(f, f.deliver("nobody", "d", body), 401, "bad-signature")
	require.NoError(t, f.db.Read(t.Context(), func(v engine.View) error {
		row, err := v.JobByRef(engine.JobRef{Workflow: "retail", Job: "stores"})
		require.NoError(t, err)
		waiting, err := v.Waiting(row.ID)
		require.Len(t, waiting, 1, "the scheduled one")
		return err
	}))
	require.Equal(t, 201, f.deliver("stores", "d", body).Code)
}

func TestADeliveryThatSaysNoPlanTimeIsRefusedInWords(t *testing.T) {
	f := newFixture(t)
	p := refused(f, f.deliver("stores", "a", `{"data": {"day": "tomorrow"}}`), 422, "invalid")
	require.Contains(t, p.Detail+p.Errors[0].Message, `"tomorrow"`)
	p = refused(f, f.deliver("stores", "b", `{"data": {}}`), 422, "invalid")
	require.Contains(t, p.Detail+p.Errors[0].Message, "there is no plan time at /data/day")
	refused(f, f.deliver("stores", "c", `{"data":`), 400, "bad-request")
	refused(f, f.deliver("stores", "d", `{}`, header("Content-Type", "text/plain")), 415, "unsupported-media-type")
	refused(f, f.deliver("stores", "e", `{"x": "`+strings.Repeat("x", 1<<20)+`"}`), 413, "too-large")
}

func TestTheFormOfAJobIsASchema(t *testing.T) {
	f := newFixture(t)
	form := get[map[string]any](f, "/api/v1/jobs/retail/stores/form")
	require.Equal(t, "https://json-schema.org/draft/2020-12/schema", form["$schema"])
	require.Equal(t, map[string]any{"type": "string", "format": "date"}, form["properties"].(map[string]any)["day"])
	refused(f, f.as("viewer", http.MethodGet, "/api/v1/jobs/retail/nobody/form", ""), 404, "not-found")
}
