package web

import (
	"fmt"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// ID is the id of a row. In JSON it is a decimal string, since not every program can hold 64 bits in a number.
type ID int64

// MarshalText writes the id in decimal.
func (i ID) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(i), 10), nil }

// UnmarshalText reads what MarshalText writes.
func (i *ID) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("read the id %q: %w", text, err)
	}
	*i = ID(n)
	return nil
}

// String is the id in decimal.
func (i ID) String() string { return strconv.FormatInt(int64(i), 10) }

// Schema describes an id in openapi.json.
func (ID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]+$", Description: "A row's id, in decimal", Examples: []any{"4217"}}
}
