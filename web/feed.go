package web

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// A Feed hands new lines of the history on to the streams. While anybody follows, one goroutine reads what is new: when it is told that there is
// something, and once a second, since other servers write to the same history. It keeps the latest lines; a follower that is further behind reads
// rows. So a slow one costs nothing but its connection.
type Feed struct {
	wake   chan struct{}
	closed chan struct{}
	once   sync.Once
	lines  *lines
	log    *slog.Logger

	mu        sync.Mutex
	followers int
	end       context.CancelFunc // of the goroutine; nil while there is none
	turn      int                // counts the goroutines
	floor     int64              // the lines above it, up to last, are in latest
	last      int64
	latest    []line        // what is in it never changes: another slice is made when the oldest go
	more      chan struct{} // closed when last grows
}

const (
	pollEvery  = time.Second
	feedBatch  = 500
	feedLatest = 1024
)

// NewFeed returns a feed for Config.Feed.
func NewFeed() *Feed {
	return &Feed{wake: make(chan struct{}, 1), closed: make(chan struct{}), more: make(chan struct{})}
}

// attach says where the lines come from, before anybody follows.
func (f *Feed) attach(l *lines, log *slog.Logger) { f.lines, f.log = l, log }

// Notify says that something may be new. It never blocks. A nil Feed ignores it.
func (f *Feed) Notify() {
	if f == nil {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Close ends all streams, and those that begin later when they have caught up. It may be called more than once.
func (f *Feed) Close() { f.once.Do(func() { close(f.closed) }) }

// follow begins to follow the history from its present end, whose id it returns.
func (f *Feed) follow(ctx context.Context) (last int64, leave func(), err error) {
	if last, err = f.lines.history.LastEvent(ctx); err != nil {
		return 0, nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followers == 0 {
		f.floor, f.last, f.latest = last, last, nil
		ctx, cancel := context.WithCancel(context.Background()) // it outlives the stream that began it
		f.end = cancel
		f.turn++
		go f.read(ctx, f.turn)
	}
	f.followers++
	return last, sync.OnceFunc(f.leave), nil
}

func (f *Feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followers--; f.followers == 0 {
		f.end()
		f.latest = nil
	}
}

// since returns the lines after an id. When it is too far back, behind is true: rows have them. more is closed when there are further ones.
func (f *Feed) since(id int64) (lines []line, behind bool, more <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case id < f.floor:
		return nil, true, f.more
	case id >= f.last:
		return nil, false, f.more
	}
	return f.latest[id-f.floor:], false, f.more
}

// read is the goroutine.
func (f *Feed) read(ctx context.Context, turn int) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		full, err := f.next(ctx, turn)
		if err != nil && ctx.Err() == nil {
			f.log.Debug("the history cannot be read; trying again", "error", err)
		}
		if full && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-f.closed:
			return
		case <-f.wake:
		case <-tick.C:
		}
	}
}

// next reads one batch, and reports that there may be more.
func (f *Feed) next(ctx context.Context, turn int) (full bool, err error) {
	f.mu.Lock()
	last := f.last
	f.mu.Unlock()
	read, err := f.lines.after(ctx, last, 0, feedBatch)
	if err != nil || len(read) == 0 {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if turn != f.turn || f.followers == 0 {
		return false, nil
	}
	if read[0].id != last+1 {
		f.floor, f.latest = read[0].id-1, nil // retention was faster: followers find it out from the rows
	}
	if spare := len(f.latest) + len(read) - feedLatest; spare > 0 && len(f.latest) > 0 {
		spare = min(len(f.latest), spare+feedLatest/4)
		f.floor += int64(spare)
		f.latest = append(make([]line, 0, 2*feedLatest), f.latest[spare:]...)
	}
	f.latest = append(f.latest, read...)
	f.last = read[len(read)-1].id
	close(f.more)
	f.more = make(chan struct{})
	return len(read) == feedBatch, nil
}
