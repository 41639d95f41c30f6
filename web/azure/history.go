package azure

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/azure"
)

// How much of the past is shown (`azure-scheduler.md` §4).
const (
	historyMost = 1000
	historyDays = 60
	historyBody = 2048 // bytes of an answer
	historyHead = 64 << 10
)

// historyType is the type of an entry.
const historyType = azure.JobType + "/history"

// The statuses of an entry. Postponed is the service's word for something that does not happen here.
const (
	statusCompleted = "completed"
	statusFailed    = "failed"
	statusPostponed = "postponed"
)

// An entry of the history is one attempt (`azure-scheduler.md` §7).
type entry struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Properties entryProperties `json:"properties"`
}

type entryProperties struct {
	StartTime             *azure.Time `json:"startTime"`
	EndTime               *azure.Time `json:"endTime"`
	ExpectedExecutionTime *azure.Time `json:"expectedExecutionTime"`
	ActionName            string      `json:"actionName"`
	Status                string      `json:"status"`
	Message               string      `json:"message"`
	RetryCount            int         `json:"retryCount"`
	RepeatCount           int         `json:"repeatCount"`

	attempt int64
	failed  bool // the error action
}

func (f *Face) jobHistory(q *request) (int, any, error) {
	w, err := q.window(historyMost)
	if err != nil {
		return 0, nil, err
	}
	status, err := q.filter("status", statusCompleted, statusFailed, statusPostponed)
	if err != nil {
		return 0, nil, err
	}
	var j *job
	var list []engine.Execution
	before := 0
	err = f.read(q, func(v View) error {
		c, err := f.find(v, q.place)
		if err != nil {
			return err
		}
		if j, err = f.jobOf(v, c, q.Job, q.now); err != nil {
			return err
		}
		list, before, err = v.Executions(j.jobRow.ID, j.row.ID, q.now.AddDate(0, 0, -historyDays), historyMost)
		return err
	})
	if err != nil {
		return 0, nil, err
	}
	entries := j.entries(list, before)
	if status != "" {
		entries = slices.DeleteFunc(entries, func(e *entry) bool { return e.Properties.Status != status })
	}
	answer := cut(q, w, entries)
	if shown, ok := answer.Value.([]*entry); ok && !q.head() {
		for _, e := range shown {
			e.Properties.Message = f.message(j, &e.Properties)
		}
	}
	return http.StatusOK, answer, nil
}

// entries makes the history of the attempts. before is how many occurrences there were before theirs.
func (j *job) entries(list []engine.Execution, before int) []*entry {
	var instances []int64
	for i := range list {
		instances = append(instances, list[i].Instance)
	}
	slices.Sort(instances)
	instances = slices.Compact(instances)
	entries := make([]*entry, len(list))
	for i := range list {
		x := &list[i]
		n, _ := slices.BinarySearch(instances, x.Instance)
		e := &entry{Type: historyType, Properties: entryProperties{
			StartTime: azure.At(x.Began), EndTime: azure.At(x.Ended), ExpectedExecutionTime: azure.At(x.PlanTime),
			ActionName: "MainAction", Status: statusFailed, Message: x.Message, RetryCount: x.Number - 1, RepeatCount: before + n + 1,
			attempt: x.Attempt, failed: x.Error,
		}}
		if x.Error {
			e.Properties.ActionName = "ErrorAction"
		}
		if x.Outcome == engine.OutcomeSucceeded {
			e.Properties.Status = statusCompleted
		}
		name := entryName(x)
		e.ID, e.Name = j.id()+"/history/"+name, azure.JobName(j.Collection, j.Job)+"/"+name
		entries[i] = e
	}
	return entries
}

// entryName names an attempt so that names sort newest first: what is left of the service's clock, in ticks of 100 ns, and of the numbers.
func entryName(x *engine.Execution) string {
	const maxTicks = 3155378975999999999 // the end of the year 9999
	ticks := (x.Began.Unix()+62135596800)*10_000_000 + int64(x.Began.Nanosecond()/100)
	return fmt.Sprintf("%020d:%020d", maxTicks-ticks, math.MaxInt64-x.Attempt)
}

// message is what the service tells of an attempt: of an HTTP action the answer, of everything else the outcome.
func (f *Face) message(j *job, p *entryProperties) string {
	action := j.Properties.Action
	if action != nil && p.failed {
		action = action.ErrorAction
	}
	if action == nil {
		return p.Message
	}
	kind := map[string]string{
		azure.ActionHTTP: "Http", azure.ActionHTTPS: "Https", azure.ActionStorageQueue: "StorageQueue", azure.ActionServiceBusQueue: "ServiceBusQueue",
		azure.ActionServiceBusTopic: "ServiceBusTopic",
	}[action.Type]
	if action.Request != nil {
		if answer, ok := f.answer(p.attempt); ok {
			return fmt.Sprintf("%s Action - Response from host '%s': '%s' Response Headers: %s Body: %s", "Http", hostOf(action.Request.URI), answer.reason, answer.headers, answer.body)
		}
		kind = "Http"
	}
	what := p.Message
	if what == "" {
		what = p.Status
	}
	return kind + " Action - " + what
}

func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// A received is the answer to a request as the log has it.
type received struct{ reason, headers, body string }

// answer reads the answer to a request from the log of the attempt; false when there was none.
func (f *Face) answer(attempt int64) (received, bool) {
	log, _, err := f.Logs.Open(attempt)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			f.Log.Warn("a log cannot be read", "attempt", attempt, "error", err)
		}
		return received{}, false
	}
	defer log.Close()
	r := bufio.NewReader(io.LimitReader(log, historyHead+historyBody))
	line, err := r.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/") {
		return received{}, false
	}
	_, status, _ := strings.Cut(strings.TrimSpace(line), " ")
	a := received{reason: status}
	if _, words, ok := strings.Cut(status, " "); ok {
		a.reason = words
	}
	var headers []string
	for {
		line, err = r.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		if line == "" || err != nil {
			break
		}
		headers = append(headers, line)
	}
	a.headers = strings.Join(headers, "\r\n") + "\r\n"
	body, err := io.ReadAll(io.LimitReader(r, historyBody))
	if err != nil {
		f.Log.Warn("a log cannot be read", "attempt", attempt, "error", err)
	}
	a.headers, a.body = strings.ToValidUTF8(a.headers, "\uFFFD"), string(bytes.ToValidUTF8(body, []byte("\uFFFD")))
	return a, true
}
