package sheet

// MaxColumns is the number of columns of an Excel sheet.
const MaxColumns = 16384

// MaxRows is the number of rows of an Excel sheet.
const MaxRows = 1 << 20

// MaxCells bounds the cells of one workbook.
const MaxCells = 2_000_000

// MaxMerges bounds the merged areas that are read from one sheet.
const MaxMerges = 100_000
