// Elementary functions over an array, using glibc's implementation for this processor.
#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_sum(const char *name, const double *out, uint32_t count) {
  char text[64];
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += out[i];
  (void)snprintf(text, sizeof text, "%.6f", sum);
  print_check(name, strtod(text, NULL));
}

#define RUN(name_, call_)                                                                                              \
  for (uint32_t tick = 0; tick < ticks; ++tick) {                                                                      \
    double began = now_s();                                                                                            \
    for (uint32_t i = 0; i < count; ++i)                                                                               \
      out[i] = call_;                                                                                                  \
    add_time(#name_, now_s() - began, count);                                                                          \
  }                                                                                                                    \
  print_sum(#name_, out, count);

void run_exact(uint32_t count, uint32_t ticks) {
  double *x = memory(count, sizeof *x), *y = memory(count, sizeof *y), *out = memory(count, sizeof *out);
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t k = i + 1;
    x[i] = (double)(k * 7919 % 10007 + 1) / 1000;
    y[i] = (double)(k * 104729 % 10009) / 2000 - 2.5;
  }
  RUN(sin, sin(x[i]))
  RUN(cos, cos(x[i]))
  RUN(tan, tan(x[i]))
  RUN(atan, atan(x[i]))
  RUN(exp, exp(x[i]))
  RUN(log, log(x[i]))
  RUN(atan2, atan2(x[i], y[i]))
  RUN(pow, pow(x[i], y[i]))
  free(x);
  free(y);
  free(out);
}
