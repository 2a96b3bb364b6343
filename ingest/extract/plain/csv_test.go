package plain_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/plain"
)

func TestCSV(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"semicolons":    {"Part;Price\n\"Seal; thin\";3\nValve\n", "th Part | Price\ntr Seal; thin | 3\ntr Valve\n"},
		"bank export":   {"\"Account statement\"\n\"Account number:\";\"0042 117\"\n\"Period:\";\"01.09.2026 - 30.09.2026\"\n\n\"Booking date\";\"Payee\";\"Amount\"\n\"02.09.2026\";\"Stadtwerke; Lohe\";\"-143,20\"\n\"05.09.2026\";\"Orchard & Finch\";\"1.250,00\"\n", "p Account statement\ntr Account number: | 0042 117\ntr Period: | 01.09.2026 - 30.09.2026\nth Booking date | Payee | Amount\ntr 02.09.2026 | Stadtwerke; Lohe | -143,20\ntr 05.09.2026 | Orchard & Finch | 1.250,00\n"},
		"decimal comma": {"Bolzen;1,5;2,3\nMutter;2,5;3,1\nScheibe;0,5;0,1\n", "tr Bolzen | 1,5 | 2,3\ntr Mutter | 2,5 | 3,1\ntr Scheibe | 0,5 | 0,1\n"},
		"ragged rows":   {"April 15, 2023;402;25.00;Ray;\nApril 14, 2023;444;26.00;Scott;\nApril 9, 2023;678;28.00\n", "tr April 15, 2023 | 402 | 25.00 | Ray\ntr April 14, 2023 | 444 | 26.00 | Scott\ntr April 9, 2023 | 678 | 28.00\n"},
		"declared":      {"sep=;\nName;Note\nSeal;a,b\nPump;c,d\n", "th Name | Note\ntr Seal | a,b\ntr Pump | c,d\n"},
		"padded title":  {"Stock on 1 May,,\n,,\nPart,Bin,Pieces\nSeal,B-2,4\n", "p Stock on 1 May\nth Part | Bin | Pieces\ntr Seal | B-2 | 4\n"},
		"two tables":    {"Part,Bin\nSeal,B-2\n\nCrew,Phone,Hall\nVera,117,4\n", "th Part | Bin\ntr Seal | B-2\nth Crew | Phone | Hall\ntr Vera | 117 | 4\n"},
		"same width":    {"Part,Pieces\nSeal,4\n\nCrew,Phone\nVera,117\n", "th Part | Pieces\ntr Seal | 4\nth Crew | Phone\ntr Vera | 117\n"},
		"gap in table":  {"Part,Pieces\nSeal,4\n\nPump,7\n", "th Part | Pieces\ntr Seal | 4\ntr Pump | 7\n"},
		"units":         {"Depth;Temp.;Site\nm;°C;\n1,5;8,2;North\n", "th Depth (m) | Temp. (°C) | Site\ntr 1,5 | 8,2 | North\n"},
		"one column":    {"Name\nSeal\nPump\n", "tr Name\ntr Seal\ntr Pump\n"},
		"one row":       {"Part,Price\n", "tr Part | Price\n"},
		"bars":          {"Part|Note\nSeal|thin, red\nPump|big, blue\n", "th Part | Note\ntr Seal | thin, red\ntr Pump | big, blue\n"},
		"carets":        {"Item^Note^Price\n1^Seal, radial^4.50\n2^Cover | steel; thin^30.00\n", "th Item | Note | Price\ntr 1 | Seal, radial | 4.50\ntr 2 | Cover | steel; thin | 30.00\n"},
		"tildes":        {"id~name~city\n1~Ada, Lovelace~London\n2~Grace; Hopper~New York\n", "th id | name | city\ntr 1 | Ada, Lovelace | London\ntr 2 | Grace; Hopper | New York\n"},
		"powers":        {"Part,Unit\nRoof,m^2\nPool,m^3\n", "th Part | Unit\ntr Roof | m^2\ntr Pool | m^3\n"},
		"prose cells":   {"Part,Note\nSeal,\"thin; red\"\nPump,big\n", "th Part | Note\ntr Seal | thin; red\ntr Pump | big\n"},
	} {
		doc := plain.CSV("a.csv", tt.text)
		extracttest.Verify(t, doc)
		if got := extracttest.Show(doc); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, tt.want)
		}
	}
}
