package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/idlab/bench/workload"
	"example.com/idlab/impls/snapshot"
)

// contents is what inspect tells of a serialized compressor.
type contents struct {
	Version       int   `json:"version"`
	HasLocalState bool  `json:"hasLocalState"`
	Sessions      int   `json:"sessions"`
	Clusters      int   `json:"clusters"`
	Finalized     int64 `json:"finalized"` // sum of counts
	Reserved      int64 `json:"reserved"`  // sum of capacity - count
}

func contentsOf(s *snapshot.State) contents {
	c := contents{Version: s.Version, HasLocalState: s.Local != nil, Sessions: len(s.Sessions), Clusters: len(s.Clusters)}
	for _, cluster := range s.Clusters {
		c.Finalized += cluster.Count
		c.Reserved += cluster.Capacity - cluster.Count
	}
	return c
}

func (a *app) inspect() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "inspect [--json] FILE",
		Short: "Say what a serialized compressor holds",
		Long: `inspect reads a serialized compressor in any form (Fluid's base64 or binary of
version 2 or 3, also compressed with gzip or zstd, or compact), recognized by
content, checks all of it, and says what it holds.`,
		Example: `  idlab inspect doc.b64
  idlab inspect --json doc.b64 | jq .clusters`,
		Args: needs(1, 1, "one file"),
		RunE: func(_ *cobra.Command, args []string) error {
			state, err := a.state(args[0])
			if err != nil {
				return err
			}
			c := contentsOf(state)
			if asJSON {
				return a.json(c)
			}
			fmt.Fprintf(a.stdout, "version          %d\nlocal state      %t\nsessions         %d\nclusters         %d\nIDs finalized    %d\nIDs reserved     %d\n",
				c.Version, c.HasLocalState, c.Sessions, c.Clusters, c.Finalized, c.Reserved)
			if l := state.Local; l != nil {
				fmt.Fprintf(a.stdout, "own session      %s\nIDs generated    %d\nnext range from  %d\n", state.Sessions[0], l.Generated, l.Cursor)
				if l.Sharding != nil {
					fmt.Fprintf(a.stdout, "sharded          stride %d, %d children\n", l.Sharding.Stride, len(l.Sharding.Children))
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an object with version, hasLocalState, sessions, clusters, finalized, reserved")
	return cmd
}

// state reads a serialized compressor.
func (a *app) state(name string) (*snapshot.State, error) {
	data, err := a.read(name)
	if err != nil {
		return nil, err
	}
	state, err := workload.ParseState(data)
	return state, inFile(name, err)
}
