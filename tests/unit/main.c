// Runs every group of list.h, or the one called argv[1], or those whose name contains it. The exit status is 0 only
// when all tests passed.
#include <stdio.h>
#include <string.h>

#define TEST_GROUP(name) int name##_tests(void);
#include "list.h"
#undef TEST_GROUP

static const struct {
  const char *name;
  int (*run)(void);
} groups[] = {
#define TEST_GROUP(name) {#name, name##_tests},
#include "list.h"
#undef TEST_GROUP
};

static int is_group(const char *name) {
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    if (strcmp(groups[i].name, name) == 0)
      return 1;
  return 0;
}

int main(int argc, char **argv) {
  const char *filter = argc > 1 ? argv[1] : "";
  int failed = 0, ran = 0, exact = is_group(filter);
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; ++i)
    if (exact ? strcmp(groups[i].name, filter) == 0 : strstr(groups[i].name, filter) != NULL) {
      failed += groups[i].run();
      ++ran;
    }
  if (ran == 0) {
    fprintf(stderr, "no group of unit tests has \"%s\" in its name\n", filter);
    return 2;
  }
  return failed == 0 ? 0 : 1;
}
