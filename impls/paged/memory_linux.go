package paged

import (
	"os"
	"syscall"
	"unsafe"
)

// preferHugePages advises the kernel of the whole pages of b. It may decline,
// or have none; nothing depends on it.
func preferHugePages(b []byte) {
	page := os.Getpagesize()
	if over := int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) % uintptr(page)); over > 0 {
		b = b[page-over:]
	}
	_ = syscall.Madvise(b[:len(b)/page*page], syscall.MADV_HUGEPAGE)
}
