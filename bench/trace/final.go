package trace

import (
	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// Final makes all calls of the program, as [Program.Run] does, and returns the
// compressors as they are in the end, in the order in which they were made;
// nil where making one failed.
func (p *Program) Final(backend impls.Backend) []*idcompressor.Compressor {
	m := machine{backend: backend, on: make([]*idcompressor.Compressor, p.slots)}
	for i := range p.calls {
		c := p.calls[i]
		for range c.n {
			m.do(p, &c)
			c.id += int64(c.step)
		}
	}
	return m.on
}
