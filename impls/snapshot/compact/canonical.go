package compact

import (
	"crypto/sha256"

	"example.com/idlab/impls/snapshot"
)

// AppendCanonical appends the canonical form of a state's document to dst.
func AppendCanonical(dst []byte, s *snapshot.State) ([]byte, error) {
	return Append(dst, s.Canonical())
}

// Hash returns the SHA-256 of the canonical form: equal for states whose
// documents are equal, in whatever order their sessions were seen.
func Hash(s *snapshot.State) ([sha256.Size]byte, error) {
	form, err := AppendCanonical(nil, s)
	return sha256.Sum256(form), err
}
