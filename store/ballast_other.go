//go:build !linux

package store

import "os"

func fill(f *os.File, size int64) error { return fillWithZeros(f, size) }
