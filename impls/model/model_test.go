package model_test

import (
	"testing"

	"example.com/idlab/impls/backendtest"
	"example.com/idlab/impls/model"
)

// The cases were worked out by hand. The model is held to more of the suite in
// package backendtest, where its heap need not be measured at every step.
func TestModel(t *testing.T) {
	for _, v := range backendtest.Violations(model.Backend, "Cases", "NormalizerCases") {
		t.Errorf("%s: %s", v.Part, v.Log)
	}
}
