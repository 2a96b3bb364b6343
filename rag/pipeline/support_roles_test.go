package pipeline

import (
	"testing"

	"docent/rag"
	"docent/rag/retrieve"
)

// roles are passages with sentences about them. A true sentence has every date, number, name, and place in the role that the
// passage gives it.
var roles = []struct {
	title, heading, text string
	yes, no              []string
}{
	{
		"Library", "Opening hours",
		"The central library is open Monday to Friday from 9 am to 7 pm. It is closed on Sundays and public holidays. " +
			"You can renew an item twice, unless another reader has reserved it. Lena Fuchs voted against the budget.",
		[]string{"You can renew an item twice, unless another reader has reserved it.", "The library is closed on Sundays."},
		[]string{"You can renew an item twice, even if another reader has reserved it.", "Lena Fuchs voted for the budget."},
	},
	{
		"Staff handbook", "Vacation",
		"Full-time employees get 27 days of vacation a year. After five years of service, two days are added.\n" +
			"Up to five unused days may be carried over into the next year; they expire on 31 March.\n" +
			"To request vacation, open HR Portal > Absence > New request. Your manager answers within three working days.",
		[]string{
			"You get 27 days of vacation a year.", "Unused days expire on 31 March.", "After five years, you get two more days.",
			"Your manager answers within three working days.", "You can carry over up to five days.",
		},
		[]string{
			"Unused days never expire.", "Up to five unused days may not be carried over.", "You get 37 days of vacation a year.",
			"Unused days expire on 31 May.", "Your manager answers within five working days.", "After two years, five days are added.",
		},
	},
	{
		"Panel codes", "Error codes",
		"- E12: oil pressure too low. Stop the engine at once.\n- E17: battery below 11.5 V. Charge the battery.\n" +
			"- E21: coolant above 95 °C. Check the seawater filter and the impeller.",
		[]string{"E21 means that the coolant is above 95 °C.", "With E17, charge the battery.", "E12 means that the oil pressure is too low."},
		[]string{"E21 means that the oil pressure is too low.", "E12 means that the coolant is above 95 °C.", "With E17, stop the engine at once."},
	},
	{
		"Management meeting, 14 April 2026", "Next meeting",
		"The next meeting is on 12 May 2026 at 14:00 in the room Fjord. Lena Brandt takes the minutes.",
		[]string{"The next meeting is on 12 May 2026.", "The next meeting is in the room Fjord.", "Lena Brandt takes the minutes."},
		[]string{
			"The next meeting is on 12 June 2026.", "The next meeting is on 14 April 2026.", "The next meeting is in the room Harbor.",
			"Jonas Eide takes the minutes.", "The next meeting is on 12 May 2027.",
		},
	},
	{
		"Heron manuals", "Technical data",
		"| item | Heron 30 | Heron 36 |\n|---|---|---|\n| Fuel tank | 75 l | 150 l |\n| Length | 9.14 m | 10.97 m |\n| Berths | 4 | 6 |",
		[]string{"The Heron 36 has a fuel tank of 150 l.", "The Heron 30 is 9.14 m long.", "The Heron 36 has 6 berths."},
		[]string{"The Heron 30 has a fuel tank of 150 l.", "The Heron 36 is 9.14 m long.", "The Heron 30 has 6 berths."},
	},
	{
		"Warranty", "What it covers",
		"The warranty covers the hull for five years and the engine for two years. Wear parts, such as the impeller, are not covered. " +
			"Claims go to warranty@torvik.example with a photo. Version 3 of these terms is valid since 1 January 2025.",
		[]string{
			"The hull is covered for five years.", "The engine is covered for two years.", "The impeller is not covered.",
			"Claims go to warranty@torvik.example.",
		},
		[]string{
			"The engine is covered for five years.", "The hull is covered for two years.", "The impeller is covered.",
			"Claims go to claims@torvik.example.", "Version 4 of these terms is valid since 1 January 2025.",
		},
	},
	{
		"Hausordnung", "Öffnungszeiten",
		"Das Bad öffnet montags um 7 Uhr und samstags um 9 Uhr. Sonntags ist das Außenbecken geschlossen. " +
			"Kinder unter acht Jahren dürfen nur mit einem Erwachsenen baden. Herr Weber leitet die Aufsicht.",
		[]string{
			"Montags öffnet das Bad um 7 Uhr.", "Samstags öffnet das Bad um 9 Uhr.", "Herr Weber leitet die Aufsicht.",
			"Das Außenbecken ist sonntags geschlossen.",
		},
		[]string{
			"Samstags öffnet das Bad um 7 Uhr.", "Montags öffnet das Bad um 9 Uhr.", "Frau Sommer leitet die Aufsicht.",
			"Das Außenbecken ist sonntags nicht geschlossen.", "Kinder unter acht Jahren dürfen nie baden.",
		},
	},
	{
		"Price list 2026", "",
		"Article | Price (EUR) | Stock\nImpeller N500 | 48.00 | 12\nFuel filter F20 | 12.50 | 40\nAnode set | 89.00 | 3",
		[]string{"The impeller N500 costs 48.00 EUR.", "There are 40 fuel filters F20 in stock.", "The anode set costs 89 EUR."},
		[]string{"The impeller N500 costs 12.50 EUR.", "There are 12 fuel filters F20 in stock.", "The anode set costs 48.00 EUR."},
	},
	{
		"Release notes", "Panel software",
		"4.1.0 (2025-11-20): Support for panels before hardware revision C is removed.\n" +
			"4.0.0 (2025-06-30): New panel software. Settings of version 3 are kept.\n" +
			"3.9.2 (2024-12-01): The clock no longer stops after a power failure.",
		[]string{
			"Version 4.0.0 was released on 2025-06-30.", "Version 4.1.0 removes support for panels before hardware revision C.",
			"Since 3.9.2, the clock no longer stops after a power failure.",
		},
		[]string{
			"Version 4.1.0 was released on 2025-06-30.", "Version 3.9.2 removes support for panels before hardware revision C.",
			"Settings of version 3 are not kept.", "Version 4.2.0 has new panel software.",
		},
	},
	{
		"Reading room", "Rules",
		"The reading room on the second floor is open from Tuesday to Friday. Ms Okafor answers questions about old newspapers. " +
			"Bags stay in the lockers, which cost 1 EUR. Drinks are allowed only in closed bottles.\n" +
			"Group visits need a reservation at least ten days ahead, by e-mail to rooms@lib.example.",
		[]string{
			"The reading room is on the second floor.", "Ms Okafor answers questions about old newspapers.", "A locker costs 1 EUR.",
			"Group visits need a reservation ten days ahead.", "Reservations go to rooms@lib.example.",
		},
		[]string{
			"The reading room is on the third floor.", "Mr Lindqvist answers questions about old newspapers.", "A locker costs 2 EUR.",
			"Group visits need a reservation two days ahead.", "Group visits need no reservation.", "Reservations go to office@lib.example.",
		},
	},
	{
		"Tarife 2026", "",
		"Tarif | Einzelkarte (EUR) | Zehnerkarte (EUR)\nErwachsene | 5,50 | 49,00\nKinder | 3,00 | 26,00\nFamilien | 12,00 | 108,00",
		[]string{"Die Einzelkarte für Erwachsene kostet 5,50 EUR.", "Die Zehnerkarte für Kinder kostet 26,00 EUR.", "Familien zahlen für die Einzelkarte 12 EUR."},
		[]string{"Die Einzelkarte für Kinder kostet 5,50 EUR.", "Die Zehnerkarte für Erwachsene kostet 26,00 EUR.", "Familien zahlen für die Zehnerkarte 12 EUR."},
	},
	{
		"Boiler B71", "Service",
		"1. Close the valve V2 and wait 15 minutes.\n2. Replace the filter every 6 months and the seal every 24 months.\n" +
			"3. The relief valve opens at 35 bar; do not change this value. Only technicians of Hartwig may open the burner.",
		[]string{
			"Wait 15 minutes after you close the valve V2.", "Replace the filter every 6 months.", "The seal is replaced every 24 months.",
			"The relief valve opens at 35 bar.", "Only technicians of Hartwig may open the burner.",
		},
		[]string{
			"Wait 50 minutes after you close the valve V2.", "Replace the filter every 24 months.", "The seal is replaced every 6 months.",
			"The relief valve opens at 15 bar.", "Close the valve V3 and wait 15 minutes.", "Only technicians of Bosch may open the burner.",
		},
	},
	{
		"Ferry guide", "Sailings",
		"Dogs travel free, except on the evening sailing, when they need a cabin. Captain Eva Lund reports to harbor master Tom Rice.",
		[]string{"Dogs need a cabin on the evening sailing.", "Auf der Abendfahrt brauchen Hunde eine Kabine.", "Captain Lund reports to Tom Rice."},
		[]string{"Dogs always travel free.", "Tom Rice reports to Eva Lund."},
	},
	{
		"Boiler manual", "Pressure",
		"The boiler must be shut off if the pressure rises above 3 bar. Below 1 bar, refill water until the gauge shows 1.5 bar. " +
			"Descale the heat exchanger every 24 months; households with soft water need not do it.",
		[]string{"Refill water when the pressure drops below 1 bar.", "If the pressure is over 3 bar, shut off the boiler."},
		[]string{"Shut off the boiler if the pressure falls below 3 bar.", "All households must descale the heat exchanger."},
	},
	{
		"Ticket sales", "", "Branch | January | February | March\nBergen | 120 | 95 | 140\nOslo | 210 | 180 | 205",
		[]string{"Bergen sold 355 tickets from January to March."},
		[]string{"In February, Bergen sold 180 tickets.", "Oslo sold fewer tickets in March than Bergen."},
	},
}

// TestSupportRoles: a false sentence with the words of its passage is not strong, and a true one is not none.
func TestSupportRoles(t *testing.T) {
	t.Parallel()
	var strong, none, yes, no int
	for i, r := range roles {
		half := "development"
		if i%2 == 1 {
			half = "judging"
		}
		p := passage(1, r.title, r.heading, r.text)
		mark := func(s string) rag.Support { return newChecker(testStatic, []retrieve.Result{p}).support(s, []int{1}) }
		for _, s := range r.yes {
			yes++
			if got := mark(s); got == rag.None {
				none++
				t.Logf("%s, true, %s: %s", half, got, s)
			}
		}
		for _, s := range r.no {
			no++
			if got := mark(s); got == rag.Strong {
				strong++
				t.Logf("%s, false, %s: %s", half, got, s)
			}
		}
	}
	t.Logf("%d of %d false sentences are strong, %d of %d true ones none", strong, no, none, yes)
	if strong > no/10 || none > 0 {
		t.Errorf("%d of %d false sentences are strong, %d of %d true ones none", strong, no, none, yes)
	}
}
