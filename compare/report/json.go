package report

import (
	"encoding/json"
	"io"

	"example.com/idlab/compare"
)

// writeJSON writes the model as it is.
func writeJSON(w io.Writer, r *compare.Report, _ Options) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
