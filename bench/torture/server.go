package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A server is a process of `almanac serve --dev`.
type server struct {
	cmd   *exec.Cmd
	began time.Time
	data  string
	ended chan struct{} // closed when the process has ended

	mu  sync.Mutex
	url string // "" until it is known
}

// client gives up early: a server that was killed under a request does not answer any more.
var client = &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// startServer starts a server; it is not ready when this returns.
func startServer(binary, folder, data, log string, env []string, args ...string) (*server, error) {
	f, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &server{data: data, ended: make(chan struct{})}
	s.cmd = exec.Command(binary, append([]string{"serve", folder, "--dev", "--data", data, "--listen", "127.0.0.1:0", "--quiet"}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr = f, f
	s.cmd.Env = append(os.Environ(), env...)
	s.began = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	return s, nil
}

// address is where the server listens, "" when that is not known yet.
func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url != "" {
		return s.url
	}
	text, err := os.ReadFile(filepath.Join(s.data, "server.json"))
	if err != nil {
		return ""
	}
	var file struct {
		Address string `json:"address"`
		PID     int    `json:"pid"`
	}
	if json.Unmarshal(text, &file) == nil && file.PID == s.cmd.Process.Pid {
		s.url = file.Address
	}
	return s.url
}

// awaitReady waits until the server says that it is ready, and returns how long after its start that was.
func (s *server) awaitReady(ctx context.Context, patience time.Duration) (time.Duration, error) {
	for time.Since(s.began) < patience {
		if url := s.address(); url != "" {
			if response, err := client.Get(url + "/readyz"); err == nil {
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
				if response.StatusCode == http.StatusOK {
					return time.Since(s.began), nil
				}
			}
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-s.ended:
			return 0, errors.New("the server has ended")
		case <-time.After(2 * time.Millisecond):
		}
	}
	return 0, fmt.Errorf("the server is not ready after %s", patience)
}

// call asks the API and decodes its answer; the status is 0 when there was none.
func (s *server) call(method, path string, header map[string]string, body, into any) (status int, err error) {
	url := s.address()
	if url == "" {
		return 0, errors.New("no address yet")
	}
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	request, err := http.NewRequest(method, url+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	if response.StatusCode/100 != 2 {
		return response.StatusCode, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	return response.StatusCode, json.Unmarshal(answer, into)
}

// kill ends the process at once and waits for its end.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// interrupt ends the server as a person does; an error says that it did not end well.
func (s *server) interrupt(patience time.Duration) error {
	_ = s.cmd.Process.Signal(os.Interrupt)
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.kill()
		return fmt.Errorf("the server has not ended %s after SIGINT", patience)
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the server ended with status %d after SIGINT", code)
	}
	return nil
}

// processes calls look for every process of the machine until it returns false.
func processes(look func(pid int) bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && !look(pid) {
			return
		}
	}
}

// supervisorOf returns the pid of the supervisor of a data directory, 0 when none runs. A child that it has just forked looks like it until it is another
// program: that one leads no session.
func supervisorOf(data string) (found int) {
	processes(func(pid int) bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		words := strings.Split(string(line), "\x00")
		if err != nil || len(words) <= 3 || words[1] != "supervise" || words[3] != data {
			return true
		}
		if session, err := unix.Getsid(pid); err == nil && session == pid {
			found = pid
		}
		return found == 0
	})
	return found
}

// leftBehind lists processes that carry the mark of attempts of a data directory.
func leftBehind(data string) (found []int) {
	mark := []byte("ALMANAC_OUTPUT=" + data + "/")
	processes(func(pid int) bool {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(env, mark) {
			found = append(found, pid)
		}
		return true
	})
	return found
}

// killProcess kills a process that is not our child and waits until it is gone.
func killProcess(ctx context.Context, pid int) {
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for range 1000 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(text, []byte(") Z ")) {
			return
		}
		pause(ctx, time.Millisecond)
	}
}
