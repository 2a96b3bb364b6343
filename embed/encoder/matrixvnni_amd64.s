#include "textflag.h"

// DPBUSD adds to the sums in register sum the products of four bytes of a each and the
// weights in w. The arguments are numbers of registers of 256 bits. Go's assembler only
// knows the form of AVX-512 (Intel SDM, VPDPBUSD, VEX.256.66.0F38.W0 50 /r).
#define DPBUSD(w, a, sum) \
	BYTE $0xC4                                               \
	BYTE $((1-((sum)>>3))<<7 | 0x40 | (1-((w)>>3))<<5 | 0x02) \
	BYTE $((15-(a))<<3 | 0x05)                               \
	BYTE $0x50                                               \
	BYTE $(0xC0 | ((sum)&7)<<3 | ((w)&7))

// DOT adds to two sums of a row the products of four of its values and the weights in Y12
// and Y13.
#define DOT(value, t, a, low, high) \
	VPBROADCASTD value, t \
	DPBUSD(12, a, low)    \
	DPBUSD(13, a, high)

// DOTS does so for six rows.
#define DOTS(at) \
	VMOVDQU (32*at)(DI), Y12         \
	VMOVDQU (32*at+32)(DI), Y13      \
	DOT(at(SI), Y14, 14, 0, 1)       \
	DOT(at(SI)(R8*1), Y15, 15, 2, 3) \
	DOT(at(SI)(R8*2), Y14, 14, 4, 5) \
	DOT(at(R10), Y15, 15, 6, 7)      \
	DOT(at(R10)(R8*1), Y14, 14, 8, 9) \
	DOT(at(R10)(R8*2), Y15, 15, 10, 11)

// CLEAR2 clears two registers.
#define CLEAR2(a, b) \
	VPXOR a, a, a \
	VPXOR b, b, b

// RESULT scales two sums of a row and stores them. R13 points to the row's scale and
// least value.
#define RESULT(row, low, high) \
	VCVTDQ2PS    low, low            \
	VCVTDQ2PS    high, high          \
	VMULPS       (DX), low, low      \
	VMULPS       32(DX), high, high  \
	VBROADCASTSS (8*row)(R13), Y12   \
	VBROADCASTSS (8*row+4)(R13), Y13 \
	VFMADD213PS  256(DX), Y12, low   \
	VFMADD213PS  288(DX), Y12, high  \
	VFMADD231PS  128(DX), Y13, low   \
	VFMADD231PS  160(DX), Y13, high  \
	VMOVUPS      low, (AX)           \
	VMOVUPS      high, 32(AX)        \
	ADDQ         BX, AX

// func multiply6x16(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, scales *rowScale)
TEXT ·multiply6x16(SB), NOSPLIT, $0-64
	MOVQ c+0(FP), AX
	MOVQ widthC+8(FP), BX
	MOVQ q+16(FP), SI
	MOVQ widthQ+24(FP), R8
	MOVQ w+32(FP), DI
	MOVQ k+40(FP), CX
	MOVQ columns+48(FP), DX
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R9*1), R10
	MOVQ scales+56(FP), R13
	CLEAR2(Y0, Y1)
	CLEAR2(Y2, Y3)
	CLEAR2(Y4, Y5)
	CLEAR2(Y6, Y7)
	CLEAR2(Y8, Y9)
	CLEAR2(Y10, Y11)

multiply:
	DOTS(0)
	DOTS(4)
	DOTS(8)
	DOTS(12)
	ADDQ $16, SI
	ADDQ $16, R10
	ADDQ $512, DI
	SUBQ $16, CX
	JNZ  multiply
	RESULT(0, Y0, Y1)
	RESULT(1, Y2, Y3)
	RESULT(2, Y4, Y5)
	RESULT(3, Y6, Y7)
	RESULT(4, Y8, Y9)
	RESULT(5, Y10, Y11)
	VZEROUPPER
	RET
