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

// Expects twins in the first `a_length` bytes of `a` and `b_length` bytes of `b`; no twins if `a_length` is 0.
static void expect_twins(const char *a, const char *b, size_t a_length, size_t b_length) {
  size_t found_b = 0, found_a = portable_name_find_twin(a, b, &found_b);
  if (found_a != a_length || (a_length > 0 && found_b != b_length))
    fail_msg("%s and %s: %zu and %zu, expected: %zu and %zu", a, b, found_a, found_b, a_length, b_length);
}

TEST(names_that_differ_only_in_case_are_twins) {
  expect_twins("a/Hero.png", "a/hero.png", 10, 10);
  expect_twins("Art/a.png", "art/b.png", 3, 3); // the folders
  expect_twins("art", "Art/b.png", 3, 3);       // a file and a folder
  expect_twins("ÄÖÜ", "äöü", 6, 6);
  expect_twins("ŁŹŸ", "łźÿ", 6, 6);
  expect_twins("ΓΩΆ", "γωά", 6, 6);
  expect_twins("ὨΣ", "ὠς", 5, 5);
  expect_twins("ДЁ", "дё", 4, 4);
  expect_twins("Աբ", "աԲ", 4, 4);
  expect_twins("𐐀.lua", "𐐨.lua", 8, 8);
  expect_twins("a/Ⱥ/x", "A/ⱥ/y", 1, 1);
  expect_twins("a/Ⱥ/x", "a/ⱥ/y", 4, 5);      // of different lengths in UTF-8
  expect_twins("\u212a.png", "k.png", 7, 5); // the Kelvin sign
  expect_twins("a/hero", "a/hero", 0, 0);
  expect_twins("a/Hero", "b/hero", 0, 0);
  expect_twins("a/Hero", "a/heroes", 0, 0);
  expect_twins("a/Hero1", "a/hero2", 0, 0);
  expect_twins("×", "÷", 0, 0); // not letters
  expect_twins("ß", "ss", 0, 0);
  expect_twins("a/\xef\xbf\xbd", "a/\xff", 0, 0);
}

TEST(twins_are_found_in_any_order_of_paths) {
  const char *paths[] = {"b/ÉTÉ.lua", "a.lua", "b/c.lua", "b/été.lua", "z"};
  portable_twins_t twins;
  assert_true(portable_name_find_twins(paths, 5, &twins));
  assert_string_equal(twins.a, "b/ÉTÉ.lua");
  assert_string_equal(twins.b, "b/été.lua");
  assert_int_equal(twins.a_length, strlen(twins.a));
  assert_int_equal(twins.b_length, strlen(twins.b));
  assert_false(portable_name_find_twins(paths, 0, &twins));
  const char *different[] = {"a/b", "a/c", "ab", "b"};
  assert_false(portable_name_find_twins(different, 4, &twins));
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
