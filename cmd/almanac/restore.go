package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
)

func (a *app) restoreCommand() *cobra.Command {
	var key string
	c := &cobra.Command{
		Use:   "restore BACKUP",
		Short: "make a new data directory of a backup",
		Long: `Verify a backup and make a data directory of it. The directory must be new or empty. The server that is started on it goes on from the moment of the backup:
what had ended by then does not run again; what ran at that moment is lost, as after a power failure, and the job's onLost decides; what was due since then is
missed, and the job's misfire decides. What ran after the backup is not known to it, and may run a second time.

End the server of the old directory first: two servers would both do the same work. The history of the new one says that it was restored.

Secrets that clients of Azure Scheduler had put can be opened with the key alone that they were sealed with: it is in a backup made --with-secret-key;
otherwise --secret-key names the copy that was kept elsewhere, and is refused when it is another key. Without it everything else is restored.`,
		Example: `  almanac restore /backups/almanac-2026-10-01 --data /var/lib/almanac
  almanac restore /backups/almanac-2026-10-01 --data /var/lib/almanac --secret-key /vault/secret.key`,
		Args: exactly("BACKUP"),
	}
	exits(c, exitFailed, exitUnusable)
	data := a.addData(c)
	c.Flags().StringVar(&key, "secret-key", "", "file of the key of the sealed secrets, for a backup that does not hold it")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		dir, err := absolute(*data)
		if err != nil {
			return err
		}
		backup, err := absolute(args[0])
		if err != nil {
			return err
		}
		if key != "" {
			if key, err = absolute(key); err != nil {
				return err
			}
		}
		m, err := store.Restore(c.Context(), backup, dir, key)
		if err != nil {
			return err
		}
		running, err := noteRestore(c.Context(), dir, &m)
		if err != nil {
			return fmt.Errorf("%s was restored, and its history could not be told: %w", dir, err)
		}
		if m.LacksSecretKey() && key == "" {
			a.warn("%s is missing: secrets that clients of Azure Scheduler had put cannot be opened. Copy the one that was kept, with the SHA-256 %s, "+
				"to %s before a server starts; without it, put those secrets anew", store.SecretKeyFile, m.SecretKey, filepath.Join(*data, store.SecretKeyFile))
		}
		if output.value == "json" {
			return writeJSON(a.stdout, m)
		}
		_, err = fmt.Fprintf(a.stdout, "%s: %s, as of %s\n%s ran at that moment: lost when the server starts, and onLost decides\n", *data, contents(&m),
			m.TakenAt.Format(time.RFC3339), count(running, "attempt"))
		return err
	}
	return c
}

// noteRestore says in the history of a restored directory where it came from, and counts the attempts that ran then.
func noteRestore(ctx context.Context, dir string, m *store.Manifest) (running int, err error) {
	db, err := store.Open(ctx, store.Config{Dir: dir, Clock: now})
	if err != nil {
		return 0, err
	}
	err = db.Write(ctx, func(tx engine.Tx) error {
		live, err := tx.Live()
		if err != nil {
			return err
		}
		running = len(live)
		return tx.Record(engine.EventRow{At: now(), Kind: "restore", Actor: localName(), Reason: engine.Reason{
			Code: engine.ReasonPerson, Actor: localName(), Detail: fmt.Sprintf("from a backup of %s that ends with event %d", m.TakenAt.Format(time.RFC3339), m.Event),
		}})
	})
	return running, errors.Join(err, db.Close())
}
