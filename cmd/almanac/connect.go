package main

import (
	"cmp"
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
	server, context, token string
	data                   *string
	given                  func(flag string) bool // on the command line
	recorded               bool                   // no server runs: what is recorded answers
}

// addConnection adds --server, --context, --token and --data.
func (a *app) addConnection(c *cobra.Command) *connection {
	n := &connection{given: func(flag string) bool { return c.Flags().Changed(flag) }}
	c.Flags().StringVar(&n.server, "server", a.env["ALMANAC_SERVER"], "address of the server, such as http://10.0.0.5:8080 (env ALMANAC_SERVER; default: the context in use, or the running server of the data directory)")
	c.Flags().StringVar(&n.context, "context", a.env["ALMANAC_CONTEXT"], "a server by its name, see almanac context (env ALMANAC_CONTEXT)")
	c.Flags().StringVar(&n.token, "token", "", "token for the server (env ALMANAC_TOKEN)")
	_ = c.RegisterFlagCompletionFunc("context", a.completeContexts) // fails only for an unknown flag
	n.data = a.addData(c)
	a.addZone(c)
	return n
}

// serverOf is the server that was named, with the token for it; "" is that of the data directory. The command line goes before the environment, and both
// before the context in use.
func (a *app) serverOf(n *connection) (server, token string, err error) {
	name := ""
	switch {
	case n.given("server") && n.given("context"):
		return "", "", usagef("--server and --context both name a server; leave one out")
	case n.given("server"):
	case n.given("context"):
		name = n.context
	case n.given("data"):
		n.server = ""
	case n.server != "":
	case n.context != "":
		name = n.context
	case a.env["ALMANAC_DATA"] != "":
	default:
		all, err := a.contexts()
		if err != nil {
			return "", "", err
		}
		name = all.Current
	}
	if name == "" {
		if n.server != "" {
			err = checkServer(n.server)
		}
		return n.server, cmp.Or(n.token, a.env["ALMANAC_TOKEN"]), err
	}
	all, err := a.contexts()
	if err != nil {
		return "", "", err
	}
	chosen, err := all.get(name)
	if err != nil {
		return "", "", err
	}
	// A token file goes before ALMANAC_TOKEN, which may be another server's.
	if token = n.token; token == "" {
		if token, err = chosen.token(); err != nil {
			return "", "", err
		}
	}
	return chosen.Server, cmp.Or(token, a.env["ALMANAC_TOKEN"]), nil
}

// errNoServer says that no server was named and none runs on the data directory.
var errNoServer = errors.New("no server runs on the data directory")

// connect finds the server: the one that was named, or the running one of the data directory.
func (a *app) connect(ctx context.Context, n *connection) (*client, error) {
	server, token, err := a.serverOf(n)
	if err != nil {
		return nil, err
	}
	if server != "" {
		return newClient(server, token), nil
	}
	if f, ok := readServerFile(*n.data); ok && f.alive() && f.answers(ctx) {
		c := f.client(token)
		c.api.HTTP.Transport = &directoryTransport{dir: *n.data, token: token}
		return c, nil
	}
	return nil, fmt.Errorf("%w %s; start one with `almanac serve`, or name one with --server, --context or ALMANAC_SERVER", errNoServer, *n.data)
}

// connectOrOpen finds the server like connect, and without one answers from the data directory, read-only. The caller calls done.
func (a *app) connectOrOpen(ctx context.Context, n *connection) (c *client, done func(), err error) {
	c, noServer := a.connect(ctx, n)
	switch {
	case noServer == nil:
		return c, func() {}, nil
	case !errors.Is(noServer, errNoServer):
		return nil, nil, noServer
	}
	c, done, err = a.openReadOnly(ctx, *n.data)
	if errors.Is(err, store.ErrMissing) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w; nothing is recorded there either: %w", noServer, err)
	}
	n.recorded = err == nil
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
	response, err := (&http.Client{Transport: f.transport()}).Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}
