package engine

// A BoardRun is an earlier run of an instance on the board, one that started.
type BoardRun struct {
	RunRow
	Row int // of Board.Rows
}

// earlier reads the runs of the day before the current ones, as many at most as there may be instances.
func (d *boarding) earlier(v View) error {
	rerun := map[int64]int{}
	for n := range d.Rows {
		if d.Rows[n].Run > 1 {
			rerun[d.Rows[n].ID] = n
		}
	}
	if len(rerun) == 0 {
		return nil
	}
	runs, err := v.RunsBetween(d.From, d.To, d.request.Most)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if n, shown := rerun[r.Instance]; shown {
			d.Earlier = append(d.Earlier, BoardRun{r, n})
		}
	}
	return nil
}
