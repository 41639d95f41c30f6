package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// streamRoutes are the routes that go on answering.
func streamRoutes() []route {
	return []route{
		{
			Method: http.MethodGet, Pattern: prefix + "/stream", Permission: Viewer, ID: "streamChanges", Tag: "streams",
			Summary: "Follow what happens",
			Text: "Server-sent events: one named change for each line of the history that is asked for, its id the line's and its data a Change. Whoever is cut off " +
				"goes on with the header Last-Event-ID (or after): no line is lost, and none comes twice. A line that retention has removed meanwhile is told by an event " +
				"named gap, its data a Gap. An id without an event comes at least every 15 seconds. When the server ends, so does the stream. A server that does not follow sends what there is, and an event named end.",
			Answers: ok(nil), Usual: streamResponse("id: 4217\nevent: change\ndata: {\"id\":\"4217\",\"kind\":\"start\",…}\n\n"),
			register: describing(operation((*server).stream), map[string]any{"Change": Change{}, "Gap": Gap{}}),
		},
		{
			Method: http.MethodGet, Pattern: prefix + "/attempts/{id}/log/stream", Permission: Viewer, ID: "streamLog", Tag: "streams", Refuses: []int{http.StatusNotFound},
			Summary: "Follow the log of an attempt",
			Text: "Server-sent events: one named log for each part, its data a LogPart and its id the offset behind it, so that the header Last-Event-ID (or offset) goes " +
				"on where it was cut off. When the attempt has ended and its log was sent to its end, one named end, its data a LogEnd, is the last.",
			Answers: ok(nil), Usual: streamResponse("id: 17\nevent: log\ndata: {\"offset\":\"0\",\"text\":\"42 orders loaded\\n\"}\n\n"),
			register: describing(operation((*server).streamLog), map[string]any{"LogPart": LogPart{}, "LogEnd": LogEnd{}}),
		},
	}
}

func streamResponse(example string) *huma.Response {
	return &huma.Response{
		Description: "Events, as text/event-stream has them",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}, Example: example}},
	}
}

// describing adds the schemas of what events have as their data to the description.
func describing(register func(*server, huma.API, huma.Operation), data map[string]any) func(*server, huma.API, huma.Operation) {
	return func(s *server, api huma.API, op huma.Operation) {
		for name, v := range data {
			api.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, name)
		}
		register(s, api, op)
	}
}

type streamInput struct {
	Workflow string   `query:"workflow" maxLength:"128" doc:"Only of this workflow"`
	Job      string   `query:"job" maxLength:"128" doc:"Only of this job; needs workflow"`
	Instance int64    `query:"instance" minimum:"1" doc:"Only of this instance"`
	Kinds    []string `query:"kinds" maxItems:"32" doc:"Only of these kinds, such as start,fail"`
	After    int64    `query:"after" minimum:"-1" default:"-1" doc:"Only lines with a larger id; 0 begins with the oldest, -1 with what comes"`
	Last     int64    `header:"Last-Event-ID" minimum:"0" doc:"The last id that came; it goes before after"`
	last     bool     // it was given: 0 is an id too
}

// Resolve tells a Last-Event-ID of 0 from none.
func (in *streamInput) Resolve(ctx huma.Context) []error {
	in.last = ctx.Header("Last-Event-ID") != ""
	return nil
}

func (in *streamInput) wants(l *line) bool {
	return (in.Workflow == "" || l.ref.Workflow == in.Workflow) && (in.Job == "" || l.ref.Job == in.Job) &&
		(in.Instance == 0 || l.instance == in.Instance) && (len(in.Kinds) == 0 || slices.Contains(in.Kinds, l.kind))
}

func (s *server) stream(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
	if in.Job != "" && in.Workflow == "" {
		return nil, invalid("query.job", "a job is named together with its workflow")
	}
	newest, err := s.cfg.History.LastEvent(ctx)
	if err != nil {
		return nil, err
	}
	at, location := in.After, "query.after"
	switch {
	case in.last:
		at, location = in.Last, "header.Last-Event-ID"
	case at < 0:
		at = newest
	}
	if at > newest {
		return nil, invalid(location, fmt.Sprintf("there is no line %d yet: the newest is %d", at, newest))
	}
	return s.sending(ctx, at, func(out *sender) error { return s.follow(out, in, at) })
}

// follow sends the lines after an id: from rows until the feed has them, then from the feed.
func (s *server) follow(out *sender, in *streamInput, at int64) error {
	feed, ctx := s.cfg.Feed, out.ctx
	if feed == nil {
		if err := s.catchUp(out, in, &at, 1<<63-1); err != nil {
			return err
		}
		return out.end([]byte("{}"))
	}
	_, leave, err := feed.follow(ctx)
	if err != nil {
		return err
	}
	defer leave()
	for {
		lines, behind, more := feed.since(at)
		if behind {
			feed.mu.Lock()
			until := feed.floor
			feed.mu.Unlock()
			if err := s.catchUp(out, in, &at, until); err != nil {
				return err
			}
			continue
		}
		if err := out.permitted(lines); err != nil {
			return err
		}
		for i := range lines {
			if in.wants(&lines[i]) {
				if err := out.send(lines[i].frame); err != nil {
					return err
				}
			}
			at = lines[i].id
		}
		if len(lines) > 0 {
			if err := out.flush(); err != nil {
				return err
			}
		}
		if err := wait(out, more, func() []byte { return fmt.Appendf(nil, "id: %d\n\n", at) }); err != nil {
			return err
		}
	}
}

// catchUp sends lines from rows, from *at up to the id until, and moves *at.
func (s *server) catchUp(out *sender, in *streamInput, at *int64, until int64) error {
	for *at < until {
		lines, err := s.lines.after(out.ctx, *at, in.Instance, feedBatch)
		if err != nil {
			return err
		}
		if err := out.permitted(lines); err != nil {
			return err
		}
		if len(lines) > 0 && in.Instance == 0 && lines[0].id != *at+1 && *at > 0 {
			data, err := json.Marshal(Gap{ID(*at), ID(lines[0].id)})
			if err != nil {
				return err
			}
			if err := out.send(frame("", "gap", data)); err != nil {
				return err
			}
		}
		for i := range lines {
			if lines[i].id > until {
				*at = until // those in between are of others, or gone
				return out.flush()
			}
			if in.wants(&lines[i]) {
				if err := out.send(lines[i].frame); err != nil {
					return err
				}
			}
			*at = lines[i].id
		}
		if err := out.flush(); err != nil {
			return err
		}
		if len(lines) < feedBatch {
			*at = until
			return nil
		}
		if err := out.over(); err != nil {
			return err
		}
	}
	return nil
}

// heartbeat is how often a stream gives a sign of life, and looks whether the token is still good.
const heartbeat = 15 * time.Second

// A sender is the connection of a stream.
type sender struct {
	ctx     context.Context
	server  *server
	request *http.Request
	w       http.ResponseWriter
	control *http.ResponseController
	closed  <-chan struct{} // nil when nothing is followed
	beat    *time.Ticker
	slow    *time.Timer
	revoked int64 // server.revoked when the token was looked at
}

var errStreamOver = errors.New("the stream is over")

// sending answers with a stream that begins behind the id, when the principal may have another.
func (s *server) sending(ctx context.Context, at int64, send func(*sender) error) (*huma.StreamResponse, error) {
	who := exchangeOf(ctx).principal.name
	revoked := s.revoked.Load()
	if problem := s.streams.begin(who, s.cfg.Limits); problem != nil {
		return nil, problem
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer s.streams.end(who)
		r, w := humachi.Unwrap(hc)
		out := &sender{revoked: revoked, ctx: r.Context(), server: s, request: r, w: w, control: http.NewResponseController(w)}
		if s.cfg.Feed != nil {
			out.closed = s.cfg.Feed.closed
		}
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no") // a proxy must not wait for more
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return
		}
		// The limits of the server are those of an answer that ends.
		_, _ = out.control.SetReadDeadline(time.Time{}), out.control.SetWriteDeadline(time.Time{})
		out.beat = time.NewTicker(heartbeat)
		defer out.beat.Stop()
		out.slow = time.AfterFunc(s.cfg.Limits.Stall, func() { _ = out.control.SetWriteDeadline(time.Unix(1, 0)) })
		defer out.slow.Stop()
		err := out.send(fmt.Appendf(nil, "retry: 1000\nid: %d\n\n", at)) // whoever is cut off before the first event goes on from here
		if err == nil {
			err = out.flush()
		}
		if err == nil {
			err = send(out)
		}
		if err != nil && !errors.Is(err, errStreamOver) && out.ctx.Err() == nil {
			s.log.Debug("a stream ended", "request", exchangeOf(ctx).id, "error", err)
		}
	}}, nil
}

// send writes a frame; flush must follow when nothing else does.
func (o *sender) send(frame []byte) error {
	o.slow.Reset(o.server.cfg.Limits.Stall)
	_, err := o.w.Write(frame)
	o.slow.Stop()
	return err
}

func (o *sender) flush() error {
	o.slow.Reset(o.server.cfg.Limits.Stall)
	err := o.control.Flush()
	o.slow.Stop()
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// end sends the last event.
func (o *sender) end(data []byte) error {
	if err := o.send(frame("", "end", data)); err != nil {
		return err
	}
	return o.flush()
}

// permitted ends the stream when its token was revoked: whenever one is, each stream asks about its own before it sends anything more. That one was is known
// of this server at once, and of any from the line that says so, before which no stream is that may not have it.
func (o *sender) permitted(lines []line) error {
	n := o.server.revoked.Load()
	if n == o.revoked && !slices.ContainsFunc(lines, func(l line) bool { return l.kind == "token-revoked" }) {
		return nil
	}
	o.revoked = n
	if _, problem := o.server.authenticate(o.request, false); problem != nil {
		return errStreamOver
	}
	return nil
}

// over reports, by an error, that the stream has to end.
func (o *sender) over() error {
	select {
	case <-o.closed:
		return errStreamOver
	case <-o.ctx.Done():
		return o.ctx.Err()
	default:
		return nil
	}
}

// wait waits until more says something, sending a sign of life now and then.
func wait[T any](o *sender, more <-chan T, life func() []byte) error {
	for {
		select {
		case <-o.closed:
			return errStreamOver
		case <-o.ctx.Done():
			return o.ctx.Err()
		case <-more:
			return o.permitted(nil)
		case <-o.beat.C:
			if _, problem := o.server.authenticate(o.request, false); problem != nil {
				return errStreamOver // the token was revoked, or has expired
			}
			if err := o.send(life()); err != nil {
				return err
			}
			if err := o.flush(); err != nil {
				return err
			}
		}
	}
}

// A streamCount bounds how many streams there are at once.
type streamCount struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

func (c *streamCount) begin(who string, l Limits) *Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.of[who] >= l.Streams:
		return refusal(codeStreams, who+" has "+strconv.Itoa(l.Streams)+" streams already")
	case c.all >= l.Followers:
		return refusal(codeStreams, "the server has "+strconv.Itoa(l.Followers)+" streams already")
	}
	c.all++
	c.of[who]++
	return nil
}

func (c *streamCount) end(who string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.of[who]--; c.of[who] == 0 {
		delete(c.of, who)
	}
}
