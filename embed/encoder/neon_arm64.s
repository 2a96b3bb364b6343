#include "textflag.h"

// Instructions that Go's assembler lacks, all on four elements of 32 bits. The
// arguments are register numbers in the order of Go's assembler: the last one is
// the result.
#define MULF(m, n, d) WORD $(0x6e20dc00 | (m)<<16 | (n)<<5 | (d))
#define ADDF(m, n, d) WORD $(0x4e20d400 | (m)<<16 | (n)<<5 | (d))
// SUBF sets d to n-m, and DIVF to n/m.
#define SUBF(m, n, d) WORD $(0x4ea0d400 | (m)<<16 | (n)<<5 | (d))
#define DIVF(m, n, d) WORD $(0x6e20fc00 | (m)<<16 | (n)<<5 | (d))
#define MAXF(m, n, d) WORD $(0x4e20f400 | (m)<<16 | (n)<<5 | (d))
#define MINF(m, n, d) WORD $(0x4ea0f400 | (m)<<16 | (n)<<5 | (d))
// MLAF adds n*m to d, and MLSF subtracts it.
#define MLAF(m, n, d) WORD $(0x4e20cc00 | (m)<<16 | (n)<<5 | (d))
#define MLSF(m, n, d) WORD $(0x4ea0cc00 | (m)<<16 | (n)<<5 | (d))
// PAIRF adds neighbors: twice makes all elements the sum.
#define PAIRF(m, n, d) WORD $(0x6e20d400 | (m)<<16 | (n)<<5 | (d))
#define ABSF(n, d) WORD $(0x4ea0f800 | (n)<<5 | (d))
// GREATEST and SMALLEST reduce to the first element of d.
#define GREATEST(n, d) WORD $(0x6e30f800 | (n)<<5 | (d))
#define SMALLEST(n, d) WORD $(0x6eb0f800 | (n)<<5 | (d))
#define ROUNDF(n, d) WORD $(0x4e21a800 | (n)<<5 | (d))
#define TRUNCATEF(n, d) WORD $(0x4ea1b800 | (n)<<5 | (d))
#define TOFLOAT(n, d) WORD $(0x4e21d800 | (n)<<5 | (d))
#define SHIFT(by, n, d) WORD $(0x4f005400 | (32+(by))<<16 | (n)<<5 | (d))
// MLAE adds n times element i of m to d.
#define MLAE(i, m, n, d) WORD $(0x4f801000 | ((i)&1)<<21 | (m)<<16 | ((i)>>1)<<11 | (n)<<5 | (d))
// DOTE adds to each element of d the product of the four bytes of n in its place
// and those of element i of m.
#define DOTE(i, m, n, d) WORD $(0x4f80e000 | ((i)&1)<<21 | (m)<<16 | ((i)>>1)<<11 | (n)<<5 | (d))
// NARROW4 and NARROW4B narrow to the lower and the upper half of eight words;
// NARROW8 and NARROW8B to those of sixteen bytes.
#define NARROW4(n, d) WORD $(0x0e612800 | (n)<<5 | (d))
#define NARROW4B(n, d) WORD $(0x4e612800 | (n)<<5 | (d))
#define NARROW8(n, d) WORD $(0x0e212800 | (n)<<5 | (d))
#define NARROW8B(n, d) WORD $(0x4e212800 | (n)<<5 | (d))

// DOTS multiplies four inputs of four rows, element i of V16 to V19, with the
// weights of 16 outputs.
#define DOTS(i) \
	VLD1 (R4), [V20.B16, V21.B16, V22.B16, V23.B16] \
	ADD  $128, R4       \
	DOTE(i, 16, 20, 0)  \
	DOTE(i, 16, 21, 1)  \
	DOTE(i, 16, 22, 2)  \
	DOTE(i, 16, 23, 3)  \
	DOTE(i, 17, 20, 4)  \
	DOTE(i, 17, 21, 5)  \
	DOTE(i, 17, 22, 6)  \
	DOTE(i, 17, 23, 7)  \
	DOTE(i, 18, 20, 8)  \
	DOTE(i, 18, 21, 9)  \
	DOTE(i, 18, 22, 10) \
	DOTE(i, 18, 23, 11) \
	DOTE(i, 19, 20, 12) \
	DOTE(i, 19, 21, 13) \
	DOTE(i, 19, 22, 14) \
	DOTE(i, 19, 23, 15)

// RESULT scales the four sums of a row, a to d, and stores them. V16 to V27 hold
// the scales, shifts, and biases of the columns. V28 gets the scale and the least
// value of the row.
#define RESULT(a, b, c, d) \
	VLD1.P 8(R8), [V28.S2]  \
	TOFLOAT(a, a)           \
	TOFLOAT(b, b)           \
	TOFLOAT(c, c)           \
	TOFLOAT(d, d)           \
	MULF(16, a, a)          \
	MULF(17, b, b)          \
	MULF(18, c, c)          \
	MULF(19, d, d)          \
	VMOV V24.B16, V29.B16   \
	MLAE(1, 28, 20, 29)     \
	MLAE(0, 28, a, 29)      \
	FMOVQ F29, (R0)         \
	VMOV V25.B16, V30.B16   \
	MLAE(1, 28, 21, 30)     \
	MLAE(0, 28, b, 30)      \
	FMOVQ F30, 16(R0)       \
	VMOV V26.B16, V31.B16   \
	MLAE(1, 28, 22, 31)     \
	MLAE(0, 28, c, 31)      \
	FMOVQ F31, 32(R0)       \
	VMOV V27.B16, V29.B16   \
	MLAE(1, 28, 23, 29)     \
	MLAE(0, 28, d, 29)      \
	FMOVQ F29, 48(R0)       \
	ADD  R1, R0

// COPY4 copies V0 to V3 to four other registers.
#define COPY4(a, b, c, d) \
	VMOV V0.B16, a.B16 \
	VMOV V1.B16, b.B16 \
	VMOV V2.B16, c.B16 \
	VMOV V3.B16, d.B16

// func multiply4x16(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, sums *int32, scales *rowScale)
//
// The values in q are less by 128 than they should be, so that they fit int8. The
// sums begin with 128 times the sum of the weights to make up for that.
TEXT ·multiply4x16(SB), NOSPLIT, $0-72
	MOVD c+0(FP), R0
	MOVD widthC+8(FP), R1
	MOVD q+16(FP), R2
	MOVD widthQ+24(FP), R3
	MOVD w+32(FP), R4
	MOVD k+40(FP), R5
	MOVD columns+48(FP), R6
	MOVD sums+56(FP), R7
	MOVD scales+64(FP), R8
	ADD  R3, R2, R9
	ADD  R3, R9, R10
	ADD  R3, R10, R11
	VLD1 (R7), [V0.S4, V1.S4, V2.S4, V3.S4]
	SHIFT(7, 0, 0)
	SHIFT(7, 1, 1)
	SHIFT(7, 2, 2)
	SHIFT(7, 3, 3)
	COPY4(V4, V5, V6, V7)
	COPY4(V8, V9, V10, V11)
	COPY4(V12, V13, V14, V15)

multiply:
	VLD1.P 16(R2), [V16.B16]
	VLD1.P 16(R9), [V17.B16]
	VLD1.P 16(R10), [V18.B16]
	VLD1.P 16(R11), [V19.B16]
	DOTS(0)
	DOTS(1)
	DOTS(2)
	DOTS(3)
	SUBS   $16, R5
	BNE    multiply
	VLD1   (R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	ADD    $128, R6
	VLD1   (R6), [V20.S4, V21.S4, V22.S4, V23.S4]
	ADD    $128, R6
	VLD1   (R6), [V24.S4, V25.S4, V26.S4, V27.S4]
	RESULT(0, 1, 2, 3)
	RESULT(4, 5, 6, 7)
	RESULT(8, 9, 10, 11)
	RESULT(12, 13, 14, 15)
	RET

// FMAS multiplies one value of four rows, element i of V16 to V19, with 16
// columns.
#define FMAS(i) \
	VLD1 (R4), [V20.S4, V21.S4, V22.S4, V23.S4] \
	ADD  $128, R4       \
	MLAE(i, 16, 20, 0)  \
	MLAE(i, 16, 21, 1)  \
	MLAE(i, 16, 22, 2)  \
	MLAE(i, 16, 23, 3)  \
	MLAE(i, 17, 20, 4)  \
	MLAE(i, 17, 21, 5)  \
	MLAE(i, 17, 22, 6)  \
	MLAE(i, 17, 23, 7)  \
	MLAE(i, 18, 20, 8)  \
	MLAE(i, 18, 21, 9)  \
	MLAE(i, 18, 22, 10) \
	MLAE(i, 18, 23, 11) \
	MLAE(i, 19, 20, 12) \
	MLAE(i, 19, 21, 13) \
	MLAE(i, 19, 22, 14) \
	MLAE(i, 19, 23, 15)

// func product4x16(c *float32, widthC int, a *float32, widthA int, b *float32, k int)
TEXT ·product4x16(SB), NOSPLIT, $0-48
	MOVD c+0(FP), R0
	MOVD widthC+8(FP), R1
	MOVD a+16(FP), R2
	MOVD widthA+24(FP), R3
	MOVD b+32(FP), R4
	MOVD k+40(FP), R5
	ADD  R3, R2, R9
	ADD  R3, R9, R10
	ADD  R3, R10, R11
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	COPY4(V4, V5, V6, V7)
	COPY4(V8, V9, V10, V11)
	COPY4(V12, V13, V14, V15)

product:
	VLD1.P 16(R2), [V16.S4]
	VLD1.P 16(R9), [V17.S4]
	VLD1.P 16(R10), [V18.S4]
	VLD1.P 16(R11), [V19.S4]
	FMAS(0)
	FMAS(1)
	FMAS(2)
	FMAS(3)
	SUBS   $4, R5
	BNE    product
	VST1   [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
	ADD    R1, R0
	VST1   [V4.S4, V5.S4, V6.S4, V7.S4], (R0)
	ADD    R1, R0
	VST1   [V8.S4, V9.S4, V10.S4, V11.S4], (R0)
	ADD    R1, R0
	VST1   [V12.S4, V13.S4, V14.S4, V15.S4], (R0)
	RET

// CONSTANTS loads the constants of EXP to V16 to V26. R3 points to those of
// constants.go.
#define CONSTANTS \
	FMOVQ 0(R3), F16   \
	FMOVQ 64(R3), F17  \
	FMOVQ 128(R3), F18 \
	FMOVQ 192(R3), F19 \
	FMOVQ 256(R3), F20 \
	FMOVQ 320(R3), F21 \
	FMOVQ 384(R3), F22 \
	FMOVQ 448(R3), F23 \
	FMOVQ 512(R3), F24 \
	FMOVQ 576(R3), F25 \
	FMOVQ 640(R3), F26

// EXP sets V1 to exp(V1) for V1 <= 0. It destroys V2 to V4.
#define EXP \
	MAXF(26, 1, 1)       \
	MULF(16, 1, 2)       \
	ROUNDF(2, 2)         \
	TOFLOAT(2, 3)        \
	MLAF(17, 3, 1)       \
	MLAF(18, 3, 1)       \
	SHIFT(23, 2, 2)      \
	VMOV V20.B16, V4.B16 \
	MLAF(19, 1, 4)       \
	VMOV V21.B16, V3.B16 \
	MLAF(4, 1, 3)        \
	VMOV V22.B16, V4.B16 \
	MLAF(3, 1, 4)        \
	VMOV V23.B16, V3.B16 \
	MLAF(4, 1, 3)        \
	VMOV V24.B16, V4.B16 \
	MLAF(3, 1, 4)        \
	MULF(4, 1, 4)        \
	VMOV V1.B16, V3.B16  \
	MLAF(4, 1, 3)        \
	ADDF(25, 3, 3)       \
	VADD V2.S4, V3.S4, V1.S4

// func softmaxNEON(p *float32, width, rows int, t *table)
TEXT ·softmaxNEON(SB), NOSPLIT, $0-32
	MOVD p+0(FP), R0
	MOVD width+8(FP), R1
	LSL  $2, R1
	MOVD rows+16(FP), R2
	MOVD t+24(FP), R3
	CONSTANTS

row:
	ADD   R0, R1, R5
	MOVD  R0, R4
	FMOVQ (R4), F0

most:
	VLD1.P 16(R4), [V1.S4]
	MAXF(1, 0, 0)
	CMP    R5, R4
	BNE    most
	GREATEST(0, 0)
	VDUP   V0.S[0], V0.S4
	VEOR   V5.B16, V5.B16, V5.B16
	MOVD   R0, R4

exp:
	FMOVQ  (R4), F1
	SUBF(0, 1, 1)
	EXP
	ADDF(1, 5, 5)
	VST1.P [V1.S4], 16(R4)
	CMP    R5, R4
	BNE    exp
	PAIRF(5, 5, 5)
	PAIRF(5, 5, 5)
	DIVF(5, 25, 5)
	MOVD   R0, R4

scale:
	FMOVQ  (R4), F1
	MULF(5, 1, 1)
	VST1.P [V1.S4], 16(R4)
	CMP    R5, R4
	BNE    scale
	MOVD   R5, R0
	SUBS   $1, R2
	BNE    row
	RET

// func geluNEON(x *float32, n int, t *table)
//
// gelu(x) = max(x, 0) - |x| erfc(|x|/sqrt(2)) / 2.
TEXT ·geluNEON(SB), NOSPLIT, $0-24
	MOVD  x+0(FP), R0
	MOVD  n+8(FP), R1
	MOVD  t+16(FP), R3
	CONSTANTS
	FMOVQ 704(R3), F10
	FMOVQ 768(R3), F28
	FMOVQ 832(R3), F11
	FMOVQ 896(R3), F12
	FMOVQ 960(R3), F13
	FMOVQ 1024(R3), F14
	FMOVQ 1088(R3), F15
	FMOVQ 1152(R3), F29
	VEOR  V30.B16, V30.B16, V30.B16

gelu:
	FMOVQ  (R0), F0
	ABSF(0, 5)
	MULF(10, 5, 6)
	VMOV   V25.B16, V7.B16
	MLAF(28, 6, 7)
	DIVF(7, 25, 7)
	VMOV   V12.B16, V8.B16
	MLAF(11, 7, 8)
	VMOV   V13.B16, V9.B16
	MLAF(8, 7, 9)
	VMOV   V14.B16, V8.B16
	MLAF(9, 7, 8)
	VMOV   V15.B16, V9.B16
	MLAF(8, 7, 9)
	MULF(7, 9, 9)
	MULF(6, 6, 1)
	SUBF(1, 30, 1)
	EXP
	MULF(1, 9, 9)
	MULF(5, 9, 9)
	MAXF(30, 0, 0)
	MLSF(29, 9, 0)
	VST1.P [V0.S4], 16(R0)
	SUBS   $4, R1
	BNE    gelu
	RET

// func addNormNEON(x, y, gain, bias *float32, rows int)
TEXT ·addNormNEON(SB), NOSPLIT, $0-40
	MOVD  x+0(FP), R0
	MOVD  y+8(FP), R1
	MOVD  gain+16(FP), R2
	MOVD  bias+24(FP), R3
	MOVD  rows+32(FP), R8
	// 1/384 and 1e-12
	MOVD  $0x3b2aaaab, R9
	FMOVS R9, F16
	VDUP  V16.S[0], V16.S4
	MOVD  $0x2b8cbccc, R9
	FMOVS R9, F17
	FMOVS $1.0, F18

row:
	ADD  $1536, R0, R5
	MOVD R0, R4
	VEOR V0.B16, V0.B16, V0.B16

add:
	FMOVQ  (R4), F1
	VLD1.P 16(R1), [V2.S4]
	ADDF(2, 1, 1)
	ADDF(1, 0, 0)
	VST1.P [V1.S4], 16(R4)
	CMP    R5, R4
	BNE    add
	PAIRF(0, 0, 0)
	PAIRF(0, 0, 0)
	MULF(16, 0, 0)
	VEOR   V3.B16, V3.B16, V3.B16
	MOVD   R0, R4

square:
	VLD1.P 16(R4), [V1.S4]
	SUBF(0, 1, 1)
	MLAF(1, 1, 3)
	CMP    R5, R4
	BNE    square
	PAIRF(3, 3, 3)
	PAIRF(3, 3, 3)
	MULF(16, 3, 3)
	FADDS  F17, F3, F3
	FSQRTS F3, F3
	FDIVS  F3, F18, F3
	VDUP   V3.S[0], V3.S4
	MOVD   R0, R4
	MOVD   R2, R6
	MOVD   R3, R7

norm:
	FMOVQ  (R4), F1
	SUBF(0, 1, 1)
	MULF(3, 1, 1)
	VLD1.P 16(R6), [V4.S4]
	VLD1.P 16(R7), [V5.S4]
	MLAF(4, 1, 5)
	VST1.P [V5.S4], 16(R4)
	CMP    R5, R4
	BNE    norm
	MOVD   R5, R0
	SUBS   $1, R8
	BNE    row
	RET

// INPUT sets x, register number, to the next four values. It destroys V6 and V7.
#define INPUT(x, number) \
	VLD1.P 16(R9), [V6.S4]  \
	VLD1.P 16(R10), [V7.S4] \
	VLD1.P 16(R11), [x.S4]  \
	MLAF(6, 7, number)

// func quantizeNEON(q *byte, scales *rowScale, x, gain, bias *float32, k, rows int, t *table)
//
// The first pass looks for the least and the greatest value, the second stores
// the values less 128.
TEXT ·quantizeNEON(SB), NOSPLIT, $0-64
	MOVD  q+0(FP), R0
	MOVD  scales+8(FP), R1
	MOVD  x+16(FP), R2
	MOVD  gain+24(FP), R3
	MOVD  bias+32(FP), R4
	MOVD  k+40(FP), R5
	LSL   $2, R5
	MOVD  rows+48(FP), R6
	MOVD  t+56(FP), R7
	FMOVQ 1152(R7), F20
	FMOVQ 1216(R7), F21
	MOVD  $0x1e3ce508, R8 // 1e-20
	FMOVS R8, F22
	MOVD  $0x80, R8
	VDUP  R8, V23.B16

row:
	ADD  R2, R5, R8
	MOVD R2, R9
	MOVD R3, R10
	MOVD R4, R11
	INPUT(V0, 0)
	VMOV V0.B16, V1.B16

span:
	INPUT(V2, 2)
	MINF(2, 0, 0)
	MAXF(2, 1, 1)
	CMP   R8, R9
	BNE   span
	SMALLEST(0, 0)
	GREATEST(1, 1)
	FSUBS F0, F1, F1
	FMAXS F22, F1, F1
	FDIVS F21, F1, F2
	FDIVS F1, F21, F1
	FMOVS F2, (R1)
	FMOVS F0, 4(R1)
	ADD   $8, R1
	VDUP  V0.S[0], V0.S4
	VDUP  V1.S[0], V1.S4
	MOVD  R2, R9
	MOVD  R3, R10
	MOVD  R4, R11

store:
	INPUT(V2, 2)
	INPUT(V3, 3)
	INPUT(V4, 4)
	INPUT(V5, 5)
	SUBF(0, 2, 2)
	SUBF(0, 3, 3)
	SUBF(0, 4, 4)
	SUBF(0, 5, 5)
	VMOV V20.B16, V16.B16
	VMOV V20.B16, V17.B16
	VMOV V20.B16, V18.B16
	VMOV V20.B16, V19.B16
	MLAF(1, 2, 16)
	MLAF(1, 3, 17)
	MLAF(1, 4, 18)
	MLAF(1, 5, 19)
	TRUNCATEF(16, 16)
	TRUNCATEF(17, 17)
	TRUNCATEF(18, 18)
	TRUNCATEF(19, 19)
	NARROW4(16, 24)
	NARROW4B(17, 24)
	NARROW4(18, 25)
	NARROW4B(19, 25)
	NARROW8(24, 26)
	NARROW8B(25, 26)
	VEOR   V23.B16, V26.B16, V26.B16
	VST1.P [V26.B16], 16(R0)
	CMP    R8, R9
	BNE    store
	MOVD   R8, R2
	SUBS   $1, R6
	BNE    row
	RET
