// A static library, which a plugin links (maths_caller.c).
#include <math.h>
#include <stdlib.h>

double compute_in_library(double x, int *items, int (*compare)(const void *a, const void *b));

double compute_in_library(double x, int *items, int (*compare)(const void *a, const void *b)) {
  qsort(items, 3, sizeof *items, compare);
  return sin(x) * cos(x) + (double)expf((float)x) + pow(x, 3.5);
}
