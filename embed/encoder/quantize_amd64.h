// The function quantize, with the registers of vector_amd64.h. The including file
// defines PACK, which stores V4 and V5.

// func quantize(q *byte, scales *rowScale, x, gain, bias *float32, k, rows int, t *table)
//
// The first pass looks for the least and the greatest value, the second stores.
TEXT QUANTIZE(SB), NOSPLIT, $0-64
	MOVQ q+0(FP), DI
	MOVQ scales+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ gain+24(FP), R10
	MOVQ bias+32(FP), R11
	MOVQ k+40(FP), R8
	SHLQ $2, R8
	MOVQ rows+48(FP), CX
	MOVQ t+56(FP), BX

row:
	VMOVUPS     (SI), V0
	VMOVUPS     (R10), V3
	VFMADD213PS (R11), V3, V0
	VMOVUPS     V0, V1
	XORQ        AX, AX

span:
	VMOVUPS     (SI)(AX*1), V2
	VMOVUPS     (R10)(AX*1), V3
	VFMADD213PS (R11)(AX*1), V3, V2
	VMINPS  V2, V0, V0
	VMAXPS  V2, V1, V1
	ADDQ    $W, AX
	CMPQ    AX, R8
	JLT     span
	REDUCE(VMINPS, V0, H0, Q0)
	REDUCE(VMAXPS, V1, H1, Q1)
	VMOVSS  Q0, 4(DX)
	VSUBSS  Q0, Q1, Q1
	MOVL    $0x1e3ce508, AX // 1e-20
	VMOVD   AX, Q2
	VMAXSS  Q2, Q1, Q1
	VMOVSS  LEVELS, Q2
	VDIVSS  Q2, Q1, Q3
	VMOVSS  Q3, (DX)
	VDIVSS  Q1, Q2, Q1
	VBROADCASTSS Q0, V0
	VBROADCASTSS Q1, V1
	ADDQ    $8, DX
	XORQ    AX, AX

store:
	VMOVUPS     (SI)(AX*1), V2
	VMOVUPS     W(SI)(AX*1), V3
	VMOVUPS     (R10)(AX*1), V4
	VMOVUPS     W(R10)(AX*1), V5
	VFMADD213PS (R11)(AX*1), V4, V2
	VFMADD213PS W(R11)(AX*1), V5, V3
	VSUBPS      V0, V2, V2
	VSUBPS      V0, V3, V3
	VMOVUPS     HALF, V4
	VMOVUPS     V4, V5
	VFMADD231PS V1, V2, V4
	VFMADD231PS V1, V3, V5
	VCVTTPS2DQ  V4, V4
	VCVTTPS2DQ  V5, V5
	PACK
	ADDQ        $(2*W), AX
	CMPQ        AX, R8
	JLT         store
	ADDQ        R8, SI
	DECQ        CX
	JNZ         row
	VZEROUPPER
	RET
