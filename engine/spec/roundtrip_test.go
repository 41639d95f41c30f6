package spec_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/almanac-sched/almanac/engine/spec"
)

// workflows draws documents that mostly load: members that go together, over the whole of the format.
type workflows struct{ *rand.Rand }

func (g workflows) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g workflows, list ...T) T { return list[g.IntN(len(list))] }

type object = map[string]any

// maybe sets a member in a third of the cases.
func (g workflows) maybe(m object, name string, value any) {
	if g.chance(33) {
		m[name] = value
	}
}

func (g workflows) text() string {
	return pick(g, "", "plain", "2026-10-01", "on", "null", "~", " padded ", "two\nlines\n", "tab\there", "quote\"'`", "日本語", "a: b # c", "- x", "{[,]}",
		"\u007f\u0085\u00a0\u2028\ufeff\U0001F600", "\x00nul"[1:], "${{ planTime -1M | yyyy-MM-dd HH:mm }}", "$${{ params.x }}", "$HOME ${x} $$", "// no comment", "\\n\\", "<html>&amp;")
}

func (g workflows) name() string {
	return pick(g, "a", "b-1", "c.d_e", "9", "日报", "Ünï", "null", "true", "on")
}

func (g workflows) duration() string {
	return pick(g, "PT30S", "PT15.25S", "PT5M", "PT90M", "P1D", "P1DT2H", "P2W", "PT60D", "PT1H0M1S", "5m", "1d12h")
}

func (g workflows) when(m object) {
	g.maybe(m, "timeZone", pick(g, "UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"))
	g.maybe(m, "startTime", pick(g, "2026-01-01", "2026-03-01T12:25:30.5+08:00", "2026-11-01T01:30", "2026-07-01T00:00Z", "1900-01-01"))
	g.maybe(m, "endTime", pick(g, "2030-01-01", "2027-01-01T00:00:00.123-05:00"))
	g.maybe(m, "dst", object{"gap": pick(g, "shift", "skip"), "overlap": pick(g, "first", "last", "both")})
	g.maybe(m, "spread", g.duration())
	g.maybe(m, "misfire", pick(g, "runAll", "runLatest", "skip"))
	g.maybe(m, "misfireWindow", g.duration())
	if g.chance(33) {
		m["calendar"] = pick(g, "c1", "c2")
		g.maybe(m, "offCalendar", pick(g, "dryRun", "drop", "previous", "next"))
	}
	g.maybe(m, "period", pick(g, "minute", "hour", "discrete", "day", "week", "month", "year", "none"))
	switch g.IntN(6) {
	case 0:
		m["cron"] = pick(g, "*/5 * * * *", "0  2,5,15 * * *", "@weekly", "0 0 1 1 *", "30 4 1 * 1", "CRON_TZ=Asia/Tokyo 0 1 * * *")
		if m["cron"].(string)[0] == 'C' {
			delete(m, "timeZone")
		}
	case 1:
		m["at"] = []any{"2026-05-01T08:00", "2026-04-01", "2026-05-01T08:00"}
	case 2:
		m["trigger"] = "manual"
	case 3:
	default:
		m["recurrence"] = g.recurrence()
	}
}

func (g workflows) recurrence() object {
	f := pick(g, "minute", "Hour", "daily", "WEEK", "month", "year")
	r := object{"frequency": f}
	g.maybe(r, "interval", 1)
	g.maybe(r, "count", 1+g.IntN(1000))
	g.maybe(r, "endTime", "2029-01-01")
	s := object{}
	g.maybe(s, "hours", []int{g.IntN(24), g.IntN(24)})
	g.maybe(s, "minute", g.IntN(60))
	switch f {
	case "WEEK":
		g.maybe(s, "weekDays", pick[any](g, "mon", []string{"Friday", "sunday", "fri"}))
	case "month":
		g.maybe(s, "monthDays", []int{1, -1, 15})
		g.maybe(s, "monthlyOccurrences", []object{{"day": "friday", "occurrence": -1}, {"day": "mon"}})
	}
	if len(s) > 0 {
		r["schedule"] = s
	}
	return r
}

func (g workflows) action(m object) object {
	switch g.IntN(6) {
	case 0:
		m["type"] = "none"
		return m
	case 2:
		m["type"] = pick(g, "storageQueue", "STORAGEQUEUE")
		m["queueMessage"] = object{"storageAccount": pick(g, "acct", "${{ params.region }}"), "queueName": "q", "sasToken": pick(g, "?sig=x", "${{ secrets.token }}"), "message": g.text()}
		g.maybe(m, "queueUri", pick(g, "https://x/q", "${{ params.region }}"))
		return m
	case 3:
		m["type"] = pick(g, "serviceBusQueue", "ServiceBusTopic")
		b := object{"namespace": "ns"}
		if m["type"] == "serviceBusQueue" {
			b["queueName"], m["serviceBusQueueMessage"] = "q", b
		} else {
			b["topicPath"], m["serviceBusTopicMessage"] = "a/b", b
		}
		g.bus(b)
		return m
	case 1:
		m["type"] = pick(g, "http", "HTTPS")
		r := object{"method": pick(g, "GET", "post"), "uri": pick(g, "http://x/y", "https://${{ params.region }}.example", "${{ params.region }}")}
		g.maybe(r, "headers", object{"X-A": g.text(), "Content-Type": "text/plain"})
		g.maybe(r, "body", g.text())
		g.maybe(r, "authentication", pick(g, object{"type": "basic", "username": g.text(), "password": "${{ secrets.token }}"},
			object{"type": "ClientCertificate", "pfx": "${{ secrets.token }}", "password": g.text()}, object{"type": "clientCertificate"},
			object{"type": "ActiveDirectoryOAuth", "tenant": g.text(), "audience": g.text(), "clientId": g.text(), "secret": g.text()}))
		m["request"] = r
		g.maybe(m, "expect", []int{204, 200, 204})
		return m
	}
	m["type"] = "shell"
	if g.chance(50) {
		m["command"] = "x" + g.text()
	} else {
		m["script"] = "dir/run.sh"
	}
	g.maybe(m, "args", []any{g.text(), 3, "${{ params.region }}", true})
	g.maybe(m, "env", object{"A": g.text(), "B_1": "${{ secrets.token }}"})
	g.maybe(m, "dir", "work")
	return m
}

// bus draws what a message to the Service Bus may have.
func (g workflows) bus(m object) {
	g.maybe(m, "transportType", pick(g, "AMQP", "netmessaging", "NotSpecified"))
	g.maybe(m, "authentication", pick(g, object{"type": "sharedAccessKey", "sasKeyName": "k", "sasKey": g.text()}, object{"type": "sharedaccesskey", "sasKeyName": "k"}, object{"type": "notSpecified"}))
	g.maybe(m, "message", g.text())
	p := object{}
	for _, name := range []string{"contentType", "correlationId", "label", "messageId", "partitionKey", "replyTo", "replyToSessionId", "sessionId", "to", "viaPartitionKey"} {
		g.maybe(p, name, g.text())
	}
	g.maybe(p, "scheduledEnqueueTimeUtc", pick(g, "2026-10-01", "2026-10-01T02:00:00.5+08:00", "${{ planTime }}"))
	g.maybe(p, "timeToLive", pick(g, g.duration(), "00:01:00"))
	g.maybe(p, "forcePersistence", g.chance(50))
	if len(p) > 0 {
		m["brokeredMessageProperties"] = p
	}
	g.maybe(m, "customMessageProperties", object{"A b": g.text(), "~": "x"})
}

func (g workflows) tries(m object) object {
	g.maybe(m, "retryPolicy", object{"retryType": pick(g, "none", "fixed", "Exponential"), "retryInterval": pick(g, "PT30S", "00:01:00", "P1M"), "retryCount": g.IntN(21), "on": []int{75, 1}})
	g.maybe(m, "timeout", g.duration())
	return m
}

func (g workflows) job() object {
	m := g.tries(object{})
	g.when(m)
	g.maybe(m, "description", g.text())
	g.maybe(m, "tags", []string{"b", "a", "b"})
	g.maybe(m, "state", pick(g, "enabled", "Disabled"))
	g.maybe(m, "concurrency", 1+g.IntN(3))
	g.maybe(m, "overlap", pick(g, "queue", "skip", "skipToLatest", "cancelRunning"))
	g.maybe(m, "waitTimeout", g.duration())
	g.maybe(m, "confirm", g.chance(50))
	g.maybe(m, "selfDependency", g.chance(50))
	g.maybe(m, "priority", 1+g.IntN(9))
	g.maybe(m, "pool", g.name())
	if m["pool"] != nil {
		g.maybe(m, "slots", 1+g.IntN(3))
	}
	g.maybe(m, "deadline", g.duration())
	g.maybe(m, "notify", []any{"ops", object{"sink": g.name() + "2", "kinds": []string{"failure", "recovery"}, "interval": g.duration()}})
	g.maybe(m, "onLost", pick(g, "retry", "hold"))
	g.maybe(m, "params", object{"region": g.text(), "n": object{"type": "integer", "enum": []int{1, 2}, "default": 1}, "r": object{"required": true}})
	g.maybe(m, "env", object{"JOB": g.text()})
	g.maybe(m, "errorAction", g.tries(g.action(object{})))
	if g.chance(50) {
		d := object{"job": pick(g, "x", "other/y", "a")}
		g.maybe(d, "policy", pick(g, "natural", "traditional"))
		if g.chance(30) {
			d["window"] = object{"from": pick(g, "-PT24H", "-P1M2D", "PT0S"), "to": pick(g, "PT0S", "P1D"), "closed": pick(g, "left", "right", "both")}
		} else {
			g.maybe(d, "previous", 1+g.IntN(30))
		}
		g.maybe(d, "select", pick[any](g, "all", "any", "first", "last", 3))
		g.maybe(d, "hours", []int{5, 2, 5})
		g.maybe(d, "onMissing", pick(g, "run", "wait", "cancel"))
		g.maybe(d, "onFailed", pick(g, "run", "wait", "cancel"))
		g.maybe(d, "waitPreviousEnd", g.chance(50))
		g.maybe(d, "timeout", g.duration())
		m["dependsOn"] = []any{"z", d, object{"job": "self", "previous": 2}}
	}
	if g.chance(50) {
		m["action"] = g.action(object{})
		return m
	}
	steps := object{"first": g.tries(g.action(object{})), "2nd": g.tries(g.action(object{"needs": "first"})), "last": g.tries(g.action(object{"needs": []string{"first", "2nd"}}))}
	g.maybe(steps["last"].(object), "when", `steps.first.outcome == "succeeded" && params.region != "x"`)
	g.maybe(steps["2nd"].(object), "onFailure", pick(g, "fail", "continue", "pause", "failSuccessors"))
	m["steps"] = steps
	return m
}

func (g workflows) document() object {
	doc := object{
		"workflow":  g.name(),
		"calendars": object{"c1": object{"off": []string{"2026-10-01..2026-10-08", "2026-10-09"}, "on": "2026-10-10"}, "c2": object{"include": "c1", "workDays": []string{"sat", "Sunday"}}},
		"params":    object{"region": "cn", "unused": 1.5},
		"secrets":   object{"token": object{"env": "TOKEN"}, "other": object{"file": "/run/x"}},
		"jobs":      object{g.name(): g.job(), g.name() + "2": g.job()},
	}
	g.maybe(doc, "timeZone", "Europe/Berlin")
	g.maybe(doc, "policy", "traditional")
	g.maybe(doc, "state", "disabled")
	g.maybe(doc, "env", object{"ALL": g.text()})
	g.maybe(doc, "defaults", g.tries(object{"priority": 2, "errorAction": g.action(object{})}))
	return doc
}

// What a definition says is what the job is: decoding it gives the same job, and the same bytes again.
func TestDefinitionRoundTrips(t *testing.T) {
	drawn, loaded := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := workflows{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))}
		text, err := json.Marshal(g.document())
		require.NoError(t, err)
		drawn++
		w, problems := spec.Decode("w.json", text, spec.Options{Folder: "/jobs"})
		if problems.HasErrors() {
			t.Logf("%s", problems)
			return
		}
		loaded++
		for _, job := range w.Jobs {
			again, err := spec.DecodeJob(job.Definition, "/jobs")
			require.NoError(t, err, "%s", job.Definition)
			require.Equal(t, job, again)
		}
	})
	t.Logf("%d of %d documents loaded", loaded, drawn)
	require.Greater(t, 2*loaded, drawn, "most of what the generator draws must load")
}

// FuzzDecode: no bytes make the decoder panic, and what it takes it can write and read back.
func FuzzDecode(f *testing.F) {
	for _, pattern := range []string{"testdata/*/*.yaml", "testdata/folders/*/*.yaml", "testdata/seeds/*.json"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, problems := spec.Decode("w.yaml", data, spec.Options{Folder: "/jobs"})
		if (w == nil) != problems.HasErrors() {
			t.Fatalf("workflow and errors disagree: %s", problems)
		}
		if w == nil {
			return
		}
		for _, job := range w.Jobs {
			again, err := spec.DecodeJob(job.Definition, "/jobs")
			require.NoError(t, err, "%s", job.Definition)
			require.Equal(t, job, again)
		}
	})
}
