// Package denial finds the parts of a message that it denies. So "I don't want my
// money back" does not resemble "I want my money back", and of "not the shipping, the
// opening hours" the second part remains. The rules cover English and German.
package denial
