package live

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/google/uuid"
)

// garbage returns what does not belong into a document's stream: noise, what
// others might send, messages with something wrong in them, most of them made of
// one that is there. Every reader must call it damaged.
func garbage(rng *rand.Rand, order interface{ At(uint64) (Delivery, bool) }) []byte {
	sample := []byte(`{"v":1,"session":"88888888-8888-4888-b088-888888888888","seq":1,"range":{"sessionId":` +
		`"88888888-8888-4888-b088-888888888888","ids":{"firstGenCount":1,"count":1,"requestedClusterSize":5,"localIdRanges":[[1,1]]}},"ops":[{"new":[-1]}]}`)
	if d, ok := order.At(1); ok && len(d.Data) > 100 && bytes.HasPrefix(d.Data, []byte(`{"v":1`)) {
		sample = d.Data
	}
	switch rng.IntN(12) {
	case 0:
		return nil
	case 1:
		noise := make([]byte, rng.IntN(300))
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		return append([]byte{0}, noise...)
	case 2:
		return []byte(`{"hello":"world"}`)
	case 3:
		return []byte(strings.Repeat("[", 20_000))
	case 4: // cut off
		return sample[:len(sample)/2]
	case 5: // of the future
		return bytes.Replace(sample, []byte(`"v":1`), []byte(`"v":2`), 1)
	case 6: // more IDs than it names
		return bytes.Replace(sample, []byte(`"count":`), []byte(`"count":900719925474099`), 1)
	case 7: // clusters too large
		return bytes.Replace(sample, []byte(`"requestedClusterSize":`), []byte(`"requestedClusterSize":9999999`), 1)
	case 8: // no version 4 UUID
		return bytes.Replace(sample, []byte(`"session":"`), []byte(`"session":"x`), 1)
	case 9: // another session's range
		return bytes.Replace(sample, []byte(`"session":"`), fmt.Appendf(nil, `"session":"%s","was":"`, uuid.New()), 1)
	case 10: // a local form that is not its own
		return bytes.Replace(sample, []byte(`"new":[`), []byte(`"new":[-123456789,`), 1)
	default: // too long
		return bytes.Repeat([]byte{' '}, MaxMessage+1)
	}
}

// firstOf lets garbage be made of what is in an order.
type firstOf struct {
	ctx   context.Context
	order TotalOrder
}

func (f firstOf) At(seq uint64) (Delivery, bool) {
	feed, err := f.order.Subscribe(f.ctx, seq-1)
	if err != nil {
		return Delivery{}, false
	}
	defer feed.Close()
	d, err := feed.Next(f.ctx)
	return d, err == nil
}
