package engine

import "time"

// AuditView reads what somebody did, and what the rows hold of the past.
type AuditView interface {
	// Audit lists lines of the history that somebody is named in, and those about definitions, whoever loaded them, with ids below before (0: any), newest
	// first, at most limit. It looks at AuditLooked of them at most, whoever is named, and says with which id as before it would go on: 0 when nothing older
	// is left that could match. Times choose by where they stand in the history: where a clock was set back, lines of that stretch may be missed.
	Audit(f AuditFilter, before int64, limit int) (lines []AuditLine, next int64, err error)
	// Leases lists the leases whose names begin with prefix, by name.
	Leases(prefix string) ([]NamedLease, error)
	// Kept tells how far back the rows go, and how many ended instances ended before the time, counted up to limit.
	Kept(before time.Time, limit int) (Kept, error)
}

// AuditLooked bounds how many lines that somebody is named in one call of Audit looks at.
const AuditLooked = 20_000

// An AuditFilter chooses lines; zero fields choose all.
type AuditFilter struct {
	Actor    string // a part of it
	Kinds    []string
	From, To time.Time // [From, To)
}

// An AuditLine is a line of the history with its id.
type AuditLine struct {
	ID int64
	EventRow
}

// A NamedLease is a lease with its name.
type NamedLease struct {
	Name string
	LeaseRow
}

// Kept is how far back the rows go. What is zero is not there.
type Kept struct {
	Oldest     time.Time // end of the ended instance that ended first
	FirstEvent int64     // of the history, that is still there
	FirstAt    time.Time
	LastEvent  int64
	Due        int // instances that ended before the time that was asked for
}

// ServerLeases begins the names of the leases of servers.
const ServerLeases = "server/"
