// Package junit writes test reports in JUnit XML.
package junit

import (
	"encoding/xml"
	"io"
)

// Suite is a group of tests.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []Case `xml:"testcase"`
}

// Case is a test.
type Case struct {
	Class   string `xml:"classname,attr"`
	Name    string `xml:"name,attr"`
	Failure *Text  `xml:"failure,omitempty"`
	Skipped *Text  `xml:"skipped,omitempty"`
	Out     string `xml:"system-out,omitempty"`
}

// Text explains why a test failed or was skipped.
type Text struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Add appends the test c and counts it.
func (s *Suite) Add(c Case) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
}

// Write writes suites as one report called name. It leaves out suites without tests.
func Write(w io.Writer, name string, suites ...Suite) error {
	all := struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []Suite  `xml:"testsuite"`
	}{Name: name}
	for _, s := range suites {
		if s.Tests > 0 {
			all.Tests, all.Failures, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Skipped+s.Skipped
			all.Suites = append(all.Suites, s)
		}
	}
	data, err := xml.MarshalIndent(all, "", " ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	}
	return err
}
