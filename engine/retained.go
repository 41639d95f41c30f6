package engine

import (
	"encoding/json"
	"fmt"
	"time"
)

// Where the rows say what retention has removed.
const (
	retentionKind = "retention"
	retentionKey  = "removed"
)

// removedMark is what is kept of it.
type removedMark struct {
	Before time.Time `json:"before"`
}

// RemovedBefore returns the latest time before which retention has removed what had ended. It is
// zero if retention has removed nothing. The clock may have been ahead then, and the retention may
// have been another one: only the rows know.
func RemovedBefore(v View) (time.Time, error) {
	row, err := v.Resource(retentionKind, retentionKey)
	if isNotFound(err) {
		return time.Time{}, nil
	}
	var mark removedMark
	if err == nil {
		err = json.Unmarshal(row.Body, &mark)
	}
	return mark.Before, wrap(err, "read what retention has removed")
}

// markRemoved records that retention has removed what ended before a time.
func markRemoved(tx Tx, before time.Time) error {
	known, err := RemovedBefore(tx)
	if err != nil || !before.After(known) {
		return err
	}
	body, err := json.Marshal(removedMark{Before: before.UTC()})
	if err != nil {
		return fmt.Errorf("record what retention removes: %w", err)
	}
	return wrap(tx.PutResource(ResourceRow{Kind: retentionKind, Key: retentionKey, Body: body}),
		"record what retention removes")
}
