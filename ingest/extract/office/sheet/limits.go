package sheet

// MaxColumns is the number of columns of a sheet in Excel.
const MaxColumns = 16384

// MaxRows is the number of rows of a sheet in Excel.
const MaxRows = 1 << 20

// MaxCells bounds the cells of one workbook.
const MaxCells = 2_000_000

// MaxMerges bounds the merged areas read of one sheet.
const MaxMerges = 100_000
