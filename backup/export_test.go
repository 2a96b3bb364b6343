package backup

// An attempt at a passphrase takes ten seconds of processor time with the race detector.
func init() { passphraseWork = 10 }
