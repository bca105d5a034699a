package idcompressor_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// must keeps the examples short. A program handles its errors.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Two sessions share a document. Alice's ID travels to Bob before and after it
// has a final form.
func Example() {
	alice := must(idcompressor.New(idcompressor.WithSession(uuid.MustParse("88888888-8888-4888-b088-888888888888"))))
	bob := must(idcompressor.New(idcompressor.WithSession(uuid.MustParse("88888888-8888-4888-b188-888888888888"))))

	// Alice makes an ID. What uses it is sent after the range that announces it.
	mine := must(alice.Generate())
	announced := must(json.Marshal(must(alice.TakeNextCreationRange())))
	sent := must(alice.NormalizeToOpSpace(mine))
	fmt.Println("Alice sends", sent)

	// Everybody finalizes all ranges in one order, Alice as well.
	var r idcompressor.CreationRange
	if err := json.Unmarshal(announced, &r); err != nil {
		log.Fatal(err)
	}
	for _, c := range []*idcompressor.Compressor{alice, bob} {
		if err := c.FinalizeCreationRange(r); err != nil {
			log.Fatal(err)
		}
	}

	// Bob knows the ID by its final form, Alice by the one she began with.
	his := must(bob.NormalizeToSessionSpace(sent, alice.LocalSessionID()))
	fmt.Println("Bob has", his, "and Alice", mine)
	fmt.Println(must(bob.Decompress(his)) == must(alice.Decompress(mine)))

	// There is room in Alice's cluster: her next ID is final at once.
	fmt.Println("next", must(alice.Generate()))

	// Bob stores the document, and Carol opens it.
	carol := must(idcompressor.Load(must(bob.AppendSerialized(nil, false)),
		idcompressor.WithSession(uuid.MustParse("88888888-8888-4888-b288-888888888888"))))
	fmt.Println("Carol has", must(carol.Recompress(must(alice.Decompress(mine)))))
	// Output:
	// Alice sends -1
	// Bob has 0 and Alice -1
	// true
	// next 1
	// Carol has 0
}

// A change that every session makes by itself takes its IDs from a ghost
// session that all agree on.
func ExampleCompressor_BeginGhostSession() {
	c := must(idcompressor.New())
	upgrade := uuid.MustParse("99999999-9999-4999-9999-999999999999")
	err := c.BeginGhostSession(upgrade, func() error {
		for range 2 {
			id, err := c.Generate()
			if err != nil {
				return err
			}
			fmt.Println(id, must(c.Decompress(id)))
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// 0 99999999-9999-4999-9999-999999999999
	// 1 99999999-9999-4999-9999-99999999999a
	// <nil>
}

// A worker gets a shard, makes IDs of the same session, and hands it back.
func ExampleCompressor_Shard() {
	c := must(idcompressor.New())
	shards := must(c.Shard(1))

	worker := must(idcompressor.Load(shards[0].Data)) // wherever it runs
	theirs := must(worker.Generate())
	stable := must(worker.Decompress(theirs))
	token := must(worker.DisposeShard())

	fmt.Println(must(c.Generate()), theirs)
	if err := c.SynchronizeWithShard(*token); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(c.Decompress(theirs)) == stable)
	fmt.Println(must(c.Generate()))
	// Output:
	// -2 -3
	// true
	// -5
}

func ExampleErrorClass() {
	c := must(idcompressor.New())
	_, err := c.Decompress(7)
	fmt.Println(errors.Is(err, idcompressor.ErrUnknownID), idcompressor.ErrorClass(err))

	err = c.FinalizeCreationRange(idcompressor.CreationRange{
		SessionID: uuid.MustParse("88888888-8888-4888-b088-888888888888"),
		IDs:       &idcompressor.RangeIDs{FirstGenCount: 3, Count: 1, RequestedClusterSize: 512},
	})
	if order, ok := errors.AsType[*idcompressor.OrderError](err); ok {
		fmt.Println("begins at", order.ActualStart, "instead of", order.ExpectedStart)
	}

	_, err = idcompressor.LoadText([]byte("AAAAAAAACEAAAAAAAAAAAAAAAAAAAPC/AAAAAAAAAAA="), idcompressor.WithSession(uuid.New()))
	fmt.Println(err)
	// Output:
	// true unknown-id
	// begins at -3 instead of -1
	// snapshot: corrupt: sessionCount = -1 at byte 16: must be an integer of 0 to 2^53-1
}

// Batches need no memory but what they append, and are faster for each ID.
func ExampleCompressor_AppendDecompress() {
	c := must(idcompressor.New(idcompressor.WithSession(uuid.MustParse("88888888-8888-4888-b088-888888888888"))))
	ids := must(c.AppendGenerate(nil, 3))
	stable := must(c.AppendDecompress(nil, ids))
	fmt.Println(ids, stable[2])

	back, known := c.AppendRecompress(nil, nil, stable)
	fmt.Println(back, known)

	_, err := c.AppendDecompress(nil, append(ids, 4))
	fmt.Println(err)
	// Output:
	// [-1 -2 -3] 88888888-8888-4888-b088-88888888888a
	// [-1 -2 -3] 3
	// idcompressor: decompress: ids[3]: unknown ID: 4
}

func ExampleWithEventHook() {
	c := must(idcompressor.New(idcompressor.WithEventHook(func(e idcompressor.Event) {
		switch e := e.(type) {
		case idcompressor.StatusEvent:
			fmt.Println(e.EventName(), e.LocalIDCount, e.EagerFinalIDCount)
		case idcompressor.RangeFinalizedEvent:
			fmt.Println(e.EventName(), e.Range.IDs.Count)
		default:
			fmt.Println(e.EventName())
		}
	})))
	must(c.AppendGenerate(nil, 3))
	if err := c.FinalizeCreationRange(must(c.TakeNextCreationRange())); err != nil {
		log.Fatal(err)
	}
	// Output:
	// FirstCluster
	// IdCompressorStatus 3 0
	// rangeFinalized 3
}
