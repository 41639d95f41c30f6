package engine_test

import (
	"fmt"
	"strings"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/spec"
	"github.com/almanac-sched/almanac/store"
)

// alerts are those of the scenario's file, nil without one.
func (s *scenario) alerts() *engine.Alerts {
	text, judged := s.sections["alerts"]
	if !judged {
		return nil
	}
	file, problems := spec.DecodeAlerts("alerts", []byte(text))
	require.NoError(s.t, problems.Err())
	return &engine.Alerts{Default: file.Default, Repeat: file.Repeat, Notifier: &teller{s, file.Names()}}
}

// A teller is the Notifier of a scenario: it writes into the timeline who was told what.
type teller struct {
	*scenario
	names []string
}

func (n *teller) Sinks() []string { return n.names }

func (n *teller) Notify(sink string, m engine.AlertMessage, done func(engine.Told)) {
	n.mu.Lock()
	if n.messages == nil {
		n.messages = map[string]int{}
	}
	if _, known := n.messages[m.ID]; !known {
		n.messages[m.ID] = len(n.messages) + 1
	}
	number := n.messages[m.ID]
	n.mu.Unlock()
	head := fmt.Sprintf("! %s #%d %s: %s", sink, number, m.Class, m.Title)
	answer := ""
	if told := n.told.Load(); told != nil {
		answer = *told
	}
	switch {
	case strings.HasPrefix(answer, sink+" down"):
		n.note(head + " (refused)")
		done(engine.Told{Error: "HTTP 503", At: time.Now()})
	case strings.HasPrefix(answer, sink+" hangs"):
		n.note(head + " (no answer)")
	case strings.HasPrefix(answer, sink+" gone"):
		n.note(head + " (gone)")
		done(engine.Told{Error: "HTTP 410", Final: true, At: time.Now()})
	default:
		n.note(head)
		if _, more := n.sections["texts"]; more {
			for line := range strings.Lines(m.Text) {
				n.note("    " + strings.TrimSpace(line))
			}
		}
		done(engine.Told{At: time.Now()})
	}
}

// ack says of every open incident that somebody knows.
func (s *scenario) ack() {
	var open []engine.IncidentRow
	require.NoError(s.t, s.db.Read(s.t.Context(), func(v engine.View) (err error) {
		open, err = v.Incidents(true, 0, 100)
		return err
	}))
	for _, i := range open {
		_, err := s.engine.AckIncident(s.t.Context(), i.ID, "ann", "looking into it", time.Now())
		require.NoError(s.t, err)
	}
}

// incidents lists all of them, oldest first, with their members by kind.
func (s *scenario) incidents() {
	require.NoError(s.t, s.db.Read(s.t.Context(), func(v engine.View) error {
		all, err := v.Incidents(false, 0, 100)
		for n := len(all) - 1; n >= 0; n-- {
			i := &all[n]
			counts, err := v.MemberCounts(i.ID)
			if err != nil {
				return err
			}
			state := "open"
			if !i.Closed.IsZero() {
				state = "closed"
			}
			line := fmt.Sprintf("incident of %s, %s, %s:", strings.TrimRight(i.Cause, "0123456789"), i.Kind, state)
			for _, c := range counts {
				line += fmt.Sprintf(" %s %d of %d", c.Kind, c.Open, c.All)
			}
			s.note(line)
		}
		return err
	}))
}

// again opens the store of a scenario that has been played and lets fn act on it; the server that fn starts is killed in the end.
func (s *scenario) again(fn func()) {
	db, err := store.Open(s.t.Context(), store.Config{Dir: s.dir, Clock: time.Now})
	require.NoError(s.t, err)
	s.db = db
	defer func() {
		if s.stop != nil {
			s.kill()
		}
		require.NoError(s.t, db.Close())
	}()
	fn()
	synctest.Wait()
}
