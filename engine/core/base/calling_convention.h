// The calling convention of the code of native systems (native/codegen.h). It is the System V convention on each
// system, because the same objects run on Linux and on Windows.
#ifndef SHOAL_BASE_CALLING_CONVENTION_H
#define SHOAL_BASE_CALLING_CONVENTION_H

// Part of the types of functions that such code calls or that call it, and of the definitions of these functions.
#if defined(__x86_64__)
#define SYSV_ABI __attribute__((sysv_abi))
#else
#define SYSV_ABI
#endif

#endif
