package engine

// A ResourceRow is what the maker of definitions keeps of them beside the jobs themselves, under a kind and a key of his own: for one who keeps no
// folder, it is the folder.
type ResourceRow struct {
	Kind string
	Key  string // unique within the kind
	ID   int64  // reserved; of two rows the later made has the higher
	Job  int64  // row id of the job that it stands for; 0 is none
	Body []byte
}

// ResourceView reads resources.
type ResourceView interface {
	// Resource returns one row; ErrNotFound when there is none.
	Resource(kind, key string) (ResourceRow, error)
	// Resources lists rows of the kind whose key begins with prefix and follows after ("" is the beginning), by key, at most limit.
	Resources(kind, prefix, after string, limit int) ([]ResourceRow, error)
}

// ResourceTx writes them.
type ResourceTx interface {
	// PutResource inserts the row or replaces the one of the same kind and key.
	PutResource(ResourceRow) error
	// DeleteResource removes a row; false when there is none.
	DeleteResource(kind, key string) (bool, error)
}
