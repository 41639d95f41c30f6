package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

// benchOperations selects among and changes the instances of a day of 100,000, by one selector each.
func benchOperations(ctx context.Context, s setting) ([]figure, error) {
	jobs, err := day(980)
	if err != nil {
		return nil, err
	}
	byName := map[string]*engine.Job{}
	for _, j := range jobs {
		byName[j.Name] = j
	}
	_, plan, err := planDay(jobs)
	if err != nil {
		return nil, err
	}
	p, err := plan()
	if err != nil {
		return nil, err
	}
	now := time.Date(2026, 11, 20, 4, 0, 0, 0, jobs[0].When.Location)
	db, err := store.Open(ctx, store.Config{Dir: filepath.Join(s.dir, "rows"), Clock: time.Now})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ids := map[engine.JobRef]int64{}
	err = db.Write(ctx, func(tx engine.Tx) error {
		first, err := tx.Reserve(2*len(jobs) + p.Instances())
		if err != nil {
			return err
		}
		for i, j := range jobs {
			id := first + int64(2*i)
			ids[j.Ref()] = id
			if err := tx.PutJob(engine.JobRow{ID: id, Ref: j.Ref(), Version: id + 1, CreatedAt: now, PlannedTo: now.AddDate(0, 0, 1)}); err != nil {
				return err
			}
			if err := tx.PutVersion(engine.VersionRow{ID: id + 1, Job: id, Definition: []byte(j.Name), CreatedAt: now}); err != nil {
				return err
			}
		}
		_, err = tx.InsertInstances(p.Rows(first+int64(2*len(jobs)), func(ref engine.JobRef) (int64, int64) { return ids[ref], ids[ref] + 1 }))
		return err
	})
	if err != nil {
		return nil, err
	}
	e, err := engine.New(engine.Config{
		Store: db, Runner: noRunner{}, Owner: "bench", Slots: 1, Decode: func(definition []byte, _ string) (*engine.Job, error) { return byName[string(definition)], nil },
	})
	if err != nil {
		return nil, err
	}
	if _, err := e.Select(ctx, "job:j00001 date:2026-11-20", now); err != nil { // what it learns of the definitions it learns once
		return nil, err
	}
	one, err := median(s.n, func(int) (time.Duration, error) {
		began := time.Now()
		_, err := e.Select(ctx, "job:j00500 date:2026-11-20 time:00:00..06:00 +1", now)
		return time.Since(began), err
	})
	if err != nil {
		return nil, err
	}
	figures := []figure{{
		work: fmt.Sprintf("a selector of one job, a day, hours and a hop, %d instances, %d jobs", p.Instances(), len(jobs)), bar: "≤ 50 ms",
		result: fmt.Sprintf("%.1f ms", one.Seconds()*1000), met: one <= 50*time.Millisecond,
	}}
	for _, o := range []struct {
		work string
		engine.OperationRequest
	}{
		{"preview of a freeze of the day", engine.OperationRequest{Operation: engine.OperateFreeze, DryRun: true}},
		{"freeze of the day, durable", engine.OperationRequest{Operation: engine.OperateFreeze}},
		{"skip of the day, durable", engine.OperationRequest{Operation: engine.OperateSkip}},
		{"rerun of the day, durable", engine.OperationRequest{Operation: engine.OperateRerun}},
	} {
		o.Selector, o.Actor = "date:2026-11-20", "bench"
		beside := waitsBeside(ctx, db)
		began := time.Now()
		r, err := e.Operate(ctx, o.OperationRequest, now)
		for more := r.UnderWay != nil; err == nil && more; {
			more, err = e.Bulk(ctx, now)
		}
		took := time.Since(began)
		write, read, besideErr := beside()
		if err := errors.Join(err, besideErr); err != nil {
			return nil, err
		}
		figures = append(figures, figure{
			work: fmt.Sprintf("%s, %d instances", o.work, r.Counts[engine.EffectChanged]), bar: "≤ 15 s",
			result: fmt.Sprintf("%.1f s; beside it a turn of the loop waits for at most %.0f ms, a reader for %.0f ms", took.Seconds(), write.Seconds()*1000, read.Seconds()*1000),
			met:    took <= 15*time.Second,
		})
	}
	return figures, nil
}

// waitsBeside writes nothing and reads the clock, again and again, until the function that it returns is called: that tells how long the longest write and
// the longest read took.
func waitsBeside(ctx context.Context, db *store.DB) func() (write, read time.Duration, err error) {
	done := make(chan struct{})
	type most struct {
		took time.Duration
		err  error
	}
	again := func(do func() error) chan most {
		found := make(chan most, 1)
		go func() {
			var m most
			for {
				select {
				case <-done:
					found <- m
					return
				case <-time.After(20 * time.Millisecond):
				}
				began := time.Now()
				m.err = errors.Join(m.err, do())
				m.took = max(m.took, time.Since(began))
			}
		}()
		return found
	}
	writes := again(func() error { return db.Write(ctx, func(engine.Tx) error { return nil }) })
	reads := again(func() error {
		return db.Read(ctx, func(v engine.View) error {
			_, err := v.Agenda()
			return err
		})
	})
	return func() (write, read time.Duration, err error) {
		close(done)
		w, r := <-writes, <-reads
		return w.took, r.took, errors.Join(w.err, r.err)
	}
}
