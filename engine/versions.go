package engine

// VersionView lists the definitions that a job has had.
type VersionView interface {
	// Versions lists the versions of the job with an id below before (0 is the beginning), newest first, at most limit.
	Versions(job, before int64, limit int) ([]VersionRow, error)
}
