// Interned strings: schema/strings.h.
#include "ecs_fixture.h"

static allocator_t memory;
static strings_o *s;

static void strings_setup(void) {
  memory = (allocator_t){0};
  s = strings_create(&memory);
}

static void strings_teardown(void) {
  strings_destroy(s);
  assert_int_equal(memory.bytes, 0);
  assert_int_equal(memory.blocks, 0);
}
STATIC_FIXTURE(fixture, strings_setup, strings_teardown)

TEST_WITH(equal_strings_share_an_id_and_empty_is_0, fixture) {
  assert_int_equal(strings_intern(s, ""), 0);
  assert_int_equal(strings_intern(s, NULL), 0);
  uint32_t a = strings_intern(s, "ship"), b = strings_intern(s, "rock");
  assert_int_equal(a, 1);
  assert_int_equal(b, 2);
  assert_int_equal(strings_intern(s, "ship"), a);
  assert_int_equal(strings_intern_bytes(s, "shipyard", 4), a);
  assert_int_equal(strings_find(s, "rock"), b);
  assert_int_equal(strings_find(s, "saucer"), 0);
  assert_string_equal(strings_text(s, b), "rock");
  assert_int_equal(strings_length(s, b), 4);
  assert_string_equal(strings_text(s, 77), "");
  assert_string_equal(strings_text(s, UINT32_MAX), "");
}

TEST_WITH(interning_reports_whether_the_string_is_new, fixture) {
  assert_int_equal(strings_intern_and_report(s, "", 0), 0);
  assert_int_equal(strings_intern_and_report(s, "ship", 4), 1 + STRINGS_NEW);
  assert_int_equal(strings_intern_and_report(s, "ship", 4), 1);
  assert_int_equal(strings_intern_and_report(s, "rock", 4), 2 + STRINGS_NEW);
  strings_unmark_all(s);
  strings_mark(s, 2);
  strings_sweep(s);
  assert_int_equal(strings_intern_and_report(s, "saucer", 6), 1 + STRINGS_NEW); // reuses the id
  assert_int_equal(strings_intern_and_report(s, "rock", 4), 2);
}

TEST_WITH(substring_of_a_stored_string_can_be_interned, fixture) {
  char text[5000];
  memset(text, 'a', sizeof text);
  text[4090] = '\0';
  uint32_t id = strings_intern(s, text);
  // makes the buffer that contains the source grow
  uint32_t part = strings_intern_bytes(s, strings_text(s, id) + 1, 3000);
  assert_int_equal(strings_length(s, part), 3000);
  assert_int_equal(strspn(strings_text(s, part), "a"), 3000);
}

TEST_WITH(ten_thousand_interned_strings_are_found_by_text_and_id, fixture) {
  char text[16];
  for (uint32_t i = 1; i <= 10000; ++i) {
    snprintf(text, sizeof text, "text%u", i);
    assert_int_equal(strings_intern(s, text), i);
  }
  for (uint32_t i = 1; i <= 10000; ++i) {
    snprintf(text, sizeof text, "text%u", i);
    assert_int_equal(strings_find(s, text), i);
    assert_string_equal(strings_text(s, i), text);
  }
}

TEST_WITH(string_may_have_changed_only_if_its_id_was_freed_since_the_epoch, fixture) {
  uint32_t kept = strings_intern(s, "kept"), freed = strings_intern(s, "freed"), epoch = strings_epoch(s);
  strings_mark(s, kept);
  strings_sweep(s);
  assert_false(strings_may_have_changed(s, kept, epoch));
  assert_true(strings_may_have_changed(s, freed, epoch));
  assert_int_equal(strings_intern(s, "new"), freed);
  assert_true(strings_may_have_changed(s, freed, epoch));
  assert_false(strings_may_have_changed(s, freed, strings_epoch(s)));
  assert_false(strings_may_have_changed(s, 0, epoch));
  epoch = strings_epoch(s);
  strings_advance_epoch(s);
  assert_true(strings_may_have_changed(s, kept, epoch));
}

TEST_WITH(sweep_frees_unmarked_strings_and_reuses_the_lowest_id, fixture) {
  uint32_t a = strings_intern(s, "a"), b = strings_intern(s, "b"), c = strings_intern(s, "c"),
           d = strings_intern(s, "d");
  strings_pin(s, b);
  strings_mark(s, d);
  strings_mark(s, 4000); // ignored: the id is unused
  uint32_t epoch = strings_epoch(s);
  strings_sweep(s);
  assert_int_equal(strings_epoch(s), epoch + 1);
  assert_string_equal(strings_text(s, a), "");
  assert_string_equal(strings_text(s, b), "b");
  assert_string_equal(strings_text(s, d), "d");
  assert_int_equal(strings_find(s, "a"), 0);
  assert_int_equal(strings_find(s, "d"), d);
  assert_int_equal(strings_intern(s, "new"), a);
  assert_int_equal(strings_intern(s, "newer"), c);
  assert_int_equal(strings_intern(s, "newest"), d + 1);
  strings_unmark_all(s);
  strings_sweep(s);
  assert_int_equal(strings_find(s, "d"), 0);
  assert_int_equal(strings_find(s, "b"), b);
}

TEST_WITH(sweep_is_due_when_the_table_has_doubled, fixture) {
  char text[16];
  uint32_t i = 0;
  while (!strings_needs_sweep(s) && i < 100000) {
    snprintf(text, sizeof text, "t%u", i++);
    strings_pin(s, strings_intern(s, text));
  }
  assert_int_equal(i, 2048);
  strings_sweep(s);
  assert_false(strings_needs_sweep(s));
  while (!strings_needs_sweep(s) && i < 100000) {
    snprintf(text, sizeof text, "t%u", i++);
    strings_intern(s, text);
  }
  assert_int_equal(i, 4096);
}

TEST_WITH(strings_hash_covers_the_stored_texts, fixture) {
  uint64_t empty = strings_hash(s, 0);
  strings_intern(s, "a");
  uint64_t a = strings_hash(s, 0);
  assert_true(a != empty);
  strings_o *other = strings_create(&memory);
  strings_intern(other, "b");
  assert_true(strings_hash(other, 0) != a);
  strings_destroy(other);
}
