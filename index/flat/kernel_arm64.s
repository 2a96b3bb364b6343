#include "textflag.h"

// SDOT adds to each element of d four products of signed bytes. Go's assembler
// lacks it. The arguments are register numbers.
#define SDOT(m, n, d) WORD $(0x4e809400 | (m)<<16 | (n)<<5 | (d))

// DOT64 adds the products of 64 bytes of a row.
#define DOT64(row, sum) \
	VLD1.P 64(row), [V20.B16, V21.B16, V22.B16, V23.B16] \
	SDOT(16, 20, sum) \
	SDOT(17, 21, sum) \
	SDOT(18, 22, sum) \
	SDOT(19, 23, sum)

// func dotsNEON(dst *int32, query, rows *int8, width, n int)
TEXT ·dotsNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD query+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD width+24(FP), R3
	MOVD n+32(FP), R4

rows:
	ADD  R3, R2, R5
	ADD  R3, R5, R6
	ADD  R3, R6, R7
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD R1, R8
	MOVD R3, R9

bytes:
	VLD1.P 64(R8), [V16.B16, V17.B16, V18.B16, V19.B16]
	DOT64(R2, 0)
	DOT64(R5, 1)
	DOT64(R6, 2)
	DOT64(R7, 3)
	SUBS   $64, R9
	BNE    bytes

	VADDP V1.S4, V0.S4, V0.S4
	VADDP V3.S4, V2.S4, V2.S4
	VADDP V2.S4, V0.S4, V0.S4
	VST1.P [V0.S4], 16(R0)
	MOVD  R7, R2
	SUBS  $4, R4
	BNE   rows
	RET
