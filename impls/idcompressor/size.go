package idcompressor

import "example.com/idlab/impls"

// BytesInUse returns the bytes that the backend's table and normalizer take,
// as [impls.Sizer] counts them, and false if the backend does not count. The
// compressor itself adds some 400, whatever it holds.
func (c *Compressor) BytesInUse() (int64, bool) {
	table, ok := c.table.(impls.Sizer)
	if !ok {
		return 0, false
	}
	n := table.Bytes()
	if norm, ok := c.norm.(impls.Sizer); ok {
		n += norm.Bytes()
	}
	return n, true
}
