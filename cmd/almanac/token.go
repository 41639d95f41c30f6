package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web"
)

func (a *app) tokenCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "make, list and revoke the tokens that let people and programs in",
		Long: `Make, list and revoke API tokens, in the data directory itself. A token belongs to a name, which the history shows as the actor, and has a role:
viewer (read), operator (trigger, cancel, confirm), editor (definitions), admin. Only its hash is kept.

Making and revoking write to the data directory, which a running server keeps to itself: stop the server first. What runs goes on meanwhile.`,
		Example: `  almanac token create --name grafana --role viewer --expires 2160h
  almanac token list
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

func tokenDocument(k store.Token, secret string) tokenJSON {
	return tokenJSON{ID: k.ID, Name: k.Name, Role: k.Role, Token: secret, CreatedAt: stamp(k.CreatedAt), ExpiresAt: stamp(k.ExpiresAt)}
}

func (a *app) tokenCreateCommand() *cobra.Command {
	var (
		name    string
		expires time.Duration
	)
	c := &cobra.Command{
		Use:     "create",
		Short:   "make a token and print it, once",
		Long:    `Make a token and print its secret, which is kept nowhere and cannot be shown again.`,
		Example: `  almanac token create --name deploy --role operator`,
		Args:    exactly(),
	}
	exits(c, exitFailed, exitUnusable)
	data := a.addData(c)
	c.Flags().StringVar(&name, "name", "", "whom the history names as the actor")
	roles := make([]string, len(web.Roles))
	for i, role := range web.Roles {
		roles[i] = string(role)
	}
	role := addChoice(c, "role", "", "what the token may do", roles...)
	c.Flags().DurationVar(&expires, "expires", 0, "how long from now it is valid, such as 2160h (default for ever)")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch {
		case name == "":
			return usagef("--name is needed: it is whom the history names as the actor")
		case expires < 0:
			return usagef("--expires is a length of time from now on, such as 2160h")
		}
		secret, hash := web.NewToken()
		k := store.Token{Name: name, Hash: hash, Role: role.value, CreatedAt: now().Truncate(time.Millisecond)}
		if expires > 0 {
			k.ExpiresAt = k.CreatedAt.Add(expires)
		}
		err := a.withTokens(c.Context(), store.Config{Dir: *data}, func(db *store.DB) (err error) {
			k.ID, err = db.PutToken(c.Context(), k)
			return err
		})
		if err != nil {
			return err
		}
		if output.value == "json" {
			return writeJSON(a.stdout, tokenDocument(k, secret))
		}
		_, err = fmt.Fprintf(a.stdout, "%s\n", secret)
		return err
	}
	return c
}

func (a *app) tokenListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "list the tokens that were not revoked",
		Long:    `List the tokens that were not revoked, expired ones too. Their secrets are not known.`,
		Example: `  almanac token list -o json`,
		Args:    exactly(),
	}
	exits(c, exitUnusable)
	data := a.addData(c)
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		var list []store.Token
		err := a.withTokens(c.Context(), store.Config{Dir: *data, ReadOnly: true}, func(db *store.DB) (err error) {
			list, err = db.Tokens(c.Context())
			return err
		})
		if err != nil {
			return err
		}
		documents, rows := []tokenJSON{}, [][]string{}
		for _, k := range list {
			documents = append(documents, tokenDocument(k, ""))
			until := "never"
			if !k.ExpiresAt.IsZero() {
				until = clock(k.ExpiresAt)
			}
			rows = append(rows, []string{strconv.FormatInt(k.ID, 10), k.Name, k.Role, clock(k.CreatedAt), until})
		}
		if output.value == "json" {
			return writeJSON(a.stdout, documents)
		}
		return writeTable(a.stdout, []string{"id", "name", "role", "created", "expires"}, rows, nil)
	}
	return c
}

func (a *app) tokenRevokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "revoke ID",
		Short:   "end a token for good",
		Long:    `End a token for good. Its name stays in the history.`,
		Example: `  almanac token revoke 17`,
		Args:    exactly("ID"),
	}
	exits(c, exitFailed, exitNotFound, exitUnusable)
	data := a.addData(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return usagef("%q is no token id; `almanac token list` shows them", args[0])
		}
		return a.withTokens(c.Context(), store.Config{Dir: *data}, func(db *store.DB) error {
			return db.RevokeToken(c.Context(), id, now())
		})
	}
	return c
}

// withTokens opens the rows for one command.
func (a *app) withTokens(ctx context.Context, cfg store.Config, do func(*store.DB) error) error {
	db, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(do(db), db.Close())
}
