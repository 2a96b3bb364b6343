#include "textflag.h"

// DOT adds to two sums of a row the products of four of its values and the
// weights in Z24 and Z25.
#define DOT(value, t, low, high) \
	VPBROADCASTD value, t     \
	VPDPBUSD     Z24, t, low  \
	VPDPBUSD     Z25, t, high

// DOTS does so for twelve rows.
#define DOTS(at) \
	VMOVDQU32 (32*at)(DI), Z24 \
	VMOVDQU32 (32*at+64)(DI), Z25 \
	DOT(at(SI), Z26, Z0, Z1) \
	DOT(at(SI)(R8*1), Z27, Z2, Z3) \
	DOT(at(SI)(R8*2), Z28, Z4, Z5) \
	DOT(at(R10), Z29, Z6, Z7) \
	DOT(at(R10)(R8*1), Z26, Z8, Z9) \
	DOT(at(R10)(R8*2), Z27, Z10, Z11) \
	DOT(at(R11), Z28, Z12, Z13) \
	DOT(at(R11)(R8*1), Z29, Z14, Z15) \
	DOT(at(R11)(R8*2), Z26, Z16, Z17) \
	DOT(at(R12), Z27, Z18, Z19) \
	DOT(at(R12)(R8*1), Z28, Z20, Z21) \
	DOT(at(R12)(R8*2), Z29, Z22, Z23)

// CLEAR4 clears four registers.
#define CLEAR4(a, b, c, d) \
	VPXORD a, a, a \
	VPXORD b, b, b \
	VPXORD c, c, c \
	VPXORD d, d, d

// RESULT scales two sums of a row and stores them. R13 points to the row's
// scale and least value.
#define RESULT(row, low, high) \
	VBROADCASTSS (8*row)(R13), Z30   \
	VBROADCASTSS (8*row+4)(R13), Z31 \
	VCVTDQ2PS    low, low            \
	VCVTDQ2PS    high, high          \
	VMULPS       Z24, low, low       \
	VMULPS       Z25, high, high     \
	VFMADD213PS  Z28, Z30, low       \
	VFMADD213PS  Z29, Z30, high      \
	VFMADD231PS  Z26, Z31, low       \
	VFMADD231PS  Z27, Z31, high      \
	VMOVUPS      low, (AX)           \
	VMOVUPS      high, 64(AX)        \
	ADDQ         BX, AX

// func multiply12x32(c *float32, widthC int, q *byte, widthQ int, w *byte, k int, columns *float32, scales *rowScale)
TEXT ·multiply12x32(SB), NOSPLIT, $0-64
	MOVQ c+0(FP), AX
	MOVQ widthC+8(FP), BX
	MOVQ q+16(FP), SI
	MOVQ widthQ+24(FP), R8
	MOVQ w+32(FP), DI
	MOVQ k+40(FP), CX
	MOVQ columns+48(FP), DX
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R9*1), R10
	LEAQ (R10)(R9*1), R11
	LEAQ (R11)(R9*1), R12
	MOVQ scales+56(FP), R13
	CLEAR4(Z0, Z1, Z2, Z3)
	CLEAR4(Z4, Z5, Z6, Z7)
	CLEAR4(Z8, Z9, Z10, Z11)
	CLEAR4(Z12, Z13, Z14, Z15)
	CLEAR4(Z16, Z17, Z18, Z19)
	CLEAR4(Z20, Z21, Z22, Z23)

multiply:
	DOTS(0)
	DOTS(4)
	DOTS(8)
	DOTS(12)
	ADDQ $16, SI
	ADDQ $16, R10
	ADDQ $16, R11
	ADDQ $16, R12
	ADDQ $512, DI
	SUBQ $16, CX
	JNZ  multiply
	VMOVUPS (DX), Z24
	VMOVUPS 64(DX), Z25
	VMOVUPS 128(DX), Z26
	VMOVUPS 192(DX), Z27
	VMOVUPS 256(DX), Z28
	VMOVUPS 320(DX), Z29
	RESULT(0, Z0, Z1)
	RESULT(1, Z2, Z3)
	RESULT(2, Z4, Z5)
	RESULT(3, Z6, Z7)
	RESULT(4, Z8, Z9)
	RESULT(5, Z10, Z11)
	RESULT(6, Z12, Z13)
	RESULT(7, Z14, Z15)
	RESULT(8, Z16, Z17)
	RESULT(9, Z18, Z19)
	RESULT(10, Z20, Z21)
	RESULT(11, Z22, Z23)
	VZEROUPPER
	RET

// FMA adds to two sums of a row the products of one of its values and the
// columns in Z24 and Z25.
#define FMA(value, t, low, high) \
	VBROADCASTSS value, t     \
	VFMADD231PS  Z24, t, low  \
	VFMADD231PS  Z25, t, high

// FMAS does so for twelve rows.
#define FMAS(at) \
	VMOVUPS (32*at)(DI), Z24 \
	VMOVUPS (32*at+64)(DI), Z25 \
	FMA(at(SI), Z26, Z0, Z1) \
	FMA(at(SI)(R8*1), Z27, Z2, Z3) \
	FMA(at(SI)(R8*2), Z28, Z4, Z5) \
	FMA(at(R10), Z29, Z6, Z7) \
	FMA(at(R10)(R8*1), Z26, Z8, Z9) \
	FMA(at(R10)(R8*2), Z27, Z10, Z11) \
	FMA(at(R11), Z28, Z12, Z13) \
	FMA(at(R11)(R8*1), Z29, Z14, Z15) \
	FMA(at(R11)(R8*2), Z26, Z16, Z17) \
	FMA(at(R12), Z27, Z18, Z19) \
	FMA(at(R12)(R8*1), Z28, Z20, Z21) \
	FMA(at(R12)(R8*2), Z29, Z22, Z23)

// STORE stores two sums of a row.
#define STORE(low, high) \
	VMOVUPS low, (AX)    \
	VMOVUPS high, 64(AX) \
	ADDQ    BX, AX

// func product12x32(c *float32, widthC int, a *float32, widthA int, b *float32, k int)
TEXT ·product12x32(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), AX
	MOVQ widthC+8(FP), BX
	MOVQ a+16(FP), SI
	MOVQ widthA+24(FP), R8
	MOVQ b+32(FP), DI
	MOVQ k+40(FP), CX
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R9*1), R10
	LEAQ (R10)(R9*1), R11
	LEAQ (R11)(R9*1), R12
	CLEAR4(Z0, Z1, Z2, Z3)
	CLEAR4(Z4, Z5, Z6, Z7)
	CLEAR4(Z8, Z9, Z10, Z11)
	CLEAR4(Z12, Z13, Z14, Z15)
	CLEAR4(Z16, Z17, Z18, Z19)
	CLEAR4(Z20, Z21, Z22, Z23)

product:
	FMAS(0)
	FMAS(4)
	FMAS(8)
	FMAS(12)
	ADDQ $16, SI
	ADDQ $16, R10
	ADDQ $16, R11
	ADDQ $16, R12
	ADDQ $512, DI
	SUBQ $4, CX
	JNZ  product
	STORE(Z0, Z1)
	STORE(Z2, Z3)
	STORE(Z4, Z5)
	STORE(Z6, Z7)
	STORE(Z8, Z9)
	STORE(Z10, Z11)
	STORE(Z12, Z13)
	STORE(Z14, Z15)
	STORE(Z16, Z17)
	STORE(Z18, Z19)
	STORE(Z20, Z21)
	STORE(Z22, Z23)
	VZEROUPPER
	RET
