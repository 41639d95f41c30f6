package powerloss

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// A Disk is what is durable and what is only in memory after some operations of a recording.
type Disk struct {
	files map[int]*file
	names map[string]*names // by directory
	at    int               // operations played
}

// A file is its durable content and what was done to it since.
type file struct {
	durable []byte
	pending []change
}

// A change of a file is a write or, without data, a truncation.
type change struct {
	op   int
	data []byte
	at   int64 // of a truncation: the size
	cut  bool
}

// names are the entries of one directory.
type names struct {
	durable map[string]entry
	pending []renaming
}

type entry struct {
	file int // 0 is a directory
}

// A renaming is a change of a directory: from is gone, to is the entry; either may be "".
type renaming struct {
	op       int
	from, to string
	entry    entry
}

// NewDisk is the disk before the first operation of the recording.
func NewDisk(r *Recording) *Disk {
	d := &Disk{files: map[int]*file{}, names: map[string]*names{".": newNames()}}
	for _, dir := range r.Before.Dirs {
		d.names[dir] = newNames()
		d.names[path.Dir(dir)].durable[path.Base(dir)] = entry{}
	}
	for n, name := range r.Before.Names() {
		d.files[n+1] = &file{durable: r.Before.Files[name]}
		d.names[path.Dir(name)].durable[path.Base(name)] = entry{file: n + 1}
	}
	return d
}

func newNames() *names { return &names{durable: map[string]entry{}} }

// At is how many operations were played.
func (d *Disk) At() int { return d.at }

// Play carries out the next operation.
func (d *Disk) Play(o Op) {
	n := d.at
	d.at++
	switch o.Kind {
	case Write:
		f := d.file(o.File)
		f.pending = append(f.pending, change{op: n, data: o.Data, at: o.Offset})
	case Truncate:
		f := d.file(o.File)
		f.pending = append(f.pending, change{op: n, at: o.Size, cut: true})
	case Sync:
		d.file(o.File).sync(o.Since)
	case Create:
		d.rename(renaming{op: n, to: o.Name, entry: entry{file: o.File}})
	case Mkdir:
		d.names[o.Name] = newNames()
		d.rename(renaming{op: n, to: o.Name})
	case Remove:
		d.rename(renaming{op: n, from: o.Name})
	case Rename:
		d.rename(renaming{op: n, from: o.Name, to: o.To, entry: entry{file: o.File}})
	case SyncDir:
		if dir := d.names[o.Name]; dir != nil {
			for _, p := range dir.pending {
				p.apply(dir.durable)
			}
			dir.pending = nil
		}
	}
}

func (d *Disk) file(n int) *file {
	if d.files[n] == nil {
		d.files[n] = new(file)
	}
	return d.files[n]
}

func (d *Disk) rename(r renaming) {
	dir := path.Dir(r.to)
	if r.to == "" {
		dir = path.Dir(r.from)
	}
	for _, name := range []*string{&r.from, &r.to} {
		if *name != "" {
			*name = path.Base(*name)
		}
	}
	if d.names[dir] == nil {
		d.names[dir] = newNames()
	}
	d.names[dir].pending = append(d.names[dir].pending, r)
}

func (r renaming) apply(to map[string]entry) {
	if r.from != "" {
		delete(to, r.from)
	}
	if r.to != "" {
		to[r.to] = r.entry
	}
}

// sync makes durable what was done before operation number since.
func (f *file) sync(since int) {
	n := 0
	for n < len(f.pending) && f.pending[n].op < since {
		f.durable = f.pending[n].apply(f.durable)
		n++
	}
	f.pending = slices.Clone(f.pending[n:])
}

// apply returns the content after the change. It may use the memory of b.
func (c change) apply(b []byte) []byte {
	end := c.at + int64(len(c.data))
	if c.cut && end < int64(len(b)) {
		return b[:end:end] // what is written behind the end later must not find the old content there
	}
	if end > int64(len(b)) {
		b = append(b, make([]byte, end-int64(len(b)))...)
	}
	copy(b[c.at:], c.data)
	return b
}

// Pending is how many changes a loss of power at this moment may undo.
func (d *Disk) Pending() int { return len(d.pending()) }

// pending lists the numbers of the operations that a loss may undo, in the order of time.
func (d *Disk) pending() []int {
	var ops []int
	for _, f := range d.files {
		for _, c := range f.pending {
			ops = append(ops, c.op)
		}
	}
	for _, dir := range d.names {
		for _, r := range dir.pending {
			ops = append(ops, r.op)
		}
	}
	slices.Sort(ops)
	return ops
}

// Lose returns what is on the disk when the power goes now. The disk is left as it is: another loss may follow from the same moment.
func (d *Disk) Lose(l Loss) Image {
	w := l.whim(d)
	i := Image{Files: map[string][]byte{}}
	d.lose(".", w, &i)
	return i
}

func (d *Disk) lose(dir string, w *whim, i *Image) {
	held := d.names[dir]
	left := maps.Clone(held.durable)
	for _, r := range held.pending {
		if w.keeps(r.op) {
			r.apply(left)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		below := strings.TrimPrefix(dir+"/"+name, "./")
		if e := left[name]; e.file != 0 {
			i.Files[below] = d.file(e.file).lose(w)
		} else {
			i.Dirs = append(i.Dirs, below)
			d.lose(below, w, i)
		}
	}
}

func (f *file) lose(w *whim) []byte {
	b := slices.Clone(f.durable)
	for _, c := range f.pending {
		for _, piece := range w.pieces(c) {
			b = piece.apply(b)
		}
	}
	return b
}
