// Lists the C library functions whose results depend on the processor or the library's version, and which Shoal
// therefore implements itself (exact_math.h). Include this file with EXACT_UNARY(name, accuracy) and EXACT_BINARY(name,
// accuracy) defined; it undefines them. premake5.lua also reads it, for the linker.
//
// `accuracy` is the suffix of the SLEEF function, which states its maximum error in tenths of a unit in the last place:
// u10 means 1.0 units, u15 1.5, u35 3.5.
#ifndef EXACT_UNARY
#define EXACT_UNARY(name_, accuracy_)
#endif
#ifndef EXACT_BINARY
#define EXACT_BINARY(name_, accuracy_)
#endif

EXACT_UNARY(sin, u35)
EXACT_UNARY(cos, u35)
EXACT_UNARY(tan, u35)
EXACT_UNARY(asin, u35)
EXACT_UNARY(acos, u35)
EXACT_UNARY(atan, u35)
EXACT_UNARY(sinh, u35)
EXACT_UNARY(cosh, u35)
EXACT_UNARY(tanh, u35)
EXACT_UNARY(asinh, u10)
EXACT_UNARY(acosh, u10)
EXACT_UNARY(atanh, u10)
EXACT_UNARY(exp, u10)
EXACT_UNARY(exp2, u10)
EXACT_UNARY(exp10, u10)
EXACT_UNARY(expm1, u10)
EXACT_UNARY(log, u10)
EXACT_UNARY(log2, u10)
EXACT_UNARY(log10, u10)
EXACT_UNARY(log1p, u10)
EXACT_UNARY(cbrt, u10)
EXACT_UNARY(erf, u10)
EXACT_UNARY(erfc, u15)
EXACT_UNARY(tgamma, u10)
EXACT_UNARY(lgamma, u10)
EXACT_BINARY(atan2, u35)
EXACT_BINARY(hypot, u35)
EXACT_BINARY(pow, u10)

#undef EXACT_UNARY
#undef EXACT_BINARY
