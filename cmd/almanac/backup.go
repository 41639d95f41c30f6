package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/almanac-sched/almanac/store"
)

func (a *app) backupCommand() *cobra.Command {
	var logs, key bool
	c := &cobra.Command{
		Use:   "backup TARGET",
		Short: "copy the records to a new directory, while the server runs",
		Long: `Copy the records of one moment to a new directory, whether a server runs or not; it is not held up. TARGET gets its name when everything in it is on the disk and
was read back; it holds the database as one file, and a manifest with the version, the counts and a checksum of each file. What exists is never written over.
When the last one was made is noted in the data directory: almanac health tells it.

The attempts' logs are copied with --with-logs only. Definitions are in the database as they were loaded; the folder itself, the scripts in it and secrets
are not part of a backup. Secrets that clients of Azure Scheduler have put are in the database, sealed; their key, secret.key, is copied with
--with-secret-key only: who reads such a backup can open them.`,
		Example: `  almanac backup /backups/almanac-$(date +%F)
  almanac backup /backups/with-logs --with-logs
  almanac backup /vault/whole --with-secret-key`,
		Args: exactly("TARGET"),
	}
	exits(c, exitFailed, exitUnusable)
	data := a.addData(c)
	c.Flags().BoolVar(&logs, "with-logs", false, "copy the attempts' logs too")
	c.Flags().BoolVar(&key, "with-secret-key", false, "copy the key of the sealed secrets too: who reads the backup can open them")
	output := addOutput(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		dir, err := absolute(*data)
		if err != nil {
			return err
		}
		target, err := absolute(args[0])
		if err != nil {
			return err
		}
		db, err := store.Open(c.Context(), store.Config{Dir: dir, ReadOnly: true})
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }() // nothing was written to it
		m, err := db.Backup(c.Context(), target, store.BackupOptions{Program: build().Version, At: now(), Logs: logs, Key: key})
		if err != nil {
			return err
		}
		if err := db.NoteBackup(&m); err != nil {
			fmt.Fprintf(a.stderr, "almanac: the backup is whole, but almanac health will not tell of it: %v\n", err)
		}
		if output.value == "json" {
			return writeJSON(a.stdout, m)
		}
		_, err = fmt.Fprintf(a.stdout, "%s: %s, verified\n", args[0], contents(&m))
		if err == nil && !logs {
			_, err = fmt.Fprintln(a.stdout, "logs are not in it; --with-logs copies them")
		}
		if words := keyOf(&m); err == nil && words != "" {
			_, err = fmt.Fprintln(a.stdout, words)
		}
		return err
	}
	return c
}

// keyOf says what becomes of the key of the sealed secrets; "" when none was ever sealed.
func keyOf(m *store.Manifest) string {
	switch {
	case m.HoldsSecretKey():
		return store.SecretKeyFile + " is in it: who reads the backup can open its secrets"
	case m.LacksSecretKey():
		return store.SecretKeyFile + " is not in it, and its secrets cannot be opened without: keep a copy elsewhere, or --with-secret-key copies it"
	}
	return ""
}

// contents says in a line what a backup holds.
func contents(m *store.Manifest) string {
	var size int64
	for _, f := range m.Files {
		size += f.Bytes
	}
	text := fmt.Sprintf("%s, %s, %s, %.1f MiB", count(int(m.Counts.Jobs), "job"), count(int(m.Counts.Instances), "instance"), count(int(m.Counts.Events), "event"),
		float64(size)/(1<<20))
	logs := len(m.Files) - 1
	if m.HoldsSecretKey() {
		logs--
	}
	if logs > 0 {
		text += ", " + count(logs, "log")
	}
	return text
}
