package action

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/almanac-sched/almanac/engine"
)

// protocol is the version of what server and supervisor say to each other. Both sides state theirs in a hello, whose form never
// changes; gob leaves out fields that one side does not know, so that only a change of meaning needs a new number.
const protocol = 2

// The files in the folder run of a data directory.
const (
	runFolder     = "run"
	outputFolder  = "out" // one file per attempt: $ALMANAC_OUTPUT
	socketFile    = "supervisor.sock"
	lockFile      = "supervisor.lock"
	stderrFile    = "supervisor.log"
	journalFile   = "journal"
	quarantine    = "journal.bad"
	helloPatience = 5 * time.Second
)

// hello is the first thing that each side says.
type hello struct {
	Protocol int
	Version  string
	Pid      int
	Refused  string // why the supervisor does not serve this server; "" when it does
}

// message is everything that follows: exactly one of its fields is set.
type message struct {
	Spawn     *spawn   // to the supervisor
	Cancel    int64    // to the supervisor: an attempt
	Renew     *renewal // to the supervisor
	Adopt     *roll    // to the supervisor: attempts that the server believes running
	Acks      []int64  // to the supervisor: outcomes that the journal may forget
	Report    *report  // to the server
	Unknown   *roll    // to the server: those of an Adopt that nothing is known of
	Displaced bool     // to the server: another one has taken over
}

// roll is a list of attempts; the number ties an answer to its question.
type roll struct {
	Number   int64
	Attempts []int64
	Unbegun  []int64 // of an answer: unknown too, but certainly never begun
}

// renewal moves the end of the lease under which attempts run.
type renewal struct {
	Attempts []int64
	Until    instant
}

// spawn asks for one child.
type spawn struct {
	Attempt  int64
	Fence    int64
	Argv     []string // program first, as an absolute path
	Env      []string
	Dir      string
	Timeout  time.Duration // 0 is none
	Grace    time.Duration
	LogLimit int64
	Lease    lease
	Secrets  []string // masked in the log and in the outputs
}

// report is how an attempt ended: a line of the journal, and a message. Exited tells an exit code of 0 from none; a pointer would not
// survive gob, which leaves zeros out.
type report struct {
	Attempt   int64             `json:"attempt"`
	Fence     int64             `json:"fence"`
	Outcome   engine.Outcome    `json:"outcome"`
	Exited    bool              `json:"exited,omitempty"`
	Exit      int               `json:"exit,omitempty"`
	Signal    string            `json:"signal,omitempty"`
	Message   string            `json:"message,omitempty"`
	Outputs   map[string]string `json:"outputs,omitempty"`
	StartedAt time.Time         `json:"startedAt"`
	EndedAt   time.Time         `json:"endedAt"`
	LogBytes  int64             `json:"logBytes,omitempty"`
	Truncated bool              `json:"truncated,omitempty"`
}

func (r *report) result() engine.Result {
	res := engine.Result{
		Attempt: r.Attempt, Outcome: r.Outcome, Signal: r.Signal, Message: r.Message, Outputs: r.Outputs,
		StartedAt: r.StartedAt, EndedAt: r.EndedAt, LogBytes: r.LogBytes, Truncated: r.Truncated,
	}
	if r.Exited {
		exit := r.Exit
		res.Exit = &exit
	}
	return res
}

// wire is a connection that speaks gob: one goroutine reads; whoever has locked it writes.
type wire struct {
	net.Conn
	dec *gob.Decoder
	in  *bufio.Reader // of dec

	sync.Mutex
	raw  syscall.RawConn // nil: every write may wait
	enc  *gob.Encoder
	left bytes.Buffer // encoded and not yet with the kernel
}

func newWire(c net.Conn) *wire {
	in := bufio.NewReaderSize(c, 16<<10)
	w := &wire{Conn: c, dec: gob.NewDecoder(in), in: in}
	w.enc = gob.NewEncoder(&w.left)
	if s, ok := c.(syscall.Conn); ok {
		w.raw, _ = s.SyscallConn()
	}
	return w
}

// send hands what is left over and the messages to the kernel, however long that takes. The caller holds the lock.
func (w *wire) send(ms []message) error {
	for i := range ms {
		if err := w.enc.Encode(&ms[i]); err != nil {
			return fmt.Errorf("send a message: %w", err)
		}
	}
	_, err := w.left.WriteTo(w.Conn)
	return err
}

// trySend hands a message to the kernel if nobody else is writing and the peer keeps up, without waiting; taken says whether it did. Of a message
// that was taken in part the rest is left to the next send, and so is the discovery that the connection is broken.
func (w *wire) trySend(m message) (taken, rest bool) {
	if !w.TryLock() {
		return false, false
	}
	defer w.Unlock()
	if w.raw == nil || w.left.Len() > 0 || w.enc.Encode(&m) != nil {
		return false, false
	}
	_ = w.raw.Write(func(fd uintptr) bool {
		if n, err := syscall.Write(int(fd), w.left.Bytes()); err == nil {
			w.left.Next(n)
		}
		return true
	})
	return true, w.left.Len() > 0
}

// buffered is how many bytes have come in that dec has not read; only the goroutine that reads may ask.
func (w *wire) buffered() int { return w.in.Buffered() }

// greet sends a hello.
func (w *wire) greet(h hello) error {
	w.Lock()
	defer w.Unlock()
	if err := w.enc.Encode(&h); err != nil {
		return fmt.Errorf("send a hello: %w", err)
	}
	return w.send(nil)
}
