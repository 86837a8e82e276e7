// A plugin that returns the results of math functions, called both by the names of the C library, as in third-party
// code, and by Shoal's names.
#include <shoal/plugin.h>

#include <math.h>
#include <stdlib.h>

static int compare_tens(const void *a, const void *b) {
  return *(const int *)a / 10 - *(const int *)b / 10;
}

static void compute(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  double x = arguments[0].number, y = arguments[1].number;
  double *out = shoal_return_numbers(c, &results[0], 12);
  const double all[] = {sin(x),       cos(x),       exp(x),       log(x),      pow(x, y),       atan2(x, y),
                        shoal_sin(x), shoal_cos(x), shoal_exp(x), shoal_ln(x), shoal_pow(x, y), shoal_atan2(x, y)};
  for (int i = 0; i < 12; ++i)
    out[i] = all[i];
}

// Sorts 100 numbers by their tens digit. The result is 0 … 99 if the sort is stable.
static void sort_by_tens(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  int items[100];
  (void)arguments;
  for (int i = 0; i < 100; ++i)
    items[i] = (i * 7 % 10) * 10 + i / 10;
  qsort(items, 100, sizeof *items, compare_tens);
  double *out = shoal_return_numbers(c, &results[0], 100);
  for (int i = 0; i < 100; ++i)
    out[i] = items[i];
}

SHOAL_PLUGIN(.name = "maths", .version = 1,
             .functions = SHOAL_FUNCTIONS(
                 {.name = "compute", .parameters = "x:number y:number", .results = "values:number[]", .call = compute},
                 {.name = "order", .parameters = "", .results = "values:number[]", .call = sort_by_tens}))
