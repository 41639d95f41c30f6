package powerloss

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

const ioerrSync = sqlite3.SQLITE_IOERR_FSYNC

// The wrapped VFS and the one that takes its place. Both live as long as the process.
var (
	wrapped *sqlite3.Tsqlite3_vfs
	shim    sqlite3.Tsqlite3_vfs
	name    = []byte("powerloss\x00")
)

// install makes the layer the default VFS of the process, once.
var install = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	found := sqlite3.Xsqlite3_vfs_find(tls, 0)
	if found == 0 {
		return errors.New("SQLite has no default VFS")
	}
	wrapped = at[sqlite3.Tsqlite3_vfs](found)
	shim = *wrapped
	shim.FpNext = 0
	shim.FzName = uintptr(unsafe.Pointer(&name[0]))
	shim.FszOsFile += int32(headSize)
	shim.FxOpen = pointer(open)
	if code := sqlite3.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(&shim)), 1); code != sqlite3.SQLITE_OK {
		return fmt.Errorf("register the layer with SQLite: code %d", code)
	}
	return nil
})

// A head is what the layer puts before the wrapped VFS's own part of an open file.
type head struct {
	methods uintptr
	number  uintptr // in files
}

const headSize = unsafe.Sizeof(head{})

// An openFile is one that the layer looks after.
type openFile struct {
	recorder *Recorder // nil where syncs are left out
	file     int
	path     string
}

// files are the open ones by the number in their heads: SQLite's memory may not hold pointers to Go's.
var files = struct {
	sync.Mutex
	open map[uintptr]*openFile
	last uintptr
}{open: map[uintptr]*openFile{}}

// at looks at memory of SQLite's.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// pointer turns a function that is no closure into what the translated C code takes for a pointer to a function; call turns it back.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func call[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

// methods are those of an open file, without the two of memory-mapped I/O.
var methods = sqlite3.Tsqlite3_io_methods{
	FiVersion: 2, FxClose: pointer(closeFile), FxRead: pointer(read), FxWrite: pointer(write), FxTruncate: pointer(truncate), FxSync: pointer(syncFile),
	FxFileSize: pointer(fileSize), FxLock: pointer(lock), FxUnlock: pointer(unlock), FxCheckReservedLock: pointer(checkReservedLock),
	FxFileControl: pointer(fileControl), FxSectorSize: pointer(sectorSize), FxDeviceCharacteristics: pointer(deviceCharacteristics),
	FxShmMap: pointer(shmMap), FxShmLock: pointer(shmLock), FxShmBarrier: pointer(shmBarrier), FxShmUnmap: pointer(shmUnmap),
}

func open(tls *libc.TLS, _, zName, pFile uintptr, flags int32, pOut uintptr) int32 {
	under := call[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](wrapped.FxOpen)
	vfs := uintptr(unsafe.Pointer(wrapped))
	path := ""
	if zName != 0 {
		path = libc.GoString(zName)
	}
	recorder, mine := layer.of(path)
	if !mine {
		return under(tls, vfs, zName, pFile, flags, pOut)
	}
	h := at[head](pFile)
	*h = head{}
	if code := under(tls, vfs, zName, pFile+headSize, flags, pOut); code != sqlite3.SQLITE_OK {
		return code
	}
	f := &openFile{recorder: recorder, path: path}
	if recorder != nil {
		f.file = recorder.opened(path)
	}
	files.Lock()
	defer files.Unlock()
	files.last++
	files.open[files.last] = f
	*h = head{methods: uintptr(unsafe.Pointer(&methods)), number: files.last}
	return sqlite3.SQLITE_OK
}

// of finds the open file, the wrapped VFS's part of it and its methods.
func of(pFile uintptr) (f *openFile, under uintptr, m *sqlite3.Tsqlite3_io_methods) {
	files.Lock()
	defer files.Unlock()
	under = pFile + headSize
	return files.open[at[head](pFile).number], under, at[sqlite3.Tsqlite3_io_methods](at[sqlite3.Tsqlite3_file](under).FpMethods)
}

func closeFile(tls *libc.TLS, pFile uintptr) int32 {
	_, under, m := of(pFile)
	code := call[func(*libc.TLS, uintptr) int32](m.FxClose)(tls, under)
	files.Lock()
	defer files.Unlock()
	delete(files.open, at[head](pFile).number)
	return code
}

func read(tls *libc.TLS, pFile, buf uintptr, n int32, offset int64) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](m.FxRead)(tls, under, buf, n, offset)
}

func write(tls *libc.TLS, pFile, buf uintptr, n int32, offset int64) int32 {
	f, under, m := of(pFile)
	do := func() int32 {
		return call[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](m.FxWrite)(tls, under, buf, n, offset)
	}
	if f.recorder == nil {
		return do()
	}
	return f.recorder.change(Op{Kind: Write, File: f.file, Offset: offset, Data: bytes.Clone(unsafe.Slice(at[byte](buf), n))}, do)
}

func truncate(tls *libc.TLS, pFile uintptr, size int64) int32 {
	f, under, m := of(pFile)
	do := func() int32 { return call[func(*libc.TLS, uintptr, int64) int32](m.FxTruncate)(tls, under, size) }
	if f.recorder == nil {
		return do()
	}
	return f.recorder.change(Op{Kind: Truncate, File: f.file, Size: size}, do)
}

func syncFile(tls *libc.TLS, pFile uintptr, flags int32) int32 {
	f, under, m := of(pFile)
	if f.recorder == nil {
		return sqlite3.SQLITE_OK
	}
	return f.recorder.sync(f.file, f.recorder.name(f.path), func() int32 {
		return call[func(*libc.TLS, uintptr, int32) int32](m.FxSync)(tls, under, flags)
	})
}

func fileSize(tls *libc.TLS, pFile, pSize uintptr) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, uintptr) int32](m.FxFileSize)(tls, under, pSize)
}

func lock(tls *libc.TLS, pFile uintptr, level int32) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, int32) int32](m.FxLock)(tls, under, level)
}

func unlock(tls *libc.TLS, pFile uintptr, level int32) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, int32) int32](m.FxUnlock)(tls, under, level)
}

func checkReservedLock(tls *libc.TLS, pFile, pOut uintptr) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, uintptr) int32](m.FxCheckReservedLock)(tls, under, pOut)
}

func fileControl(tls *libc.TLS, pFile uintptr, op int32, arg uintptr) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, int32, uintptr) int32](m.FxFileControl)(tls, under, op, arg)
}

func sectorSize(tls *libc.TLS, pFile uintptr) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr) int32](m.FxSectorSize)(tls, under)
}

func deviceCharacteristics(tls *libc.TLS, pFile uintptr) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr) int32](m.FxDeviceCharacteristics)(tls, under)
}

func shmMap(tls *libc.TLS, pFile uintptr, page, size, extend int32, pOut uintptr) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, int32, int32, int32, uintptr) int32](m.FxShmMap)(tls, under, page, size, extend, pOut)
}

func shmLock(tls *libc.TLS, pFile uintptr, offset, n, flags int32) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, int32, int32, int32) int32](m.FxShmLock)(tls, under, offset, n, flags)
}

func shmBarrier(tls *libc.TLS, pFile uintptr) {
	_, under, m := of(pFile)
	call[func(*libc.TLS, uintptr)](m.FxShmBarrier)(tls, under)
}

func shmUnmap(tls *libc.TLS, pFile uintptr, remove int32) int32 {
	_, under, m := of(pFile)
	return call[func(*libc.TLS, uintptr, int32) int32](m.FxShmUnmap)(tls, under, remove)
}

// Open lists the files that are open in the layer: none, when a test is done.
func Open() []string {
	files.Lock()
	defer files.Unlock()
	var list []string
	for _, f := range files.open {
		list = append(list, f.path)
	}
	slices.SortFunc(list, strings.Compare)
	return list
}
