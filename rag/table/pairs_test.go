package table

import (
	"strings"
	"testing"
)

// courses has seats and bookings, and days of the week.
const courses = `No. | Course | Day | Fee (EUR) | Reduced (EUR) | Seats | Booked
C1 | Pottery | Mon | 96.00 | 72.00 | 10 | 10
C2 | Weaving | Thu | 40.00 | 30.00 | 8 | 5
C3 | Carving | Mon | 55.00 | 41.00 | 12 | 11`

// shelfStock has levels at which goods are reordered.
const shelfStock = `Item | In stock | Reorder at | Supplier
Paper | 40 | 50 | Quill
Tape | 9 | 9 | Bond
Glue | 30 | 12 | Quill`

// hires has prices for members and others, and units.
const hires = `Thing | Unit | Price member (EUR) | Price guest (EUR) | Deposit (EUR)
Hall Mon–Thu | day | 120 | 210 | 200
Hall Fri–Sun | day | 180 | 320 | 300
Saw | 30 min | 12 | 22 | 0
Cleaning of the hall | flat | 85 | 85 | 0`

// bills has amounts without and with tax.
const bills = `Date | By | Kind | Net (EUR) | VAT (EUR) | Gross (EUR) | State
2026-04-03 | Reed | Tools | 100.00 | 20.00 | 120.00 | paid
2026-05-07 | Shaw | Travel | 50.00 | 5.00 | 55.00 | open
2026-05-21 | Reed | Tools | 10.00 | 2.00 | 12.00 | open
2026-06-30 | Reed | Food | 30.00 | 0.00 | 30.00 | paid`

// valley is a timetable. The fast train does not stop everywhere.
const valley = `Stop | T 11 | X 2 | T 13
Aston | 5:12 | 6:48 | 7:12
Beck | 5:30 | \| | 7:31
Cove | 6:17 | 7:38 | 8:21
Dale | 6:30 | 7:50 | 8:33
Elms | 6:41 | 8:01 | 8:44
Runs | Mo–Fr | Mo–Sa | daily`

// TestReadings: questions that compare columns, name a counterpart, multiply, or have words that limit nothing.
func TestReadings(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, question, want string }{
		{"Courses", courses, "which courses are fully booked", "`Booked ≥ Seats`.\nC1"},
		{"Courses", courses, "how many seats are left in Weaving", "`Seats` − `Booked` of `Weaving`: 3."},
		{"Courses", courses, "which courses still have free places", "`Booked < Seats`.\nC2"},
		{"Courses", courses, "what does Weaving cost reduced for three people", "`30.00 EUR` × 3 = 90 EUR."},
		{"Stock", shelfStock, "what do we have to reorder from quill", "`In stock ≤ Reorder at`.\nPaper"},
		{"Stock", shelfStock, "anything running low?", "2 rows"},
		{"Hire", hires, "how much is the saw for someone who is not a member", "`Price guest (EUR)` of `Saw`: `22 EUR`"},
		{"Hire", hires, "price of the saw for members for 2 hours", "`12 EUR` × 4 = 48 EUR."},
		{"Bills", bills, "total of all bills in may incl. vat", "The sum of `Gross (EUR)` in 2 rows is 67 EUR."},
		{"Bills", bills, "how much did reed spend on tools from april till june", "The sum of `Gross (EUR)` in 2 rows is 132 EUR."},
		{"Bills", bills, "how much money is not paid yet", "The sum of `Gross (EUR)` in 2 rows is 67 EUR."},
		{"Bills", bills, "bills from may 2026 or later", "3 rows"},
		{"Valley line", valley, "when does the 7:12 from aston get to cove", "`T 13` of `Cove`: `8:21`."},
		{"Valley line", valley, "what is the earliest train to cove on sundays", "`T 13` of `Cove`: `8:21`."},
		{"Valley line", valley, "which trains dont stop in beck", "`Beck` has no value in 1 columns: `X 2`."},
		{"Hire", hires, "hall on Saturday and cleaning for guests, how much together", "The sum of `Price guest (EUR)` in 2 rows is 405 EUR."},
		{"Bills", bills, "biggest bill, who and what for", "2026-04-03 | Reed | Tools | 100.00 | 20.00 | 120.00 | paid"},
		{"Valley line", valley, "when is the X 2 in cove", "`X 2` of `Cove`: `7:38`."},
	} {
		tables := Parse(row.text, "en")
		all := []Source{{&tables[0], row.name}}
		reply := Ask(row.question, all)
		if got := shown(reply, all); reply.Status != Answered || !strings.Contains(got, row.want) {
			t.Errorf("%s: status %d, %s\nwant %s", row.question, reply.Status, got, row.want)
		}
	}
}
