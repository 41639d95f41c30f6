// Package powerloss answers one question: what can be on the disk after the power went at this moment?
//
// A Recorder stands between SQLite and the operating system while a test works on the real store. It notes, in their order, every write,
// truncation and sync of SQLite's files, every file that appears, disappears or is renamed in the directory, every sync of a directory, and what
// the test itself wants to know of, such as "this write was acknowledged". A Disk plays such a Recording up to any point and then loses its power:
// what was synced is there; of what was not, a Loss keeps, drops, cuts, mixes or garbles as disks and file systems may. The outcome is an
// Image, a directory on which the store must open. One recording serves thousands of losses.
//
// # How it hooks in
//
// It is a VFS of SQLite that wraps the default one and takes its place in the process, so that the code under test needs no seam and no option.
// Files that nobody records are handed to the wrapped VFS and never seen again. Locks, reads and the shared memory of the WAL index pass
// through; there is no memory-mapped I/O, because the methods that SQLite would need for it are left out.
//
// The other way would have been to record the system calls of a child process. That sees more (every file of the process), but needs a tracer on
// each machine that runs the tests, slows the process down enough to hide what happens between its goroutines, and cannot order a call by
// what the process knew when it made it; here an acknowledgement stands in the same list as the syncs that must come before it.
//
// # What files are called
//
// Names are not SQLite's alone: the store makes a new database under another name, renames it and syncs the directory. The kernel reports that by
// inotify, in order, and the reports are read before each operation of SQLite is noted. A sync of a directory leaves no report of its own: a
// directory that was opened and closed without being listed counts as synced, which is what a program opens one for.
//
// # What is assumed of a disk
//
// A sync that returned keeps what was written before it began. Until then each sector of a write is on the disk or is not, in no order, or holds
// garbage where it was being written; bytes beside a write are never harmed (SQLite's power-safe overwrite). A file's size may have
// grown without its content, which then reads as zeros. A name is kept or lost whole; names are lost one by one, and a file whose name was not
// synced is gone however often its content was.
//
// Small files that SQLite does not write are looked at before each operation is noted, and again when the test notes something. What was found
// there counts as synced when the test says so. Larger ones come back empty.
package powerloss
