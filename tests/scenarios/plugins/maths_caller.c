// A plugin in C or C++ that calls functions of the C library directly, from a constructor, and through a static library
// (maths_library.c).
#include <math.h>

#include <shoal/plugin.h>

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
double compute_in_library(double x, int *items, int (*compare)(const void *a, const void *b));
#ifdef __cplusplus
}
#endif

static int compare_items(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static double compute_here(double x) {
  int items[] = {3, 2, 1};
  return sin(x) * cos(x) + (double)atan2f((float)x, 2) + compute_in_library(x, items, compare_items) + items[0];
}

// Runs before the host has set the table of its functions.
static const double early = 0.5;
__attribute__((constructor)) static void begin(void) {
  if (!(compute_here(early) > 1))
    abort();
}

static void compute(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)c;
  results[0].number = compute_here(arguments[0].number);
}

SHOAL_PLUGIN(.name = "maths_caller", .version = 1,
             .functions =
                 SHOAL_FUNCTIONS({.name = "compute", .parameters = "x:number", .results = "y:number", .call = compute}))
