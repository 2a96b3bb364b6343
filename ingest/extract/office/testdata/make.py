"""Makes the test documents of this folder: see README.md."""
import datetime
import io
import struct
import subprocess
import zlib

import docx
import openpyxl
import pptx
from openpyxl.styles import Font
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches


def png():
    """A picture of one white dot."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\xff")) + chunk(b"IEND", b""))


def deck():
    p = pptx.Presentation()
    p.core_properties.title = "PowerPoint Presentation"
    s = p.slides.add_slide(p.slide_layouts[0])
    s.shapes.title.text = "Pump P-7"
    s.placeholders[1].text = "Training for operators"
    s = p.slides.add_slide(p.slide_layouts[5])
    box = s.shapes.add_textbox(Inches(5), Inches(4), Inches(3), Inches(1))
    box.text_frame.text = "Below on the right"
    box = s.shapes.add_textbox(Inches(1), Inches(4.1), Inches(3), Inches(1))
    box.text_frame.text = "Below on the left"
    box = s.shapes.add_textbox(Inches(1), Inches(2), Inches(3), Inches(1))
    box.text_frame.text = "Größe: 40 × 60 cm, 5 m"
    run = box.text_frame.paragraphs[0].add_run()
    run.text = "2"
    run.font._element.set("baseline", "30000")
    s.shapes.title.text = "Placing"
    pic = s.shapes.add_picture(png(), Inches(1), Inches(6))
    pic._element.nvPicPr.cNvPr.set("descr", "The pump on a level floor")
    s.notes_slide.notes_text_frame.text = "Show the spirit level."
    s = p.slides.add_slide(p.slide_layouts[1])
    s.shapes.title.text = "Steps"
    f = s.placeholders[1].text_frame
    f.text = "Unpack the pump"
    f.add_paragraph().text = "Fill it with oil"
    t = s.shapes.add_table(3, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for i, text in enumerate(["Part", "Interval", "Seal", "4,000 h", "Oil", "500 h"]):
        t.cell(i // 2, i % 2).text = text
    s = p.slides.add_slide(p.slide_layouts[5])
    s.shapes.title.text = "Hidden"
    s._element.set("show", "0")
    s = p.slides.add_slide(p.slide_layouts[5])
    s.shapes.title.text = "Wear"
    data = CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("Seals", (12, 7.5))
    s.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(5), Inches(4), data)
    g = s.shapes.add_group_shape()
    g.shapes.add_textbox(Inches(1), Inches(7), Inches(3), Inches(1)).text_frame.text = "In a group"
    p.save("deck.pptx")


def book():
    b = openpyxl.Workbook()
    s = b.active
    s.title = "Parts"
    s["B2"] = "Spare parts of the pump"
    rows = [
        ["Part", "Ordered", "Price", "Share", "In stock", "Weight"],
        ["Seal", datetime.date(2024, 1, 31), 1234.5, 0.256, True, 0.1],
        ["Valve", datetime.datetime(2024, 2, 29, 14, 30), -99, 1, False, 1 / 3],
        ["Bolt", datetime.time(7, 5), 1e6, 0, True, 12],
    ]
    for r, row in enumerate(rows, 3):
        for c, v in enumerate(row, 2):
            s.cell(r, c, v)
    for r in range(4, 7):
        s.cell(r, 4).number_format = '#,##0.00 "€"'
        s.cell(r, 5).number_format = "0.0%"
    s["C4"].number_format = "DD.MM.YYYY"
    s["A9"], s["B9"] = "Second", "table"
    s["A10"], s["B10"] = "x", "=1/0"
    s.row_dimensions[11].hidden = True
    s["A11"] = "hidden row"
    s.column_dimensions["H"].hidden = True
    s["H4"] = "hidden column"
    s["A13"], s["B13"] = "Group", "Member"
    s["A14"], s["B14"], s["B15"] = "Rotor", "shaft", "blade"
    s.merge_cells("A14:A15")
    s["A13"].font = Font(bold=True)
    h = b.create_sheet("Secret")
    h["A1"] = "hidden sheet"
    h.sheet_state = "hidden"
    t = b.create_sheet("Notes")
    t["A1"] = "One cell of text."
    b.save("book.xlsx")


def sheets():
    b = openpyxl.Workbook()
    b.active.title = "Pumps"
    b.active["A1"] = "The pump runs at 40 bar."
    for name, text, state in [
        ("Secret", "hidden sheet", "hidden"),
        ("Blank", None, "visible"),
        ("Valves", "The valve opens at 3 bar.", "visible"),
        ("Wages", "hidden sheet", "veryHidden"),
        ("Motors", "The motor has 5 kW.", "visible"),
    ]:
        s = b.create_sheet(name)
        s["A1"] = text
        s.sheet_state = state
    b.save("sheets.xlsx")


def manual():
    d = docx.Document()
    d.core_properties.title = ""
    d.sections[0].header.paragraphs[0].text = "ACME Pumps"
    d.sections[0].footer.paragraphs[0].text = "Confidential"
    d.add_heading("Pump manual", 0)
    d.add_heading("Installation", 1)
    p = d.add_paragraph("The area is 5 m")
    p.add_run("2").font.superscript = True
    p.add_run(" of CO")
    p.add_run("2").font.subscript = True
    p.add_run(", Größe × 2, Насос, ポンプ.")
    for text in ["Unpack the pump", "Fill it with oil"]:
        d.add_paragraph(text, style="List Number")
    for text in ["Spare seal", "Spare valve"]:
        d.add_paragraph(text, style="List Bullet")
    d.add_heading("Settings", 2)
    t = d.add_table(3, 3)
    for i, text in enumerate(["Name", "Default", "Meaning", "pressure", "4 bar", "the working pressure", "", "6 bar", "the most"]):
        t.cell(i // 3, i % 3).text = text
    t.cell(1, 0).merge(t.cell(2, 0))
    p = d.add_paragraph("A picture: ")
    p.add_run().add_picture(png())
    d.element.body.xpath(".//wp:docPr")[0].set("descr", "The pump from the side")
    d.add_paragraph("The end.")
    d.save("manual.docx")


def convert(kind, *files):
    subprocess.run(["soffice", "--headless", "--convert-to", kind, *files], check=True)


if __name__ == "__main__":
    deck()
    book()
    sheets()
    manual()
    convert("odp", "deck.pptx")
    convert("ods", "book.xlsx")
    convert("ods", "sheets.xlsx")
    convert("xlsx", "sheets.ods")
    convert("odt", "manual.docx")
    convert("rtf", "manual.docx")
    convert("doc", "manual.docx")
    convert("xls", "book.xlsx")
