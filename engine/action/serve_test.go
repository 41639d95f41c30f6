package action_test

import (
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/almanac-sched/almanac/engine"
	"github.com/almanac-sched/almanac/engine/action"
)

// serveUntilKilled is a server in a process of its own: it starts the given commands as attempts 1, 2, … in the folder that comes first,
// says on its output how each ended, and waits to be killed.
func serveUntilKilled(dir string, args []string) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	runner, err := action.New(action.Config{Dir: dir, Supervisor: []string{exe, "supervise", dir}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	var ids atomic.Int64
	for _, command := range args[1:] {
		runner.Start(engine.Attempt{
			ID: ids.Add(1), Instance: 1, Number: 1, Fence: 1, PlanTime: time.Unix(0, 0).UTC(), Folder: args[0],
			Action: engine.Action{Type: engine.ActionShell, Shell: &engine.Shell{Command: engine.Text(command)}},
		}, func(r engine.Result) { fmt.Println(r.Attempt, r) })
	}
	select {}
}
