package engine

import "time"

// Webhook says how a request starts a job.
type Webhook struct {
	Secret    string            // the name of the job's secret that signs
	SignsBody bool              // the signature is of the body alone, as GitHub's; else of delivery id, timestamp and body
	Tolerance time.Duration     // how far the signed timestamp may be from now
	PlanTime  string            // a JSON pointer into the body, or a header; "" is now
	Params    map[string]string // the same for parameters
}
