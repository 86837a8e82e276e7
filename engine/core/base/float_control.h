// Reads and sets this thread's floating-point control word: rounding mode, flushing of denormals, enabled exceptions.
// The word excludes sticky status flags, such as inexact, and is 0 on processors other than x86-64 and AArch64.
#ifndef SHOAL_BASE_FLOAT_CONTROL_H
#define SHOAL_BASE_FLOAT_CONTROL_H

#include <stdint.h>

// With FLOAT_CONTROL_FLUSH_DENORMALS, denormal operands and results become 0.
#if defined(__x86_64__)
#define FLOAT_CONTROL_FLUSH_DENORMALS 0x8040u

static inline uint64_t float_control_get(void) {
  return __builtin_ia32_stmxcsr() & ~0x3fu;
}

static inline void float_control_set(uint64_t control) {
  __builtin_ia32_ldmxcsr((uint32_t)control);
}
#elif defined(__aarch64__)
#define FLOAT_CONTROL_FLUSH_DENORMALS (1u << 24)

static inline uint64_t float_control_get(void) {
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}

static inline void float_control_set(uint64_t control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
#define FLOAT_CONTROL_FLUSH_DENORMALS 0u

static inline uint64_t float_control_get(void) {
  return 0;
}

static inline void float_control_set(uint64_t control) {
  (void)control;
}
#endif

#endif
