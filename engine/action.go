package engine

import (
	"slices"
	"time"
)

// The action types that this version carries out.
const (
	ActionShell           = "shell"
	ActionHTTP            = "http"
	ActionHTTPS           = "https"
	ActionStorageQueue    = "storageQueue"
	ActionServiceBusQueue = "serviceBusQueue"
	ActionServiceBusTopic = "serviceBusTopic"
	ActionSQL             = "sql"
	ActionWait            = "wait"
	ActionJob             = "job"
	ActionNone            = "none"
)

// A Step is one action of a job, released when the steps that it needs have ended well.
type Step struct {
	Name      string // "" for the only step of a job with a single action
	Needs     []string
	When      string   // expr-lang condition over a closed environment; empty is true
	ForEach   *ForEach // one run of the step for each item of a list; nil is once
	Action    Action
	OnFailure OnFailure
}

// OnFailure decides what a failed step means for the rest of its instance.
type OnFailure string

// The answers to a failed step (`definition.md`, Job: what).
const (
	StepFail           OnFailure = "fail"           // nothing further starts, the instance fails
	StepContinue       OnFailure = "continue"       // as if it had succeeded
	StepPause          OnFailure = "pause"          // nothing further starts until a person acts
	StepFailSuccessors OnFailure = "failSuccessors" // what needs it fails too, the rest goes on
)

// An Action is what one attempt carries out. Its texts hold substitutions until Render has replaced them.
type Action struct {
	Type    string
	Shell   *Shell
	HTTP    *HTTP
	Queue   *StorageQueue
	Bus     *ServiceBus
	SQL     *SQL
	Probe   *Probe // of type wait
	Call    *Call  // of type job
	Retry   RetryPolicy
	Timeout time.Duration // of one attempt, waiting excluded; 0 is none
}

// Shell runs a command by /bin/sh -c, or a script file, in a process group of its own.
type Shell struct {
	Command Text   // either Command or Script
	Script  string // path relative to the workflow's folder
	Args    []Text // become "$@"
	Env     map[string]Text
	Dir     string // working directory; relative to the workflow's folder, which is the default
}

// HTTP sends one request. It succeeds on a 2xx answer, or on one of Expect when given. At most one of Basic, Certificate and OAuth is set.
type HTTP struct {
	Method      string
	URI         Text
	Headers     map[string]Text
	Body        Text
	Expect      []int
	Outputs     map[string]string // JSON pointers into the answer's body, by the name of the output that each makes
	Basic       *BasicAuth
	Certificate *ClientCertificate
	OAuth       *OAuth
}

// BasicAuth is HTTP Basic authentication.
type BasicAuth struct {
	Username Text
	Password Text
}

// ClientCertificate is authentication by the certificate that the client shows in the TLS handshake.
type ClientCertificate struct {
	PFX      Text // PKCS #12 in base64, which holds the certificate and its key
	Password Text // of the PKCS #12
}

// OAuth is authentication by a token that the tenant's token endpoint gives for a client's own credentials (`azure-scheduler.md` §3).
type OAuth struct {
	Tenant   Text
	Audience Text // the resource that the token is for
	ClientID Text
	Secret   Text
}

// RetryType is the spacing of the attempts of one step.
type RetryType string

// The retry types of `definition.md`.
const (
	RetryNone        RetryType = "none"
	RetryFixed       RetryType = "fixed"
	RetryExponential RetryType = "exponential"
)

// A RetryPolicy says how often and how far apart a failed attempt is repeated.
type RetryPolicy struct {
	Type     RetryType
	Interval time.Duration
	Count    int   // attempts after the first, at most 20
	On       []int // exit codes or HTTP statuses that are worth another attempt; empty is all
}

// Next returns how long after the n-th attempt (from 1) ended the next one may begin, and whether there is one. Exponential spacing
// doubles from Interval and stays below 18 months, Azure's bound on an interval.
func (p RetryPolicy) Next(n int, r Result) (time.Duration, bool) {
	if p.Type == RetryNone || p.Type == "" || n > p.Count {
		return 0, false
	}
	if r.Refused {
		return 0, false
	}
	if len(p.On) > 0 && !slices.Contains(p.On, r.Code()) {
		return 0, false
	}
	return p.wait(n), true
}

// wait is how far the attempt after the n-th is from it.
func (p RetryPolicy) wait(n int) time.Duration {
	wait := p.Interval
	if p.Type == RetryExponential {
		const most = 548 * 24 * time.Hour
		for i := 1; i < n && wait < most; i++ {
			wait *= 2
		}
		wait = min(wait, most)
	}
	return wait
}
