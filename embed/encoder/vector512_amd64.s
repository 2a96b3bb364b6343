#include "textflag.h"

// The functions of vector_amd64.h for 512 bits.

#define SOFTMAX ·softmax512
#define GELU ·gelu512
#define ADDNORM ·addNorm512
#define QUANTIZE ·quantize512

// X6 and X7 hold constants in ADDNORM, so V6 and V7 are other registers.
#define V0 Z8
#define V1 Z9
#define V2 Z10
#define V3 Z11
#define V4 Z12
#define V5 Z13
#define V6 Z14
#define V7 Z15
#define H0 Y8
#define H1 Y9
#define Q0 X8
#define Q1 X9
#define Q2 X10
#define Q3 X11
#define W 64

#define FOLD(op, v, h) \
	VEXTRACTF64X4 $1, v, Y11 \
	op            Y11, h, h

// PACK stores V4 and V5 as 32 bytes.
#define PACK \
	VPMOVUSDB V4, X12     \
	VPMOVUSDB V5, X13     \
	VMOVDQU32 X12, (DI)   \
	VMOVDQU32 X13, 16(DI) \
	ADDQ      $32, DI

#include "vector_amd64.h"
#include "quantize_amd64.h"
