// Names of files that every system can store.
#include "base/portable_name.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static void expect_fault(const char *path, const char *name, const char *reason) {
  char found[64] = "";
  const char *fault = portable_name_find_fault(path, found, sizeof found);
  if (!fault || !strstr(fault, reason) || strcmp(found, name) != 0)
    fail_msg("%s: %s (%s), expected: %s (%s)", path, fault ? fault : "no fault", found, reason, name);
}

TEST(names_that_windows_cannot_store_are_found_in_paths) {
  static const char *const RESERVED[] = {"con",   "CON.lua", "Prn.tar.gz", "aux.png", "nul .txt",  "COM1",
                                         "lpt9.", "com³.c",  "CONIN$",     "conout$", "Lpt1.a.lua"};
  char path[64];
  for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; ++i) {
    snprintf(path, sizeof path, "assets/%s/a.png", RESERVED[i]);
    expect_fault(path, RESERVED[i], RESERVED[i][strlen(RESERVED[i]) - 1] == '.' ? "end with a dot" : "reserves names");
  }
  expect_fault("systems/a.", "a.", "end with a dot or a space");
  expect_fault("a /b.lua", "a ", "end with a dot or a space");
  expect_fault("a/\xff.lua", "\xff.lua", "valid UTF-8");
  expect_fault("a/b\xc3/c", "b\xc3", "valid UTF-8");
  for (const char *c = "<>:\"\\|?*\x01\x1f"; *c; ++c) {
    snprintf(path, sizeof path, "a%cb", *c);
    expect_fault(path, path, "cannot contain");
  }
}

TEST(names_that_only_resemble_reserved_names_have_no_fault) {
  static const char *const VALID[] = {"console.lua",
                                      "com",
                                      "com0",
                                      "com10",
                                      "a.con",
                                      "lpt",
                                      "nulls",
                                      "acon",
                                      ".hidden",
                                      "assets/häuser/été (1).png",
                                      "a b",
                                      "auxiliary/con_a",
                                      "com¹0",
                                      "",
                                      "/"};
  char found[64];
  for (size_t i = 0; i < sizeof VALID / sizeof *VALID; ++i)
    if (portable_name_find_fault(VALID[i], found, sizeof found))
      fail_msg("%s has a fault", VALID[i]);
}

TEST(names_that_differ_only_in_case_are_twins) {
  assert_int_equal(portable_name_find_twin("a/Hero.png", "a/hero.png"), 10);
  assert_int_equal(portable_name_find_twin("Art/a.png", "art/b.png"), 3); // the folders
  assert_int_equal(portable_name_find_twin("art", "Art/b.png"), 3);       // a file and a folder
  assert_int_equal(portable_name_find_twin("ÄÖÜ", "äöü"), 6);
  assert_int_equal(portable_name_find_twin("ŁŹŸ", "łźÿ"), 6);
  assert_int_equal(portable_name_find_twin("ΓΩ", "γω"), 4);
  assert_int_equal(portable_name_find_twin("ДЁ", "дё"), 4);
  assert_int_equal(portable_name_find_twin("a/hero", "a/hero"), 0);
  assert_int_equal(portable_name_find_twin("a/Hero", "b/hero"), 0);
  assert_int_equal(portable_name_find_twin("a/Hero", "a/heroes"), 0);
  assert_int_equal(portable_name_find_twin("a/Hero1", "a/hero2"), 0);
  assert_int_equal(portable_name_find_twin("×", "÷"), 0); // not letters
  assert_int_equal(portable_name_find_twin("a/\xef\xbf\xbd", "a/\xff"), 0);
}

TEST(sorting_by_folded_names_puts_twins_next_to_each_other) {
  static const char *const SORTED[] = {"Art", "art/a", "Art/b", "art-b", "B", "b.lua", "Ä", "ö"};
  for (size_t i = 0; i < sizeof SORTED / sizeof *SORTED; ++i)
    for (size_t k = 0; k < sizeof SORTED / sizeof *SORTED; ++k) {
      int order = portable_name_compare(SORTED[i], SORTED[k]);
      if ((order > 0) != (i > k) || (order < 0) != (i < k))
        fail_msg("%s and %s: %d", SORTED[i], SORTED[k], order);
    }
  assert_int_equal(portable_name_compare("A/ü", "a/Ü"), 0);
}
