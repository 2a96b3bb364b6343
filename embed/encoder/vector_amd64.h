// Functions over rows of float32, for 512 and 256 bits. The including file
// defines the registers V0 to V7 with their halves (H0 to H3 of 256 bits, Q0 to
// Q3 of 128), the width W in bytes, and the differences in instructions.
//
// BX points to the constants of constants.go.

#define LOG2E    0(BX)
#define LN2HI   64(BX)
#define LN2LO  128(BX)
#define EXP0   192(BX)
#define EXP1   256(BX)
#define EXP2   320(BX)
#define EXP3   384(BX)
#define EXP4   448(BX)
#define EXP5   512(BX)
#define ONE    576(BX)
#define LEAST  640(BX)
#define ROOT   704(BX)
#define ERF0   768(BX)
#define ERF1   832(BX)
#define ERF2   896(BX)
#define ERF3   960(BX)
#define ERF4  1024(BX)
#define ERF5  1088(BX)
#define HALF  1152(BX)
#define LEVELS 1216(BX)

// EXP sets x to exp(x) for x <= 0. It destroys n and p.
#define EXP(x, n, p) \
	VMAXPS      LEAST, x, x \
	VMULPS      LOG2E, x, n \
	VCVTPS2DQ   n, n        \
	VCVTDQ2PS   n, p        \
	VFMADD231PS LN2HI, p, x \
	VFMADD231PS LN2LO, p, x \
	VPSLLD      $23, n, n   \
	VMOVUPS     EXP0, p     \
	VFMADD213PS EXP1, x, p  \
	VFMADD213PS EXP2, x, p  \
	VFMADD213PS EXP3, x, p  \
	VFMADD213PS EXP4, x, p  \
	VFMADD213PS EXP5, x, p  \
	VMULPS      x, p, p     \
	VFMADD213PS x, x, p     \
	VADDPS      ONE, p, p   \
	VPADDD      n, p, x

// REDUCE combines the elements of v, whose halves are h and q, in all elements
// of q. It destroys H3.
#define REDUCE(op, v, h, q) \
	FOLD(op, v, h)             \
	VEXTRACTF128 $1, h, Q3     \
	op           Q3, q, q      \
	VPERMILPS    $0x4E, q, Q3  \
	op           Q3, q, q      \
	VPERMILPS    $0xB1, q, Q3  \
	op           Q3, q, q

// func softmax(p *float32, width, rows int, t *table)
TEXT SOFTMAX(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ width+8(FP), R8
	SHLQ $2, R8
	MOVQ rows+16(FP), CX
	MOVQ t+24(FP), BX

row:
	VMOVUPS (SI), V0
	XORQ    AX, AX

most:
	VMAXPS (SI)(AX*1), V0, V0
	ADDQ   $W, AX
	CMPQ   AX, R8
	JLT    most
	REDUCE(VMAXPS, V0, H0, Q0)
	VBROADCASTSS Q0, V0
	VXORPS       V1, V1, V1
	XORQ         AX, AX

exp:
	VMOVUPS (SI)(AX*1), V2
	VMOVUPS W(SI)(AX*1), V5
	VSUBPS  V0, V2, V2
	VSUBPS  V0, V5, V5
	EXP(V2, V3, V4)
	EXP(V5, V6, V7)
	VADDPS  V2, V1, V1
	VADDPS  V5, V1, V1
	VMOVUPS V2, (SI)(AX*1)
	VMOVUPS V5, W(SI)(AX*1)
	ADDQ    $(2*W), AX
	CMPQ    AX, R8
	JLT     exp
	REDUCE(VADDPS, V1, H1, Q1)
	VMOVSS       ONE, Q0
	VDIVSS       Q1, Q0, Q0
	VBROADCASTSS Q0, V0
	XORQ         AX, AX

scale:
	VMULPS  (SI)(AX*1), V0, V2
	VMOVUPS V2, (SI)(AX*1)
	ADDQ    $W, AX
	CMPQ    AX, R8
	JLT     scale
	ADDQ    R8, SI
	DECQ    CX
	JNZ     row
	VZEROUPPER
	RET

// func gelu(x *float32, n int, t *table)
//
// gelu(x) = max(x, 0) - |x| erfc(|x|/sqrt(2)) / 2.
TEXT GELU(SB), NOSPLIT, $0-24
	MOVQ   x+0(FP), SI
	MOVQ   n+8(FP), CX
	MOVQ   t+16(FP), BX
	VXORPS V0, V0, V0

gelu:
	VMOVUPS     (SI), V1
	VSUBPS      V1, V0, V2
	VMAXPS      V1, V2, V2
	VMULPS      ROOT, V2, V3
	VMOVUPS     ONE, V5
	VMOVUPS     ERF0, V4
	VFMADD213PS V5, V3, V4
	VDIVPS      V4, V5, V4
	VMOVUPS     ERF1, V5
	VFMADD213PS ERF2, V4, V5
	VFMADD213PS ERF3, V4, V5
	VFMADD213PS ERF4, V4, V5
	VFMADD213PS ERF5, V4, V5
	VMULPS      V4, V5, V5
	VMULPS      V3, V3, V3
	VSUBPS      V3, V0, V3
	EXP(V3, V6, V7)
	VMULPS      V3, V5, V5
	VMULPS      V2, V5, V5
	VMAXPS      V0, V1, V1
	VFNMADD231PS HALF, V5, V1
	VMOVUPS     V1, (SI)
	ADDQ        $W, SI
	SUBQ        $(W/4), CX
	JNZ         gelu
	VZEROUPPER
	RET

// func addNorm(x, y, gain, bias *float32, rows int)
TEXT ADDNORM(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ gain+16(FP), R8
	MOVQ bias+24(FP), R9
	MOVQ rows+32(FP), CX
	// 1/384 and 1e-12
	MOVL $0x3b2aaaab, AX
	VMOVD AX, X6
	MOVL $0x2b8cbccc, AX
	VMOVD AX, X7

row:
	VXORPS V0, V0, V0
	VXORPS V1, V1, V1
	XORQ   AX, AX

add:
	VMOVUPS (SI)(AX*1), V2
	VMOVUPS W(SI)(AX*1), V3
	VADDPS  (DI)(AX*1), V2, V2
	VADDPS  W(DI)(AX*1), V3, V3
	VADDPS  V2, V0, V0
	VADDPS  V3, V1, V1
	VMOVUPS V2, (SI)(AX*1)
	VMOVUPS V3, W(SI)(AX*1)
	ADDQ    $(2*W), AX
	CMPQ    AX, $1536
	JLT     add
	VADDPS  V1, V0, V0
	REDUCE(VADDPS, V0, H0, Q0)
	VMULSS       X6, Q0, Q0
	VBROADCASTSS Q0, V0
	VXORPS       V1, V1, V1
	VXORPS       V4, V4, V4
	XORQ         AX, AX

square:
	VMOVUPS     (SI)(AX*1), V2
	VMOVUPS     W(SI)(AX*1), V3
	VSUBPS      V0, V2, V2
	VSUBPS      V0, V3, V3
	VFMADD231PS V2, V2, V1
	VFMADD231PS V3, V3, V4
	ADDQ        $(2*W), AX
	CMPQ        AX, $1536
	JLT         square
	VADDPS      V4, V1, V1
	REDUCE(VADDPS, V1, H1, Q1)
	VMULSS       X6, Q1, Q1
	VADDSS       X7, Q1, Q1
	VSQRTSS      Q1, Q1, Q1
	MOVL         $0x3f800000, AX
	VMOVD        AX, Q2
	VDIVSS       Q1, Q2, Q1
	VBROADCASTSS Q1, V1
	XORQ         AX, AX

norm:
	VMOVUPS     (SI)(AX*1), V2
	VSUBPS      V0, V2, V2
	VMULPS      V1, V2, V2
	VMOVUPS     (R8)(AX*1), V3
	VFMADD213PS (R9)(AX*1), V3, V2
	VMOVUPS     V2, (SI)(AX*1)
	ADDQ        $W, AX
	CMPQ        AX, $1536
	JLT         norm
	ADDQ        $1536, SI
	ADDQ        $1536, DI
	DECQ        CX
	JNZ         row
	VZEROUPPER
	RET
