package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const serverFileName = "server.json"

// A serverFile is how commands of the same user on the same machine find the running server of a data directory. Its token is made anew at each
// start and is otherwise kept in memory alone; the file is readable by its owner only, and gone when the server has ended.
type serverFile struct {
	Address     string    `json:"address"` // http://host:port
	PID         int       `json:"pid"`
	Token       string    `json:"token"`
	StartedAt   time.Time `json:"startedAt"`
	Certificate []byte    `json:"certificate,omitempty"` // DER, of a server with TLS
}

// transport is the way to the server of the file.
func (f serverFile) transport() http.RoundTripper {
	if f.Certificate == nil {
		return http.DefaultTransport
	}
	return trusting(f.Certificate)
}

// client speaks to the server of the file; without a token it shows that of the file.
func (f serverFile) client(token string) *client {
	c := newClient(f.Address, cmp.Or(token, f.Token))
	c.api.HTTP.Transport = f.transport()
	return c
}

// write puts the file in place in one step.
func (f serverFile) write(dir string) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(dir, serverFileName+".*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", serverFileName, err)
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(append(data, '\n'))
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), filepath.Join(dir, serverFileName))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", serverFileName, err)
	}
	return nil
}

// remove takes the file away, unless it is another process's by now.
func (f serverFile) remove(dir string) {
	if current, ok := readServerFile(dir); ok && current.PID == f.PID && current.Token == f.Token {
		os.Remove(filepath.Join(dir, serverFileName))
	}
}

// readServerFile reads the file of a data directory; false when there is none, or none that can be read.
func readServerFile(dir string) (serverFile, bool) {
	data, err := os.ReadFile(filepath.Join(dir, serverFileName))
	if err != nil {
		return serverFile{}, false
	}
	var f serverFile
	return f, json.Unmarshal(data, &f) == nil && f.Address != ""
}

// alive reports whether the process of the file exists: a killed server leaves its file behind.
func (f serverFile) alive() bool {
	err := syscall.Kill(f.PID, 0)
	return f.PID > 0 && (err == nil || errors.Is(err, fs.ErrPermission))
}
