package action

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// refusal is a supervisor's reason for not serving this server.
type refusal struct{ reason string }

func (r refusal) Error() string { return r.reason }

// connect reaches the supervisor, and starts one when none answers.
func (l *link) connect() (*wire, error) {
	var errs []error
	for range 3 {
		w, err := l.call()
		if err == nil || errors.As(err, new(refusal)) {
			return w, err
		}
		errs = append(errs, err)
		if err := l.startSupervisor(); err != nil {
			errs = append(errs, err)
		}
	}
	return nil, fmt.Errorf("reach the supervisor (its own words are in %s): %w", filepath.Join(l.run, stderrFile), errors.Join(errs...))
}

// call connects to a running supervisor.
func (l *link) call() (*wire, error) {
	conn, err := dial(l.run)
	if err != nil {
		return nil, err
	}
	w := newWire(conn)
	_ = conn.SetDeadline(time.Now().Add(helloPatience))
	var theirs hello
	if err = w.greet(hello{Protocol: protocol, Version: l.config.Version, Pid: os.Getpid()}); err == nil {
		err = w.dec.Decode(&theirs)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("greet the supervisor: %w", err)
	case theirs.Refused != "":
		err = refusal{theirs.Refused}
	default:
		_ = conn.SetDeadline(time.Time{})
		return w, nil
	}
	conn.Close()
	return nil, err
}

// startSupervisor starts the process in a session of its own and waits until it listens, or has ended because another one does.
func (l *link) startSupervisor() error {
	words, err := os.OpenFile(filepath.Join(l.run, stderrFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the supervisor's own log: %w", err)
	}
	defer words.Close()
	if info, err := words.Stat(); err == nil && info.Size() > 1<<20 {
		_ = words.Truncate(0)
	}
	ready, theirs, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe to the supervisor: %w", err)
	}
	defer ready.Close()
	cmd := exec.Command(l.config.Supervisor[0], l.config.Supervisor[1:]...)
	cmd.Stderr = words
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// A server that runs inside an attempt of another must not pass the other's mark on.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, outputVariable) }), readyVariable+"=3")
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	_ = ready.SetReadDeadline(time.Now().Add(2 * helloPatience))
	if _, err := ready.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New("the supervisor was started and does not answer")
	}
	return nil
}

// dial connects to the supervisor of a run folder.
func dial(run string) (net.Conn, error) {
	path, forget, err := reachable(run)
	if err != nil {
		return nil, err
	}
	defer forget()
	return net.DialTimeout("unix", path, helloPatience)
}

// reachable returns a path of the socket in a run folder that is short enough for a socket address (104 bytes on some systems). A long
// one is reached through a symbolic link in the temporary folder, which forget removes: it is needed only to bind or to connect.
func reachable(run string) (path string, forget func(), err error) {
	path = filepath.Join(run, socketFile)
	if len(path) < 100 {
		return path, func() {}, nil
	}
	short, err := os.MkdirTemp("", "almanac")
	if err != nil {
		return "", nil, fmt.Errorf("find a short path for the socket: %w", err)
	}
	forget = func() { _ = os.RemoveAll(short) } // removes the link, not what it leads to
	if err := os.Symlink(run, filepath.Join(short, "r")); err != nil {
		forget()
		return "", nil, fmt.Errorf("find a short path for the socket: %w", err)
	}
	return filepath.Join(short, "r", socketFile), forget, nil
}
