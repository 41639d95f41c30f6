package main

import (
	"hash/fnv"
	"time"
)

// A source draws numbers that a seed decides (SplitMix64). One for each purpose, so that what one of them draws moves no other.
type source struct{ state uint64 }

func newSource(seed int64, purpose string) *source {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose)) // never fails
	return &source{state: uint64(seed)*0x9e3779b97f4a7c15 ^ h.Sum64()}
}

func (s *source) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below draws from [0, n).
func (s *source) below(n int) int { return int(s.next() % uint64(n)) }

// between draws from [from, to).
func (s *source) between(from, to time.Duration) time.Duration {
	return from + time.Duration(s.next()%uint64(to-from))
}
