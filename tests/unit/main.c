// Runs every group of list.h, or those whose name contains argv[1]. The exit status is 0 only when all tests passed.
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

int main(int argc, char **argv) {
  const char *filter = argc > 1 ? argv[1] : "";
  int failed = 0, ran = 0;
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
    if (strstr(groups[i].name, filter)) {
      failed += groups[i].run();
      ran++;
    }
  if (ran == 0) {
    fprintf(stderr, "no group of unit tests has \"%s\" in its name\n", filter);
    return 2;
  }
  return failed == 0 ? 0 : 1;
}
