// The calling convention of the code of native systems (native/codegen.h). On x86-64, it is the System V convention on
// each system, because the same objects run on Linux and on Windows.
#ifndef SHOAL_BASE_CALLING_CONVENTION_H
#define SHOAL_BASE_CALLING_CONVENTION_H

// Attribute for the types of functions of native systems, and for the functions that native systems call.
#if defined(__x86_64__)
#define SYSV_ABI __attribute__((sysv_abi))
#else
#define SYSV_ABI
#endif

#endif
