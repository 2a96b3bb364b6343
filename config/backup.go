package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Backups configures backups that the server makes.
type Backups struct {
	// Folder gets the backups; default none, and the server makes no backups.
	Folder string
	// PassphraseFile has the passphrase of the backups in its first line; default none: they are not
	// encrypted.
	PassphraseFile string
	// Every is the time between two backups; default 0: none are made without a request.
	Every time.Duration
	// At is the time of day of one of the backups, as the time after midnight; default 2h.
	At time.Duration
	// Keep is the number of backups in the folder. 0 keeps all; default 7.
	Keep int
}

// maxPeriod bounds a period.
const maxPeriod = 366 * 24 * time.Hour

// period is a number of hours or days, such as 6h or 7d. 0 means never.
func period(p func(*Config) *time.Duration) (func(*Config, string) error, func(Config) string) {
	return func(c *Config, s string) error {
			unit := time.Hour
			digits, found := strings.CutSuffix(s, "d")
			if found {
				unit = 24 * time.Hour
			} else {
				digits, found = strings.CutSuffix(s, "h")
			}
			n, err := strconv.Atoi(digits)
			if err != nil || n < 0 || n > int(maxPeriod/unit) || !found && n != 0 {
				return fmt.Errorf("%q is neither 0 nor hours or days, such as 6h or 7d, up to 366d", s)
			}
			*p(c) = time.Duration(n) * unit
			return nil
		}, func(c Config) string {
			switch d := *p(&c); {
			case d == 0:
				return "0"
			case d%(24*time.Hour) == 0:
				return strconv.Itoa(int(d/(24*time.Hour))) + "d"
			default:
				return strconv.Itoa(int(d/time.Hour)) + "h"
			}
		}
}

// clock is a time of day, such as 02:00.
func clock(p func(*Config) *time.Duration) (func(*Config, string) error, func(Config) string) {
	const layout = "15:04"
	return func(c *Config, s string) error {
			t, err := time.Parse(layout, s)
			if err != nil {
				return fmt.Errorf("%q is not a time such as 02:00", s)
			}
			*p(c) = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
			return nil
		}, func(c Config) string {
			return time.Time{}.Add(*p(&c)).Format(layout)
		}
}

// backupSettings are the settings of backups that the server makes.
func backupSettings() []Setting {
	return []Setting{
		with(Setting{
			Key: "backup.folder", Flag: "backup-folder", Env: []string{"DOCENT_BACKUP_FOLDER"}, Scope: Serving,
			Help: "folder for the backups of this installation alone; without it, docent serve makes no backups",
		})(text(func(c *Config) *string { return &c.Backups.Folder })),
		with(Setting{
			Key: "backup.passphrase-file", Flag: "backup-passphrase-file", Env: []string{"DOCENT_BACKUP_PASSPHRASE_FILE"}, Scope: Serving,
			Help: "file whose first line is the passphrase of the backups in --backup-folder; default: they are not encrypted",
		})(text(func(c *Config) *string { return &c.Backups.PassphraseFile })),
		with(Setting{
			Storage: Live,
			Key:     "backup.every", Flag: "backup-every", Env: []string{"DOCENT_BACKUP_EVERY"}, Scope: Serving,
			Help: "time between two backups in --backup-folder, in hours or days, such as 6h or 1d; 0 for none", Default: "0",
		})(period(func(c *Config) *time.Duration { return &c.Backups.Every })),
		with(Setting{
			Storage: Live,
			Key:     "backup.at", Flag: "backup-at", Env: []string{"DOCENT_BACKUP_AT"}, Scope: Serving,
			Help: "time of one of the backups of --backup-every, in the time zone of the server", Default: "02:00",
		})(clock(func(c *Config) *time.Duration { return &c.Backups.At })),
		with(Setting{
			Storage: Live,
			Key:     "backup.keep", Flag: "backup-keep", Env: []string{"DOCENT_BACKUP_KEEP"}, Scope: Serving,
			Help: "number of backups in --backup-folder; docent removes older ones after each backup; 0 for no limit", Default: "7",
		})(number(func(c *Config) *int { return &c.Backups.Keep })),
	}
}
