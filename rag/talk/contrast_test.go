package talk

import (
	"strings"
	"testing"
)

func TestContrast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ earlier, question, want string }{
		{"How do I back up to SFTP with restic?", "And to S3?", "How do I back up to S3 with restic?"},
		{"How do I use restic on SFTP?", "and on Amazon S3", "How do I use restic on Amazon S3?"},
		{"What does git stash do?", "And git worktree?", "What does git worktree do?"},
		{"What is the default bodyLimit?", "and connectionTimeout?", "What is the default connectionTimeout?"},
		{"how do I delete a remote branch?", "and a tag?", "how do I delete a tag?"},
		{"Which ports does Postgres use?", "What about Redis?", "Which ports does Redis use?"},
		{"what is the largest size of a table?", "or of an index?", "what is the largest size of an index?"},
		{"How does borg compress data?", "And restic?", "How does borg compress data?\nAnd restic?"},
		{"smtpd_hard_error_limit default?", "and under stress?", "smtpd_hard_error_limit default?\nand under stress?"},
		{
			"What is the maximum number of columns in a table?", "And the maximum length of a string?",
			"What is the maximum length of a string in a table?",
		},
		{
			"What is the default port of sshd?", "and the path of its configuration file?",
			"What is the default port of sshd?\nAn answer.\nand the path of its configuration file?",
		},
		{
			"Which columns has the largest table?", "and the owner of the smallest index?",
			"Which columns has the largest table?\nand the owner of the smallest index?",
		},
		{"What does smartctl -H do?", "and -A?", "What does smartctl -A do?"},
		{"What does smartctl -H do?", "and smartctl --all?", "What does smartctl --all do?"},
		{"How do I start a self-test?", "and a speed-test?", "How do I start a speed-test?"},
		{"Wo liegt das Handbuch auf Deutsch?", "Und auf Spanisch?", "Wo liegt das Handbuch auf Spanisch?"},
		{"Comment installer restic sur Ubuntu avec apt ?", "Et sur Debian ?", "Comment installer restic sur Debian avec apt ?"},
		{"¿Cómo se instala restic en Ubuntu con apt?", "¿Y en Debian?", "¿Cómo se instala restic en Debian con apt?"},
		{"Was macht apt purge?", "Und was ist mit autoremove?", "Was macht apt purge?\nUnd was ist mit autoremove?"},
		// These do not name another subject.
		{
			"Wird ISDN unterstützt?", "Und wie richte ich es danach ein?",
			"Wird ISDN unterstützt?\nAn answer.\nUnd wie richte ich es danach ein?",
		},
		{
			"How does it start?", "and the service that I use does not start",
			"How does it start?\nAn answer.\nand the service that I use does not start",
		},
		{
			"How do I add a key?", "and we need a password for each user",
			"How do I add a key?\nAn answer.\nand we need a password for each user",
		},
		{
			"How do I add a key?", "and the password isn't accepted by the server",
			"How do I add a key?\nAn answer.\nand the password isn't accepted by the server",
		},
		{"How can I stop queries?", "and what is it by default?", "How can I stop queries?\nAn answer.\nand what is it by default?"},
		{"I made an enum mood", "and remove one?", "I made an enum mood\nAn answer.\nand remove one?"},
		{"is vacuum slow?", "and how is it created?", "is vacuum slow?\nAn answer.\nand how is it created?"},
		{"how can I stop long queries?", "what is a pump?", "what is a pump?"},
	} {
		turns := []Turn{{User, c.earlier}, {Assistant, "An answer."}}
		if got := SearchText(c.question, turns); got != c.want {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.earlier, c.question, got, c.want)
		}
	}
}

// Each contrast continues the question that the one before made.
func TestContrastAgain(t *testing.T) {
	t.Parallel()
	turns := []Turn{
		{User, "How do I use restic on SFTP?"},
		{Assistant, "Like this."},
		{User, "and on S3?"},
		{Assistant, "Like that."},
	}
	const want = "How do I use restic on Azure?"
	if got := SearchText("and on Azure?", turns); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzContrast: a follow-up is searched with its own words, whatever the user wrote before.
func FuzzContrast(f *testing.F) {
	f.Add("How do I use restic on SFTP?", "and on S3?")
	f.Add("", "or \xff?")
	f.Fuzz(func(t *testing.T, earlier, question string) {
		part := contrast(question)
		if part == "" {
			return
		}
		fresh := wholeWords(part, "en")
		last := fresh[len(fresh)-1].text
		if got, ok := replaced(earlier, part); ok && !strings.Contains(got, last) {
			t.Errorf("%q, %q: %q lacks %q", earlier, question, got, last)
		}
	})
}
