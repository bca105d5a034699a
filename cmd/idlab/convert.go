package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// conversions are the forms that convert writes.
var conversions = map[string]func(*snapshot.State) ([]byte, error){
	"v2":      func(s *snapshot.State) ([]byte, error) { return inVersion(s, snapshot.V2) },
	"v3":      func(s *snapshot.State) ([]byte, error) { return inVersion(s, snapshot.V3) },
	"compact": func(s *snapshot.State) ([]byte, error) { return compact.Append(nil, s) },
}

func inVersion(s *snapshot.State, version int) ([]byte, error) {
	s, err := s.InVersion(version)
	if err != nil {
		return nil, err
	}
	return s.AppendText(nil)
}

func (a *app) convert() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "convert --to v2|v3|compact FILE",
		Short: "Convert a serialized compressor into another form, nothing lost",
		Long: `convert reads a serialized compressor in any form, recognized by content, and
writes it to standard output: base64 without a newline for v2 and v3, binary for
compact. A sharded document has no v2 form.`,
		Example: `  idlab convert --to compact doc.b64 >doc.idc
  idlab convert --to v3 doc.idc | cmp - doc.b64`,
		Args: needs(1, 1, "one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			encode, ok := conversions[to]
			if !ok {
				return fmt.Errorf("--to: %q is none of v2, v3, compact", to)
			}
			state, err := a.state(args[0])
			if err != nil {
				return err
			}
			data, err := encode(state)
			if errors.Is(err, snapshot.ErrSharded) {
				err = fmt.Errorf("%w: --to v3 or compact keeps it", err)
			}
			if err != nil {
				return inFile(args[0], err)
			}
			_, err = a.stdout.Write(data)
			return err
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "v2, v3 or compact")
	return cmd
}
