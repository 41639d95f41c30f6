package engine

// Waits makes what the instance waits for of the plan.
func (r *playRows) Waits(id int64) ([]Wait, error) {
	row := r.row(id)
	if row == nil || row.part == nil {
		return nil, nil
	}
	into := r.scratch[:0]
	if r.circular {
		into = nil // a search for a circle asks for another's while it holds these
	}
	for d := range row.part.Dependencies {
		into = row.part.Dependencies[d].appendWaits(into, id, row.ups[d], row.n)
	}
	if len(r.settled) > 0 {
		for n := range into {
			settleAssumed(&into[n], r.settled[settledKey{id, n}])
		}
	}
	if row.Key != "" {
		r.rekey(into)
	}
	if !r.circular {
		r.scratch = into
	}
	return into, nil
}

// rekey makes the waits of an instance of a backfill those for instances of the same backfill, where it holds the upstream job (`dependencies.md` §9).
func (r *playRows) rekey(waits []Wait) {
	for n := range waits {
		w := &waits[n]
		if len(r.jobs[w.Upstream-1].backfill) > 0 {
			w.Key = backfillKey
			continue
		}
		w.Select, w.Count, w.OnMissing = "all", 0, MissingRun
	}
}

// Facts looks at the range.
func (r *playRows) Facts(w *Wait) (Facts, error) {
	job := &r.jobs[w.Upstream-1]
	f := Facts{Disabled: job.disabled, Planned: true}
	if w.Count == 0 {
		return f, nil
	}
	f.Planned = !job.disabled
	rows := job.within(w.Key, w.First.UnixMilli(), w.Last.UnixMilli())
	wantOpen := w.AnyEnd()
	for n := len(rows) - 1; n >= 0; n-- {
		u := rows[n]
		if f.Unsatisfied == nil && !u.State.Satisfies() {
			f.Unsatisfied = u.upstream()
		}
		if wantOpen && f.Open == nil && !u.State.Ended() && (!u.Frozen || !w.FrozenEnds()) {
			f.Open = u.upstream()
		}
		if f.Unsatisfied != nil && (!wantOpen || f.Open != nil) {
			break
		}
	}
	if w.OnFailed == FailedCancel && f.Unsatisfied != nil {
		for _, u := range rows {
			if u.State.CountsAsFailed() || u.Frozen && !u.State.Ended() {
				f.Failed = u.upstream()
				break
			}
		}
	}
	if wanted := satisfiedWanted(w.Select); wanted > 0 {
		for _, u := range rows {
			if f.Satisfied == wanted {
				break
			}
			if u.State.Satisfies() {
				f.Satisfied++
			}
		}
	}
	return f, nil
}

func (row *playRow) upstream() *UpstreamInstance {
	return &UpstreamInstance{ID: row.ID, PlanTime: row.PlanTime, State: row.State, Frozen: row.Frozen}
}

// satisfiedWanted is how many satisfied instances a wait asks for; 0 is all.
func satisfiedWanted(selects string) int {
	switch selects {
	case "all":
		return 0
	case "any":
		return 1
	}
	n := 0
	for _, c := range selects {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
