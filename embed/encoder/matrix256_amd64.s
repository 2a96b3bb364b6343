#include "textflag.h"

// CLEAR2 clears two registers.
#define CLEAR2(a, b) \
	VPXOR a, a, a \
	VPXOR b, b, b

// DOT adds to two sums of a row the products of four of its values and the
// weights in Y12 and Y13. An element of a sum belongs to two of the four values.
#define DOT(value, low, high) \
	VPBROADCASTQ value, Y14       \
	VPMADDWD     Y12, Y14, Y15    \
	VPMADDWD     Y13, Y14, Y14    \
	VPADDD       Y15, low, low    \
	VPADDD       Y14, high, high

// DOTS does so for six rows.
#define DOTS(at) \
	VPMOVSXBW (16*at)(DI), Y12    \
	VPMOVSXBW (16*at+16)(DI), Y13 \
	DOT(at(SI), Y0, Y1)           \
	DOT(at(SI)(R8*1), Y2, Y3)     \
	DOT(at(SI)(R8*2), Y4, Y5)     \
	DOT(at(R10), Y6, Y7)          \
	DOT(at(R10)(R8*1), Y8, Y9)    \
	DOT(at(R10)(R8*2), Y10, Y11)

// RESULT scales the sums of a row and stores them. R13 points to the row's scale
// and least value.
#define RESULT(row, low, high) \
	VPHADDD      high, low, low      \
	VPERMQ       $0xD8, low, low     \
	VCVTDQ2PS    low, low            \
	VMULPS       (DX), low, low      \
	VBROADCASTSS (8*row)(R13), Y12   \
	VBROADCASTSS (8*row+4)(R13), Y13 \
	VFMADD213PS  256(DX), Y12, low   \
	VFMADD231PS  128(DX), Y13, low   \
	VMOVUPS      low, (AX)           \
	ADDQ         BX, AX

// func multiply6x8(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, scales *rowScale)
TEXT ·multiply6x8(SB), NOSPLIT, $0-64
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
	DOTS(8)
	ADDQ $16, SI
	ADDQ $16, R10
	ADDQ $256, DI
	SUBQ $8, CX
	JNZ  multiply
	RESULT(0, Y0, Y1)
	RESULT(1, Y2, Y3)
	RESULT(2, Y4, Y5)
	RESULT(3, Y6, Y7)
	RESULT(4, Y8, Y9)
	RESULT(5, Y10, Y11)
	VZEROUPPER
	RET

// FMA adds to two sums of a row the products of one of its values and the
// columns in Y12 and Y13.
#define FMA(value, t, low, high) \
	VBROADCASTSS value, t     \
	VFMADD231PS  Y12, t, low  \
	VFMADD231PS  Y13, t, high

// FMAS does so for six rows.
#define FMAS(at) \
	VMOVUPS (32*at)(DI), Y12          \
	VMOVUPS (32*at+32)(DI), Y13       \
	FMA(at(SI), Y14, Y0, Y1)          \
	FMA(at(SI)(R8*1), Y15, Y2, Y3)    \
	FMA(at(SI)(R8*2), Y14, Y4, Y5)    \
	FMA(at(R10), Y15, Y6, Y7)         \
	FMA(at(R10)(R8*1), Y14, Y8, Y9)   \
	FMA(at(R10)(R8*2), Y15, Y10, Y11)

// STORE stores two sums of a row.
#define STORE(low, high) \
	VMOVUPS low, (AX)    \
	VMOVUPS high, 32(AX) \
	ADDQ    BX, AX

// func product6x16(c *float32, widthC int, a *float32, widthA int, b *float32, k int)
TEXT ·product6x16(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), AX
	MOVQ widthC+8(FP), BX
	MOVQ a+16(FP), SI
	MOVQ widthA+24(FP), R8
	MOVQ b+32(FP), DI
	MOVQ k+40(FP), CX
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R9*1), R10
	CLEAR2(Y0, Y1)
	CLEAR2(Y2, Y3)
	CLEAR2(Y4, Y5)
	CLEAR2(Y6, Y7)
	CLEAR2(Y8, Y9)
	CLEAR2(Y10, Y11)

product:
	FMAS(0)
	FMAS(4)
	FMAS(8)
	FMAS(12)
	ADDQ $16, SI
	ADDQ $16, R10
	ADDQ $512, DI
	SUBQ $4, CX
	JNZ  product
	STORE(Y0, Y1)
	STORE(Y2, Y3)
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)
	VZEROUPPER
	RET
