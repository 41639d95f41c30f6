package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/almanac-sched/almanac/engine"
)

func TestWhatIsAroundTheEngineIsToldToo(t *testing.T) {
	seen := []engine.Trouble{{Aspect: engine.AspectStore, Detail: "the last write failed"}, {Aspect: engine.AspectReady, Detail: "something lies"}}
	require.Equal(t, seen, withTroubles(seen, nil, nil))
	require.Empty(t, withTroubles(nil, nil, nil))
	require.Equal(t, []engine.Trouble{
		{Aspect: engine.AspectStore, Detail: "stopped writing"}, {Aspect: engine.AspectSupervisor, Detail: "not reached"}, {Aspect: engine.AspectReady, Detail: "something lies"},
	}, withTroubles(seen, errors.New("stopped writing"), errors.New("not reached")))
	for _, aspect := range engine.Aspects {
		require.NotEmpty(t, remedies[string(aspect)], "almanac doctor says what to do about %s", aspect)
	}
}
