#include "textflag.h"

// One step of sumRowsAVX2: eight int8 at off(AX), times the scale in Y8, added
// to acc. Multiply and add stay apart: see kernel.go.
#define ADD8(off, acc, tmp) \
	VPMOVSXBD off(AX), tmp \
	VCVTDQ2PS tmp, tmp     \
	VMULPS    Y8, tmp, tmp \
	VADDPS    tmp, acc, acc

// func sumRowsAVX2(acc *[256]float32, rows, scales *byte, ids *uint16, n int)
//
// Sixty-four of the 256 sums fit the registers beside what a step needs, so the
// ids are walked four times, each time over another quarter (one cache line) of
// their rows.
TEXT ·sumRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ acc+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ scales+16(FP), DX
	MOVQ ids+24(FP), R8
	MOVQ n+32(FP), R9
	MOVQ $4, R10

quarter:
	VMOVUPS 0(DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7
	MOVQ    R8, R11
	MOVQ    R9, CX

row:
	MOVWLZX      (R11), AX
	VBROADCASTSS (DX)(AX*4), Y8
	SHLQ         $8, AX
	ADDQ         SI, AX
	ADD8(0, Y0, Y9)
	ADD8(8, Y1, Y10)
	ADD8(16, Y2, Y11)
	ADD8(24, Y3, Y12)
	ADD8(32, Y4, Y9)
	ADD8(40, Y5, Y10)
	ADD8(48, Y6, Y11)
	ADD8(56, Y7, Y12)
	ADDQ         $2, R11
	DECQ         CX
	JNZ          row

	VMOVUPS Y0, 0(DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ    $256, DI
	ADDQ    $64, SI
	DECQ    R10
	JNZ     quarter
	VZEROUPPER
	RET

// One step of dotRowsAVX2: sixteen int8 at off(AX), widened, times sixteen
// int16 of the query, pairs added, added to acc.
#define DOT16(off, acc, tmp) \
	VPMOVSXBW off(AX), tmp        \
	VPMADDWD  2*off(BX), tmp, tmp \
	VPADDD    tmp, acc, acc

// func dotRowsAVX2(dst *int32, q *[256]int16, rows *byte, ids *uint16, n int)
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), BX
	MOVQ rows+16(FP), SI
	MOVQ ids+24(FP), R8
	MOVQ n+32(FP), CX

next:
	MOVWLZX (R8), AX
	SHLQ    $8, AX
	ADDQ    SI, AX
	VPXOR   Y0, Y0, Y0
	VPXOR   Y1, Y1, Y1
	VPXOR   Y2, Y2, Y2
	VPXOR   Y3, Y3, Y3
	DOT16(0, Y0, Y4)
	DOT16(16, Y1, Y5)
	DOT16(32, Y2, Y6)
	DOT16(48, Y3, Y7)
	DOT16(64, Y0, Y8)
	DOT16(80, Y1, Y9)
	DOT16(96, Y2, Y10)
	DOT16(112, Y3, Y11)
	DOT16(128, Y0, Y4)
	DOT16(144, Y1, Y5)
	DOT16(160, Y2, Y6)
	DOT16(176, Y3, Y7)
	DOT16(192, Y0, Y8)
	DOT16(208, Y1, Y9)
	DOT16(224, Y2, Y10)
	DOT16(240, Y3, Y11)
	VPADDD  Y1, Y0, Y0
	VPADDD  Y3, Y2, Y2
	VPADDD  Y2, Y0, Y0

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	ADDQ         $2, R8
	DECQ         CX
	JNZ          next
	VZEROUPPER
	RET

// One step of squareRowAVX2: sixteen int8, widened, times themselves.
#define SQUARE16(off, acc, tmp) \
	VPMOVSXBW off(AX), tmp  \
	VPMADDWD  tmp, tmp, tmp \
	VPADDD    tmp, acc, acc

// func squareRowAVX2(row *byte) int32
TEXT ·squareRowAVX2(SB), NOSPLIT, $0-12
	MOVQ  row+0(FP), AX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	SQUARE16(0, Y0, Y2)
	SQUARE16(16, Y1, Y3)
	SQUARE16(32, Y0, Y4)
	SQUARE16(48, Y1, Y5)
	SQUARE16(64, Y0, Y2)
	SQUARE16(80, Y1, Y3)
	SQUARE16(96, Y0, Y4)
	SQUARE16(112, Y1, Y5)
	SQUARE16(128, Y0, Y2)
	SQUARE16(144, Y1, Y3)
	SQUARE16(160, Y0, Y4)
	SQUARE16(176, Y1, Y5)
	SQUARE16(192, Y0, Y2)
	SQUARE16(208, Y1, Y3)
	SQUARE16(224, Y0, Y4)
	SQUARE16(240, Y1, Y5)
	VPADDD Y1, Y0, Y0

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+8(FP)
	VZEROUPPER
	RET

// func dotAVX2(a, b *float32, n int) float32
//
// Searches call it with vector after vector of a large table as b. So it requests
// memory behind b ahead of time, also beyond the page, where the processor does not.
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ   a+0(FP), SI
	MOVQ   b+8(FP), DI
	MOVQ   n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

block:
	PREFETCHT0 2048(DI)
	PREFETCHT0 2112(DI)
	VMOVUPS 0(SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VMULPS  0(DI), Y4, Y4
	VMULPS  32(DI), Y5, Y5
	VMULPS  64(DI), Y6, Y6
	VMULPS  96(DI), Y7, Y7
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $32, CX
	JNZ     block

	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VMOVHLPS     X0, X0, X1
	VADDPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, ret+24(FP)
	VZEROUPPER
	RET

// func scaleAVX2(v *float32, n int, s float32)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-20
	MOVQ         v+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSS s+16(FP), Y0

eight:
	VMULPS  (DI), Y0, Y1
	VMOVUPS Y1, (DI)
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     eight
	VZEROUPPER
	RET
