#include "textflag.h"

// The functions of vector_amd64.h for 256 bits.

#define SOFTMAX ·softmax256
#define GELU ·gelu256
#define ADDNORM ·addNorm256
#define QUANTIZE ·quantize256

// X6 and X7 hold constants in ADDNORM, so V6 and V7 are other registers.
#define V0 Y8
#define V1 Y9
#define V2 Y10
#define V3 Y11
#define V4 Y12
#define V5 Y13
#define V6 Y14
#define V7 Y15
#define H0 Y8
#define H1 Y9
#define Q0 X8
#define Q1 X9
#define Q2 X10
#define Q3 X11
#define W 32

#define FOLD(op, v, h)

// PACK stores V4 and V5 as 16 words.
#define PACK \
	VPACKUSDW V5, V4, V4   \
	VPERMQ    $0xD8, V4, V4 \
	VMOVDQU   V4, (DI)     \
	ADDQ      $32, DI

#include "vector_amd64.h"
#include "quantize_amd64.h"

// The same with 16 bytes, for AVX-VNNI.
#undef QUANTIZE
#define QUANTIZE ·quantizeBytes256

#undef PACK
#define PACK \
	VPACKUSDW    V5, V4, V4   \
	VPERMQ       $0xD8, V4, V4 \
	VEXTRACTI128 $1, V4, Q3   \
	VPACKUSWB    Q3, X12, X12 \
	VMOVDQU      X12, (DI)    \
	ADDQ         $16, DI

#include "quantize_amd64.h"
