package action

import (
	"os"
	"time"
)

// pumpPatience is how long what a child wrote last may take from the pipe to the log, once the child has gone. One of its own children that has escaped
// and holds the pipe open keeps nothing waiting for longer.
const pumpPatience = 2 * time.Second

// A pump carries what a child writes to its log and masks the secrets that the child was given, before anything is stored. A child without secrets writes
// to its log itself.
type pump struct {
	from *os.File // read end of the pipe
	to   *os.File // its write end, until the child has it
	mask *mask
	over chan struct{}
}

// newPump makes the pipe; run starts to carry.
func newPump(log *os.File, secrets []string) (*pump, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &pump{from: from, to: to, mask: &mask{to: log}, over: make(chan struct{})}
	p.mask.hideAll(secrets)
	return p, nil
}

// run is called when the child has the write end, or there is none.
func (p *pump) run() {
	p.to.Close()
	go func() {
		defer close(p.over)
		defer p.from.Close()
		chunk := make([]byte, 32<<10)
		for {
			n, err := p.from.Read(chunk)
			_, _ = p.mask.Write(chunk[:n]) // a full disk does not stop the child
			if err != nil {
				break
			}
		}
		p.mask.flush()
	}()
}

// end waits for the last of what was written.
func (p *pump) end() {
	_ = p.from.SetReadDeadline(time.Now().Add(pumpPatience))
	<-p.over
}
