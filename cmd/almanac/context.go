package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
)

// A serverContext is a server under a name of the user's own.
type serverContext struct {
	Server    string `json:"server"`
	TokenFile string `json:"tokenFile,omitempty"` // read anew by each command
}

// A namedContext is a context in a list.
type namedContext struct {
	Name string `json:"name"`
	serverContext
}

// contexts is the user's file of them.
type contexts struct {
	path string

	Current  string                   `json:"current,omitempty"` // "" is none
	Contexts map[string]serverContext `json:"contexts"`
}

const contextsFile = "contexts.json"

var contextNames = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// configDir is where the user's configuration is.
func (a *app) configDir() (string, error) {
	if dir := a.env["XDG_CONFIG_HOME"]; dir != "" {
		return filepath.Join(dir, "almanac"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of the user's configuration: %w", err)
	}
	return filepath.Join(dir, "almanac"), nil
}

// contexts reads the file; without one there are none.
func (a *app) contexts() (*contexts, error) {
	dir, err := a.configDir()
	if err != nil {
		return nil, err
	}
	c := &contexts{path: filepath.Join(dir, contextsFile)}
	data, err := os.ReadFile(c.path)
	if err == nil {
		err = json.Unmarshal(data, c)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the contexts in %s: %w", c.path, err)
	}
	if c.Contexts == nil {
		c.Contexts = map[string]serverContext{}
	}
	return c, nil
}

// write replaces the file in one step. Nobody else may read it: it says where tokens are.
func (c *contexts) write() (err error) {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), contextsFile+".*") // its mode is 0600
	if err != nil {
		return fmt.Errorf("write the contexts: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("write the contexts: %w", err)
		}
	}()
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), c.path)
}

func (c *contexts) names() []string { return slices.Sorted(maps.Keys(c.Contexts)) }

// get returns the context of that name.
func (c *contexts) get(name string) (serverContext, error) {
	found, ok := c.Contexts[name]
	if !ok {
		known := "there are none; `almanac context add` makes one"
		if len(c.Contexts) > 0 {
			known = "there are " + strings.Join(c.names(), ", ")
		}
		return found, fmt.Errorf("context %q: %w: %s", name, engine.ErrNotFound, known)
	}
	return found, nil
}

// token reads the token file; "" without one.
func (c serverContext) token() (string, error) {
	if c.TokenFile == "" {
		return "", nil
	}
	data, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("read the token of the context: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

func (a *app) contextCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "context",
		Short: "give servers names, and choose one",
		Long: `Keep the servers that you speak to under names, in contexts.json in the folder of your configuration, readable by you only. Commands that speak to a server
take a name with --context or ALMANAC_CONTEXT, and without either the one in use.`,
		Example: `  almanac context add prod --server https://almanac.example.com --token-file ~/.almanac-token
  almanac context use prod`,
	}
	exits(c)
	c.AddCommand(a.contextAddCommand(), a.contextListCommand(), a.contextUseCommand(), a.contextRemoveCommand())
	return c
}

func (a *app) contextAddCommand() *cobra.Command {
	var server, tokenFile string
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "give a server a name",
		Long:  `Give a server a name; one that has it already is replaced. The first name is in use at once. The token itself is not kept, only where it is.`,
		Example: `  almanac context add prod --server https://almanac.example.com --token-file ~/.almanac-token
  almanac context add here --server http://127.0.0.1:8080`,
		Args: exactly("NAME"),
	}
	exits(c, exitFailed)
	c.Flags().StringVar(&server, "server", "", "address of the server, such as https://almanac.example.com")
	c.Flags().StringVar(&tokenFile, "token-file", "", "file that holds the token")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if !contextNames.MatchString(args[0]) {
			return usagef("%q is no name of a context: write at most 64 letters, digits and ._- that begin with a letter or a digit", args[0])
		}
		if err := checkServer(server); err != nil {
			return err
		}
		if tokenFile != "" {
			path, err := filepath.Abs(tokenFile)
			if err != nil {
				return err
			}
			tokenFile = path
		}
		added := serverContext{Server: strings.TrimSuffix(server, "/"), TokenFile: tokenFile}
		if _, err := added.token(); err != nil {
			return err
		}
		all, err := a.contexts()
		if err != nil {
			return err
		}
		all.Contexts[args[0]] = added
		if len(all.Contexts) == 1 {
			all.Current = args[0]
		}
		return all.write()
	}
	return c
}

// checkServer refuses what is no address of a server.
func checkServer(server string) error {
	u, err := url.Parse(server)
	switch {
	case server == "":
		return usagef("--server is needed: an address such as https://almanac.example.com")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return usagef("--server %q: write http://host:port or https://host", server)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return usagef("--server %q: write the scheme, the host and the port alone", server)
	}
	return nil
}

func (a *app) contextListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "list the contexts",
		Long:    `List the contexts by name; a star is before the one in use.`,
		Example: `  almanac context ls`,
		Args:    exactly(),
	}
	exits(c, exitFailed)
	output := addOutput(c)
	c.RunE = func(*cobra.Command, []string) error {
		all, err := a.contexts()
		if err != nil {
			return err
		}
		if output.value == "json" {
			named := struct {
				Current string         `json:"current,omitempty"`
				Items   []namedContext `json:"items"`
			}{all.Current, []namedContext{}}
			for _, name := range all.names() {
				named.Items = append(named.Items, namedContext{name, all.Contexts[name]})
			}
			return writeJSON(a.stdout, named)
		}
		if len(all.Contexts) == 0 {
			_, err := fmt.Fprintln(a.stdout, "no contexts; `almanac context add` makes one")
			return err
		}
		var rows [][]string
		for _, name := range all.names() {
			mark := ""
			if name == all.Current {
				mark = "*"
			}
			rows = append(rows, []string{mark, name, all.Contexts[name].Server, cmp.Or(all.Contexts[name].TokenFile, "-")})
		}
		return a.view.table(a.stdout, []string{"", "name", "server", "token file"}, rows, nil)
	}
	return c
}

func (a *app) contextUseCommand() *cobra.Command {
	c := &cobra.Command{
		Use:               "use NAME",
		Short:             "choose the context that commands use",
		Long:              `Choose the context that commands use when nothing on the command line or in the environment names another server.`,
		Example:           `  almanac context use prod`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeContexts,
	}
	exits(c, exitFailed, exitNotFound)
	c.RunE = func(_ *cobra.Command, args []string) error {
		return a.changeContexts(args[0], func(all *contexts) { all.Current = args[0] })
	}
	return c
}

func (a *app) contextRemoveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:               "rm NAME",
		Short:             "forget a context",
		Long:              `Forget a context. When it is the one in use, none is in use after that. The file with the token stays.`,
		Example:           `  almanac context rm prod`,
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeContexts,
	}
	exits(c, exitFailed, exitNotFound)
	c.RunE = func(_ *cobra.Command, args []string) error {
		return a.changeContexts(args[0], func(all *contexts) {
			delete(all.Contexts, args[0])
			if all.Current == args[0] {
				all.Current = ""
			}
		})
	}
	return c
}

// changeContexts changes the file, if the context of that name is in it.
func (a *app) changeContexts(name string, change func(*contexts)) error {
	all, err := a.contexts()
	if err != nil {
		return err
	}
	if _, err := all.get(name); err != nil {
		return err
	}
	change(all)
	return all.write()
}

// completeContexts completes the names of contexts.
func (a *app) completeContexts(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := a.contexts()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return all.names(), cobra.ShellCompDirectiveNoFileComp
}
