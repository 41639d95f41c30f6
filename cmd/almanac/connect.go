package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/store"
)

// A connection is what the user said about where the server is.
type connection struct {
	server, token string
	data          *string
}

// addConnection adds --server, --token and --data.
func (a *app) addConnection(c *cobra.Command) *connection {
	n := &connection{}
	c.Flags().StringVar(&n.server, "server", a.env["ALMANAC_SERVER"], "address of the server, such as http://10.0.0.5:8080 (env ALMANAC_SERVER;\ndefault: the running server of the data directory)")
	c.Flags().StringVar(&n.token, "token", "", "token for the server (env ALMANAC_TOKEN)")
	n.data = a.addData(c)
	return n
}

// connect finds the server: the one that was named, or the running one of the data directory.
func (a *app) connect(ctx context.Context, n *connection) (*client, error) {
	token := n.token
	if token == "" {
		token = a.env["ALMANAC_TOKEN"]
	}
	if n.server != "" {
		return newClient(n.server, token), nil
	}
	if f, ok := readServerFile(*n.data); ok && f.alive() && f.answers(ctx) {
		if token == "" {
			token = f.Token
		}
		return newClient(f.Address, token), nil
	}
	return nil, fmt.Errorf("no server runs on the data directory %s; start one with `almanac serve`, or name one with --server or ALMANAC_SERVER", *n.data)
}

// connectOrOpen finds the server like connect, and without one answers from the data directory, read-only. The caller calls done.
func (a *app) connectOrOpen(ctx context.Context, n *connection) (c *client, done func(), err error) {
	c, noServer := a.connect(ctx, n)
	if noServer == nil {
		return c, func() {}, nil
	}
	c, done, err = a.openReadOnly(ctx, *n.data)
	if errors.Is(err, store.ErrMissing) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w; nothing is recorded there either: %w", noServer, err)
	}
	return c, done, err
}

// answers reports whether somebody listens at the file's address and speaks our protocol: the process id may be another program's by now.
func (f serverFile) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Address+"/livez", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}
