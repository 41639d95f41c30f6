package store

import "github.com/almanac-sched/almanac/engine"

// agendaSQL is one statement for three look-ups, since every turn of the loop asks for them twice.
const agendaSQL = `SELECT
	(SELECT wake FROM instance WHERE state = 'waiting' AND wake IS NOT NULL ORDER BY wake LIMIT 1),
	(SELECT not_before FROM outbox o WHERE state = 'pending'
		AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.outbox = o.id AND a.outcome IS NULL AND a.outbox IS NOT NULL)
		ORDER BY not_before LIMIT 1),
	EXISTS (SELECT 1 FROM instance WHERE state = 'waiting' AND gate = 'slot' AND kind <> 'backfill'),
	(SELECT pool FROM instance WHERE state = 'waiting' AND gate = 'slot' AND kind <> 'backfill' ORDER BY pool LIMIT 1)`

// Agenda tells what the rows want to be looked at.
func (v *view) Agenda() (a engine.Agenda, err error) {
	var queued bool
	var pool string
	_, err = v.s.one(agendaSQL, func(c *columns) error {
		a.Wake, a.Outbox, queued, pool = c.utc(), c.utc(), c.bool(), c.text()
		return nil
	})
	for queued && err == nil {
		a.Pools = append(a.Pools, pool)
		queued, err = v.s.one(nextPoolSQL, func(c *columns) error {
			pool = c.text()
			return nil
		}, pool)
	}
	return a, err
}
