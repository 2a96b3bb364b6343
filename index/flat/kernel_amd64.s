#include "textflag.h"

// JOIN adds the elements of four registers: each 128 bits of a become the sums of
// those bits of a, b, c, and d. It destroys b, c, d, and t.
#define JOIN(a, b, c, d, t) \
	VPUNPCKLDQ  b, a, t \
	VPUNPCKHDQ  b, a, b \
	VPADDD      t, b, b \
	VPUNPCKLDQ  d, c, t \
	VPUNPCKHDQ  d, c, d \
	VPADDD      t, d, d \
	VPUNPCKLQDQ d, b, a \
	VPUNPCKHQDQ d, b, c \
	VPADDD      c, a, a

// AHEAD is the distance in bytes at which memory is requested before its use. The
// processor itself does not request memory beyond a page.
#define AHEAD 2048

// DOT64 adds the products of 64 bytes of a row.
#define DOT64(row, sum, t) \
	PREFETCHT0 AHEAD(row)(AX*1)  \
	VPXORD   (row)(AX*1), Z30, t \
	VPDPBUSD Z4, t, sum

// func dots512(dst *int32, query, rows *int8, width, n int, excess int32)
TEXT ·dots512(SB), NOSPLIT, $0-44
	MOVQ         dst+0(FP), DI
	MOVQ         query+8(FP), BX
	MOVQ         rows+16(FP), SI
	MOVQ         width+24(FP), R8
	MOVQ         n+32(FP), CX
	MOVL         $0x80808080, AX
	VPBROADCASTD AX, Z30
	MOVL         excess+40(FP), DX
	VPBROADCASTD DX, X31

rows:
	LEAQ   (SI)(R8*1), R9
	LEAQ   (SI)(R8*2), R10
	LEAQ   (R9)(R8*2), R11
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	XORQ   AX, AX

bytes:
	VMOVDQU32 (BX)(AX*1), Z4
	DOT64(SI, Z0, Z5)
	DOT64(R9, Z1, Z6)
	DOT64(R10, Z2, Z7)
	DOT64(R11, Z3, Z8)
	ADDQ      $64, AX
	CMPQ      AX, R8
	JLT       bytes

	JOIN(Z0, Z1, Z2, Z3, Z5)
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSUBD        X31, X0, X0
	VMOVDQU       X0, (DI)
	ADDQ          $16, DI
	LEAQ          (R11)(R8*1), SI
	SUBQ          $4, CX
	JNZ           rows
	VZEROUPPER
	RET

// DOT32 adds the products of 32 bytes of a row.
#define DOT32(row, sum) \
	PREFETCHT0 AHEAD(row)(AX*1) \
	VPMOVSXBW (row)(AX*1), Y6   \
	VPMOVSXBW 16(row)(AX*1), Y7 \
	VPMADDWD  Y4, Y6, Y6        \
	VPMADDWD  Y5, Y7, Y7        \
	VPADDD    Y6, sum, sum      \
	VPADDD    Y7, sum, sum

// func dots256(dst *int32, query, rows *int8, width, n int)
TEXT ·dots256(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ query+8(FP), BX
	MOVQ rows+16(FP), SI
	MOVQ width+24(FP), R8
	MOVQ n+32(FP), CX

rows:
	LEAQ  (SI)(R8*1), R9
	LEAQ  (SI)(R8*2), R10
	LEAQ  (R9)(R8*2), R11
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  AX, AX

bytes:
	VPMOVSXBW (BX)(AX*1), Y4
	VPMOVSXBW 16(BX)(AX*1), Y5
	DOT32(SI, Y0)
	DOT32(R9, Y1)
	DOT32(R10, Y2)
	DOT32(R11, Y3)
	ADDQ      $32, AX
	CMPQ      AX, R8
	JLT       bytes

	JOIN(Y0, Y1, Y2, Y3, Y5)
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $16, DI
	LEAQ         (R11)(R8*1), SI
	SUBQ         $4, CX
	JNZ          rows
	VZEROUPPER
	RET
