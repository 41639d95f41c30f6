package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/web"
)

func (a *app) tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "make, list and revoke the tokens that let people and programs in",
		Long: `Make, list and revoke API tokens. A token belongs to a name, which the history shows as the actor, and has a role: viewer (read), operator (trigger, cancel,
confirm), editor (definitions), admin (tokens). Only its hash is kept. Who made and who revoked it is in the history (almanac audit).

The running server does it, at once; without one it is done in the data directory.`,
		Example: `  almanac token create --name grafana --role viewer --expires 2160h
  almanac token ls
  almanac token revoke 17`,
	}
	exits(c)
	c.AddCommand(a.tokenCreateCommand(), a.tokenListCommand(), a.tokenRevokeCommand())
	return c
}

// A tokenJSON is one token of token list -o json, or the one that token create made, which alone has its secret.
type tokenJSON struct {
	ID        int64  `json:"id,string"`
	Name      string `json:"name"`
	Role      string `json:"role"`
	Token     string `json:"token,omitempty"`
	CreatedAt string `json:"createdAt"`
	ExpiresAt string `json:"expiresAt,omitempty"`
}

func tokenDocument(k *web.APIToken) tokenJSON {
	return tokenJSON{ID: int64(k.ID), Name: k.Name, Role: string(k.Role), Token: k.Secret, CreatedAt: stamp(k.CreatedAt), ExpiresAt: stamp(k.ExpiresAt)}
}

func (a *app) tokenCreateCommand() *cobra.Command {
	var (
		name, note string
		expires    time.Duration
	)
	c := &cobra.Command{
		Use:     "create",
		Short:   "make a token and print it, once",
		Long:    `Make a token and print its secret, which is kept nowhere and cannot be shown again.`,
		Example: `  almanac token create --name deploy --role operator`,
		Args:    exactly(),
	}
	exits(c, exitFailed, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	c.Flags().StringVar(&name, "name", "", "whom the history names as the actor")
	roles := make([]string, len(web.Roles))
	for i, role := range web.Roles {
		roles[i] = string(role)
	}
	role := addChoice(c, "role", "", "what the token may do", roles...)
	addLength(c, &expires, "expires", "how long from now it is valid, such as 2160h (default for ever)")
	addNote(c, &note)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case name == "":
			return usagef("--name is needed: it is whom the history names as the actor")
		case expires < 0:
			return usagef("--expires is a length of time from now on, such as 2160h")
		}
		request := web.TokenRequest{Name: name, Role: web.Role(role.value), Note: note}
		if expires > 0 {
			until := now().Add(expires).Truncate(time.Millisecond)
			request.ExpiresAt = &until
		}
		var k web.APIToken
		err := a.connectOrChange(c.Context(), n, func(client *client) error {
			return client.post(c.Context(), "tokens", nil, request, &k)
		})
		if err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, tokenDocument(&k))
		}
		_, err = fmt.Fprintf(a.stdout, "%s\n", k.Secret)
		return err
	}
	return c
}

func (a *app) tokenListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "list the tokens that were not revoked",
		Long:    `List the tokens that were not revoked, expired ones too. Their secrets are not known.`,
		Example: `  almanac token ls -o json`,
		Args:    exactly(),
	}
	exits(c, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		client, done, err := a.connectOrOpen(c.Context(), n)
		if err != nil {
			return err
		}
		defer done()
		documents, rows := []tokenJSON{}, [][]string{}
		for cursor := "0"; cursor != ""; {
			var page web.TokenPage
			if err := client.get(c.Context(), "tokens", url.Values{"limit": {"500"}, "cursor": {cursor}}, &page); err != nil {
				return err
			}
			for i := range page.Items {
				k := &page.Items[i]
				documents = append(documents, tokenDocument(k))
				until := "never"
				if !k.ExpiresAt.IsZero() {
					until = a.view.clock(k.ExpiresAt)
				}
				rows = append(rows, []string{k.ID.String(), k.Name, string(k.Role), a.view.clock(k.CreatedAt), until})
			}
			cursor = page.Next
		}
		if output.value == "json" {
			return writeJSON(a.stdout, listOf(documents))
		}
		return a.view.table(a.stdout, []string{"id", "name", "role", "created", "expires"}, rows, nil)
	}
	return c
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	var (
		note string
		own  bool
	)
	c := &cobra.Command{
		Use:   "revoke ID",
		Short: "end a token for good",
		Long: `End a token for good: whoever has it is let in no more, from the next request on. Its name stays in the history. The last valid token of an admin is not
revoked: make another one first.`,
		Example: `  almanac token revoke 17 --note "it leaked"`,
		Args:    exactly("ID"),
	}
	exits(c, exitFailed, exitNotFound, exitNotPermitted, exitUnusable)
	n := a.addConnection(c)
	addNote(c, &note)
	c.Flags().BoolVar(&own, "own", false, "also the token that this command itself uses")
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id < 1 {
			return usagef("%q is no token id; `almanac token ls` shows them", args[0])
		}
		return a.connectOrChange(c.Context(), n, func(client *client) error {
			return client.post(c.Context(), path("tokens", args[0], "revoke"), nil, web.RevokeRequest{Note: note, Own: own}, nil)
		})
	}
	return c
}

// connectOrChange finds the server like connect, and without one changes the data directory itself, which nobody else then has.
func (a *app) connectOrChange(ctx context.Context, n *connection, do func(*client) error) error {
	c, noServer := a.connect(ctx, n)
	switch {
	case noServer == nil:
		return do(c)
	case !errors.Is(noServer, errNoServer):
		return noServer
	}
	h, err := a.openDirectory(ctx, *n.data, false)
	if err != nil {
		return err
	}
	return errors.Join(do(h.client), h.close())
}
