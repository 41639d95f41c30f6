package main

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"syscall"
	"time"
)

// people are those who use the server while it is tortured: they trigger jobs, cancel what they triggered, edit a definition and load it again, and now and
// then copy the records.
type people struct {
	backup func(name string)
	draw   *source
	folder *folder
	acks   acks
	now    func() *server // nil while none runs
	mine   []int64        // instances that were triggered
	keys   int
	copies int
}

// bother goes on until ctx ends.
func (p *people) bother(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, p.draw.between(300*time.Millisecond, 2500*time.Millisecond))
		choice, pick := p.draw.below(10), p.draw.below(1000)
		s := p.now()
		if s == nil {
			continue
		}
		switch {
		case choice < 6 || len(p.mine) == 0:
			p.trigger(s)
		case choice < 8:
			p.cancel(s, p.mine[pick%len(p.mine)])
		case choice < 9 && pick < 500:
			p.copies++
			p.backup(fmt.Sprintf("backup-%d", p.copies))
		default:
			if p.folder.edit() == nil {
				_ = s.cmd.Process.Signal(syscall.SIGHUP)
			}
		}
	}
}

// trigger asks twice under one key, which must be one instance.
func (p *people) trigger(s *server) {
	p.keys++
	key := fmt.Sprintf("person-%d", p.keys)
	for range 2 {
		if id, ok := instanceOf(s, fmt.Sprintf("/jobs/%s/%s/trigger", workflowName, manualJob), map[string]string{"Idempotency-Key": key}); ok {
			p.acks.note(ack{Command: "trigger", Instance: id, Job: workflowName + "/" + manualJob, Key: key})
			p.mine = append(p.mine, id)
		}
	}
}

func (p *people) cancel(s *server, id int64) {
	if _, ok := instanceOf(s, fmt.Sprintf("/instances/%d/cancel", id), nil); ok {
		p.acks.note(ack{Command: "cancel", Instance: id})
	}
}

// instanceOf sends a command whose answer is an instance; false when it was not acknowledged.
func instanceOf(s *server, path string, header map[string]string) (id int64, ok bool) {
	var answer struct {
		ID string `json:"id"`
	}
	if _, err := s.call("POST", path, header, map[string]string{}, &answer); err != nil {
		return 0, false
	}
	id, err := strconv.ParseInt(answer.ID, 10, 64)
	return id, err == nil
}

// An openInstance is what the API says of an instance that has not ended.
type openInstance struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason struct {
		Text string `json:"text"`
	} `json:"reason"`
}

// open lists the instances that have not ended, at most 500 of them.
func (s *server) open() ([]openInstance, error) {
	var page struct {
		Items []openInstance `json:"items"`
	}
	query := url.Values{"state": {"waiting", "running", "lost"}, "limit": {"500"}}
	_, err := s.call("GET", "/instances?"+query.Encode(), nil, nil, &page)
	return page.Items, err
}
