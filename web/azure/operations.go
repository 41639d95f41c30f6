package azure

import "net/http"

// MaxBody is the greatest length of a request's body in bytes; what a job or a collection may have is less, and refused in other words.
const MaxBody = 1 << 20

// maxChars bounds a collection's document as a job's is bounded.
const maxChars = 16_000

// Need is what an operation asks of who uses it.
type Need int8

// The needs, the least first.
const (
	Read Need = iota + 1
	Run
	Change
)

// An Operation is a line of the face's table of what it answers.
type Operation struct {
	Method  string
	Pattern string // canonical, with {name} for one segment of the path
	ID      string
	Need    Need
	Summary string

	body     bool // reads one
	neighbor bool // of another provider, which has other api-versions
	perform  func(f *Face, q *request) (status int, body any, err error)
}

const (
	ofSubscription = "/subscriptions/{subscription}"
	ofGroup        = ofSubscription + "/resourceGroups/{group}"
	provider       = "/providers/Microsoft.Scheduler"
	ofCollection   = ofGroup + provider + "/jobCollections/{collection}"
	ofJob          = ofCollection + "/jobs/{job}"
)

// Operations is the table (`azure-scheduler.md` §1).
func Operations() []Operation {
	get, put, patch, post, del := http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete
	return []Operation{
		{Method: get, Pattern: ofSubscription + provider + "/jobCollections", ID: "azureListBySubscription", Need: Read,
			Summary: "List the job collections of a subscription", perform: (*Face).listCollections},
		{Method: get, Pattern: ofGroup + provider + "/jobCollections", ID: "azureListByGroup", Need: Read,
			Summary: "List the job collections of a resource group", perform: (*Face).listCollections},
		{Method: get, Pattern: ofCollection, ID: "azureGetCollection", Need: Read, Summary: "One job collection", perform: (*Face).getCollection},
		{Method: put, Pattern: ofCollection, ID: "azurePutCollection", Need: Change, body: true, Summary: "Make or replace a job collection", perform: (*Face).putCollection},
		{Method: patch, Pattern: ofCollection, ID: "azurePatchCollection", Need: Change, body: true, Summary: "Change a job collection", perform: (*Face).patchCollection},
		{Method: del, Pattern: ofCollection, ID: "azureDeleteCollection", Need: Change, Summary: "Delete a job collection with its jobs", perform: (*Face).deleteCollection},
		{Method: post, Pattern: ofCollection + "/enable", ID: "azureEnableCollection", Need: Change, Summary: "Let the jobs of a collection run again", perform: (*Face).enableCollection},
		{Method: post, Pattern: ofCollection + "/disable", ID: "azureDisableCollection", Need: Change, Summary: "Keep the jobs of a collection from running", perform: (*Face).disableCollection},

		{Method: get, Pattern: ofCollection + "/jobs", ID: "azureListJobs", Need: Read, Summary: "List the jobs of a collection", perform: (*Face).listJobs},
		{Method: get, Pattern: ofJob, ID: "azureGetJob", Need: Read, Summary: "One job", perform: (*Face).getJob},
		{Method: put, Pattern: ofJob, ID: "azurePutJob", Need: Change, body: true, Summary: "Make or replace a job", perform: (*Face).putJob},
		{Method: patch, Pattern: ofJob, ID: "azurePatchJob", Need: Change, body: true, Summary: "Change a job", perform: (*Face).patchJob},
		{Method: del, Pattern: ofJob, ID: "azureDeleteJob", Need: Change, Summary: "Delete a job", perform: (*Face).deleteJob},
		{Method: post, Pattern: ofJob + "/run", ID: "azureRunJob", Need: Run, Summary: "Run a job now", perform: (*Face).runJob},
		{Method: get, Pattern: ofJob + "/history", ID: "azureJobHistory", Need: Read, Summary: "The attempts of a job", perform: (*Face).jobHistory},

		{Method: get, Pattern: ofSubscription + provider, ID: "azureGetProvider", Need: Read, neighbor: true, Summary: "What the provider offers", perform: (*Face).getProvider},
		{Method: post, Pattern: ofSubscription + provider + "/register", ID: "azureRegister", Need: Run, neighbor: true, Summary: "Register the provider, which it is", perform: (*Face).getProvider},
		{Method: http.MethodHead, Pattern: ofGroup, ID: "azureHeadGroup", Need: Read, neighbor: true, Summary: "Whether there is a resource group", perform: (*Face).headGroup},
		{Method: put, Pattern: ofGroup, ID: "azurePutGroup", Need: Change, neighbor: true, body: true, Summary: "Make a resource group", perform: (*Face).putGroup},
		{Method: del, Pattern: ofGroup, ID: "azureDeleteGroup", Need: Change, neighbor: true, Summary: "Delete a resource group with its job collections", perform: (*Face).deleteGroup},
	}
}
