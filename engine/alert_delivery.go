package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/almanac-sched/almanac/engine/fault"
)

// A Notifier tells sinks. The engine asks no more of them than this.
type Notifier interface {
	// Notify sends a message to the sink and returns at once. done is called exactly once, from any goroutine. A sink that there is not is an error for
	// good.
	Notify(sink string, m AlertMessage, done func(Told))
	// Sinks lists the names of the sinks there are, in order.
	Sinks() []string
}

// Told is what became of one attempt to tell a sink.
type Told struct {
	Delivery int64
	Attempt  int
	Error    string // "" is success; no secret may be in it
	Final    bool   // trying again cannot help
	At       time.Time
}

// How deliveries are tried: the first retry comes after retryFirst, each further one after twice the time before but at most retryLast, for
// deliveryTries in all, some six hours. Who sends one has sendTerm for it, after which another may: no answer in that time counts as none.
const (
	retryFirst    = 10 * time.Second
	retryLast     = 30 * time.Minute
	deliveryTries = 20
	sendTerm      = 2 * time.Minute
	sendsAtOnce   = 8
)

// retryDelivery is how long after the n-th attempt failed the next one may begin.
func retryDelivery(n int) time.Duration {
	wait := retryFirst
	for range n - 1 {
		wait = min(2*wait, retryLast)
	}
	return wait
}

// recordTold writes down what became of deliveries.
func (e *Engine) recordTold(tx Tx, now time.Time) error {
	for _, told := range e.told {
		row, err := tx.Delivery(told.Delivery)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read delivery %d: %w", told.Delivery, err)
		}
		if row.State != OutboxPending || told.Error != "" && row.Attempts != told.Attempt {
			continue // somebody else has tried since
		}
		if row, err = afterTold(tx, row, told, now); err != nil {
			return err
		}
		if err := tx.PutDelivery(row); err != nil {
			return fmt.Errorf("record delivery %d: %w", row.ID, err)
		}
	}
	return nil
}

// afterTold is a delivery after an attempt. One that has failed for good gets a line in the history.
func afterTold(tx Tx, row DeliveryRow, told Told, now time.Time) (DeliveryRow, error) {
	row.Reason = told.Error
	switch {
	case told.Error == "":
		row.State, row.EndedAt = OutboxDelivered, now
	case told.Final || row.Attempts >= deliveryTries || row.Class == ClassTest:
		row.State, row.EndedAt = OutboxFailed, now
		event := EventRow{At: now, Kind: "alert-undelivered", Reason: Reason{
			Code: ReasonAlert, Detail: fmt.Sprintf("delivery %d to %s failed for good after %d attempts: %s", row.ID, row.Sink, row.Attempts, told.Error),
		}}
		if inc, err := tx.Incident(row.Incident); err == nil {
			event.Instance, event.Job = inc.Instance, inc.Job
		}
		return row, wrap(tx.Record(event), "record that an alert was not delivered")
	default:
		row.NotBefore = now.Add(retryDelivery(row.Attempts))
	}
	return row, nil
}

// freeSends is how many deliveries may be begun.
func (t *turn) freeSends() int {
	if t.cfg.Alerts.Notifier == nil {
		return 0
	}
	return sendsAtOnce - t.sending + len(t.told) - len(t.sends)
}

// claimDeliveries takes what is due to be sent. Until the term is over it is nobody else's; when this process dies meanwhile it is sent again then.
func (t *turn) claimDeliveries() error {
	free := t.freeSends()
	if free <= 0 {
		return nil
	}
	due, err := t.tx.DeliveriesDue(t.now, free)
	if err != nil {
		return fmt.Errorf("list what is to be told: %w", err)
	}
	for _, row := range due {
		row.Attempts++
		row.NotBefore = t.now.Add(sendTerm)
		if fault.Planted(fault.TellForgotten) {
			row.State, row.EndedAt = OutboxDelivered, t.now
		}
		if err := t.tx.PutDelivery(row); err != nil {
			return fmt.Errorf("claim delivery %d: %w", row.ID, err)
		}
		t.sends = append(t.sends, row)
	}
	return nil
}

// send hands claimed deliveries out, after the commit.
func (e *Engine) send(now time.Time, rows []DeliveryRow) {
	for _, row := range rows {
		e.sending++
		told := Told{Delivery: row.ID, Attempt: row.Attempts, At: now}
		var m AlertMessage
		if err := json.Unmarshal(row.Body, &m); err != nil {
			told.Error, told.Final = "the message cannot be read: "+err.Error(), true
			e.inbox.tell(told)
			continue
		}
		e.cfg.Alerts.Notifier.Notify(row.Sink, m, func(t Told) {
			t.Delivery, t.Attempt = told.Delivery, told.Attempt
			e.inbox.tell(t)
		})
	}
}

func (b *inbox) tell(t Told) {
	b.mu.Lock()
	b.told = append(b.told, t)
	b.mu.Unlock()
	b.nudge()
}

func (b *inbox) takeTold() []Told {
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.told
	b.told = nil
	return told
}

// hastenDeliveries brings deliveries near that a clock which was set back has moved far away.
func (e *Engine) hastenDeliveries(tx Tx, now time.Time) error {
	if e.cfg.Alerts == nil {
		return nil
	}
	const all = 1000
	pending, err := tx.DeliveriesDue(now.AddDate(100, 0, 0), all)
	if err != nil {
		return fmt.Errorf("list what is to be told: %w", err)
	}
	for _, row := range pending {
		if latest := now.Add(retryLast); row.NotBefore.After(latest) {
			row.NotBefore = latest
			if err := tx.PutDelivery(row); err != nil {
				return fmt.Errorf("record delivery %d: %w", row.ID, err)
			}
		}
	}
	return nil
}
