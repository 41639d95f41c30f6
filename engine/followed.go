package engine

import (
	"context"
	"fmt"
)

// Follow brings the reasons of waiting instances up to what they wait for as it is now. A row keeps
// what its instance saw when it was looked at last, and nothing looks at it while what it waits for
// is merely released, starts, or is frozen: that would be work for nothing but a text.
func (e *Engine) Follow(ctx context.Context, list []Instance) error {
	err := e.cfg.Store.Read(ctx, func(v View) error {
		f := follower{e: e, v: v, seen: map[followed]*Instance{}}
		for n := range list {
			if err := f.follow(&list[n]); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap(err, "read what is waited for")
}

// A followed is an upstream instance by what a reason says of it.
type followed struct {
	ref JobRef
	key string
	at  int64
}

type follower struct {
	e    *Engine
	v    View
	seen map[followed]*Instance // nil: there is none
}

func (f *follower) follow(i *Instance) error {
	r := &i.Reason
	if i.State != Waiting || r.Upstream == nil || r.At == nil || r.State == "" ||
		r.Code != ReasonUpstream && r.Code != ReasonUpstreamFail {
		return nil
	}
	u, err := f.upstream(i)
	if err != nil || u == nil {
		return err
	}
	code := ReasonUpstream
	if u.State.CountsAsFailed() {
		code = ReasonUpstreamFail
	}
	now := UpstreamInstance{PlanTime: *r.At, State: u.State, Frozen: u.Frozen}
	i.Reason = upstreamReason(code, *r.Upstream, &now)
	return nil
}

// upstream finds what the reason of an instance names: of its own backfill, else what was
// scheduled.
func (f *follower) upstream(i *Instance) (*Instance, error) {
	keys := []string{""}
	if i.Kind == Backfill {
		keys = []string{i.Key, ""}
	}
	for _, key := range keys {
		at := followed{*i.Reason.Upstream, key, i.Reason.At.UnixMilli()}
		u, known := f.seen[at]
		if !known {
			var err error
			if u, err = f.find(at, i); err != nil {
				return nil, err
			}
			f.seen[at] = u
		}
		if u != nil {
			return u, nil
		}
	}
	return nil, nil
}

func (f *follower) find(at followed, i *Instance) (*Instance, error) {
	job := int64(0)
	if d := f.e.defs.lookup(at.ref); d != nil {
		job = d.row.ID
	} else {
		row, err := f.v.JobByRef(at.ref)
		if err != nil {
			return nil, ignoreNotFound(err)
		}
		job = row.ID
	}
	u, err := f.v.Find(job, at.key, *i.Reason.At)
	if err != nil {
		return nil, ignoreNotFound(fmt.Errorf("%s: %w", at.ref, err))
	}
	return &u, nil
}

func ignoreNotFound(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}
