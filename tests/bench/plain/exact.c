// Elementary functions over an array: SLEEF's functions that Shoal calls, and, for comparison, glibc's. The results of
// glibc depend on its version and the processor, so they are only compared approximately.
#include "lanes.h"
#include "plain.h"

#include <math.h>

static double sum(const double *out, uint32_t count) {
  double total = 0;
  for (uint32_t i = 0; i < count; ++i)
    total += out[i];
  return total;
}

#define RUN(name_, step_, body_)                                                                                       \
  for (uint32_t tick = 0; tick < ticks; ++tick) {                                                                      \
    double began = now_s();                                                                                            \
    for (uint32_t i = 0; i < count; i += step_)                                                                        \
      body_;                                                                                                           \
    add_time(name_, now_s() - began, count);                                                                           \
  }

#define COMPARE(name_, accuracy_)                                                                                      \
  RUN("glibc_" #name_, 1, out[i] = name_(x[i]))                                                                        \
  print_approximation(#name_, sum(out, count));                                                                        \
  RUN(#name_, LANES, lanes_store(out + i, SLEEF(name_, accuracy_)(lanes_load(x + i))))                                 \
  print_check(#name_, sum(out, count));

// SLEEF's power function for eight values rounds some results differently, so Shoal uses the function for four values.
#if defined(__AVX__)
enum { POWER_LANES = 4 };
typedef double power_t __attribute__((vector_size(32)));
#define POWER Sleef_cinz_powd4_u10avx
#else
enum { POWER_LANES = LANES };
typedef lanes_t power_t;
#define POWER SLEEF(pow, u10)
#endif

static void compare_pairs(const double *x, const double *y, double *out, uint32_t count, uint32_t ticks) {
  RUN("glibc_atan2", 1, out[i] = atan2(x[i], y[i]))
  print_approximation("atan2", sum(out, count));
  RUN("atan2", LANES, lanes_store(out + i, SLEEF(atan2, u35)(lanes_load(x + i), lanes_load(y + i))))
  print_check("atan2", sum(out, count));
  RUN("glibc_pow", 1, out[i] = pow(x[i], y[i]))
  print_approximation("pow", sum(out, count));
  RUN("pow", POWER_LANES, *(power_t *)(out + i) = POWER(*(const power_t *)(x + i), *(const power_t *)(y + i)))
  print_check("pow", sum(out, count));
}

void run_exact(uint32_t count, uint32_t ticks) {
  double *x = memory(count, sizeof *x), *y = memory(count, sizeof *y), *out = memory(count, sizeof *out);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t k = i + 1;
    x[i] = (double)(k * 7919 % 10007 + 1) / 1000;
    y[i] = (double)(k * 104729 % 10009) / 2000 - 2.5;
  }
  COMPARE(sin, u35)
  COMPARE(cos, u35)
  COMPARE(tan, u35)
  COMPARE(atan, u35)
  COMPARE(exp, u10)
  COMPARE(log, u10)
  compare_pairs(x, y, out, count, ticks);
}
