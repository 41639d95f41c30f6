// Package engine answers one question: what happens next?
//
// It holds the definitions (Workflow, Job, Step, Action), the plan as a value (Plan), the instance and its states, the pure decisions
// (Evaluate, Steps, the transition table) and the short loop that carries them out (Engine). Everything that decides takes the time as an
// argument and touches nothing; everything that touches the world is behind two ports, Store and Runner, declared here and
// implemented elsewhere. The package imports neither a database nor a process nor a file format.
//
// One fact flows one way: a definition is planned (Workflow → Plan), the plan becomes rows (Store), a pass reads rows, decides and writes
// transitions, an attempt is handed to the Runner, and its result comes back through the same door as every other transition.
package engine
