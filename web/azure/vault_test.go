package azure_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/store"
	"github.com/almanac-sched/almanac/web/azure"
)

// A key that is lost, or is another than that of the secrets in the rows, is not replaced behind the operator's back.
func TestALostKeyIsReplacedOnlyWhenTheOperatorSaysSo(t *testing.T) {
	db, err := store.Open(context.Background(), store.Config{Dir: t.TempDir(), Clock: func() time.Time { return time.UnixMilli(0) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	put := func(key []byte, renew bool) error {
		vault := azure.NewVault(func(create bool) ([]byte, error) {
			if key == nil {
				if !create {
					return nil, os.ErrNotExist
				}
				key = make([]byte, azure.KeyBytes)
			}
			return key, nil
		})
		vault.Renew = renew
		return db.Write(context.Background(), func(tx engine.Tx) error { return vault.Own(tx) })
	}
	first := make([]byte, azure.KeyBytes)
	first[0] = 1
	err = put(first, false)
	require.NoError(t, err)
	err = put(first, false)
	require.NoError(t, err)
	err = put(nil, false)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "--new-secret-key")
	err = put(make([]byte, azure.KeyBytes), false)
	require.ErrorContains(t, err, "not the one")
	err = put(nil, true)
	require.NoError(t, err)
	err = put(make([]byte, azure.KeyBytes), false)
	require.NoError(t, err, "that of zeros is the key now")
	err = put(first, false)
	require.Error(t, err)
}
