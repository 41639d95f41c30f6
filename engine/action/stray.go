package action

import (
	"path/filepath"
	"time"
)

// sweepEvery is how often the supervisor looks for processes that outlived their attempt outside its group.
const sweepEvery = time.Second

// stray is a process that became ours because its parent died: it left its group, or its group's leader left it behind.
type stray struct {
	order  int64 // children accepted when it was first seen
	killed bool
}

// outMark is how the variable begins by which a process is known as one of this data directory.
func outMark(dir string) string {
	return outputVariable + filepath.Join(dir, runFolder, outputFolder) + "/"
}
