// Calls of a function that fails every tenth time.
#include "plain.h"

#include <stdbool.h>

__attribute__((noinline)) static bool use(uint32_t i, double *result) {
  if (i % 10 == 0)
    return false;
  *result = i;
  return true;
}

SCALAR_LOOP void call_all(uint32_t count, double *sum) {
  double result = 0;
  for (uint32_t i = 1; i <= count; ++i)
    if (use(i, &result))
      *sum += result;
}

void run_errors(uint32_t count, uint32_t ticks) {
  double sum = 0;
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    call_all(count, &sum);
    add_time("c", now_s() - began_s, count);
  }
  print_check("count", sum);
}
