package main

import "database/sql"

// readPauses reads when a person had paused jobs and workflows. An earlier server has none.
func (l *ledger) readPauses(r *rowReader) error {
	if has, err := r.has("pause", "since"); err != nil || !has {
		return err
	}
	return r.each(`SELECT workflow, job, since, until, resumed FROM pause`, func(scan func(...any) error) error {
		var workflow, name string
		var since int64
		var until, resumed sql.NullInt64
		if err := scan(&workflow, &name, &since, &until, &resumed); err != nil {
			return err
		}
		to := forever
		for _, end := range []sql.NullInt64{until, resumed} {
			if end.Valid {
				to = min(to, end.Int64)
			}
		}
		for _, j := range l.order {
			if j.workflow == workflow && (name == "" || j.name == name) {
				j.paused = append(j.paused, span{since, to})
			}
		}
		return nil
	})
}
