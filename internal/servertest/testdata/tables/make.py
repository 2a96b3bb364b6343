"""Makes the documents of this folder: see README.md."""
import subprocess

import docx
import openpyxl
from docx.oxml import OxmlElement

PLACES = ["feed pump", "main pump", "gearbox", "compressor", "conveyor", "cooling tower", "boiler", "mixer"]
PARTS = ["seal", "bearing", "filter", "belt", "coupling", "gasket", "valve", "hose", "impeller", "sensor", "fan", "nozzle", "drive shaft", "strainer", "plug"]
WORK = ["replace", "grease", "clean", "tighten", "inspect"]
HEAD = ["Part", "Interval", "Work", "Spare part no."]


def rows():
    n = 0
    for place in PLACES:
        for part in PARTS:
            n += 1
            # 4,000 h is the interval of one part only.
            interval = 4000 if n == 77 else 110 + 30 * n
            yield f"{part} of the {place}", interval, WORK[n % len(WORK)], f"P-{1000 + 7 * n}"


def word():
    d = docx.Document()
    d.core_properties.title = "Plant maintenance"
    d.add_heading("Plant maintenance", 1)
    d.add_paragraph("Each part of the plant has an interval after which it needs care.")
    t = d.add_table(1, 4)
    t.style = "Table Grid"
    for cell, text in zip(t.rows[0].cells, HEAD):
        cell.text = text
    # The header row is repeated on each page.
    t.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
    for part, interval, work, number in rows():
        for cell, text in zip(t.add_row().cells, [part, f"{interval:,} h", work, number]):
            cell.text = text
    d.add_paragraph("All other parts last as long as the plant.")
    d.save("plant.docx")


def sheet():
    b = openpyxl.Workbook()
    s = b.active
    s.title = "Plant maintenance"
    s.append(HEAD)
    for row in rows():
        s.append(row)
        s.cell(s.max_row, 2).number_format = '#,##0" h"'
    b.save("plant.xlsx")


word()
sheet()
subprocess.run(["soffice", "--headless", "--convert-to", "pdf", "plant.docx"], check=True)
subprocess.run(["pandoc", "--standalone", "--metadata", "title=Plant maintenance", "-o", "plant.html", "plant.docx"], check=True)
