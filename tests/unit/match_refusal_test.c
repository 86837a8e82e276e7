// Refusals as numbers with arguments, and the names of files that differ between two machines.
#include "base/random.h"
#include "base/utf8.h"
#include "match/file_hashes.h"
#include "match/match_refusal.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(refusals_keep_their_number_and_arguments) {
  uint8_t bytes[MATCH_REFUSAL_BYTES];
  match_refusal_t refusal, read;
  for (uint32_t number = 1; number < MATCH_REFUSAL_COUNT; ++number) {
    match_refusal_set(&refusal, (match_refusal_kind_t)number, 1234567890);
    (void)snprintf(refusal.texts[0], sizeof refusal.texts[0], "box2d 1");
    (void)snprintf(refusal.texts[1], sizeof refusal.texts[1], "physics — 2");
    memset(refusal.files, 7, refusal.file_bytes = 100);
    size_t size = match_refusal_write(&refusal, bytes);
    assert_true(match_refusal_read(bytes, size, &read));
    assert_memory_equal(&refusal, &read, sizeof refusal);
  }
}

TEST(refusal_with_long_arguments_fits_into_a_reply) {
  uint8_t bytes[MATCH_REFUSAL_BYTES];
  match_refusal_t refusal, read;
  match_refusal_set(&refusal, MATCH_REFUSAL_FILES, UINT32_MAX);
  for (uint32_t i = 0; i < MATCH_REFUSAL_TEXTS; ++i)
    for (size_t at = 0; at + 2 < MATCH_REFUSAL_TEXT_BYTES; at += 2)
      memcpy(refusal.texts[i] + at, "ö", 3);
  refusal.file_bytes = sizeof refusal.files;
  size_t size = match_refusal_write(&refusal, bytes);
  assert_true(size <= sizeof bytes);
  assert_true(match_refusal_read(bytes, size, &read));
  assert_int_equal(read.number, MATCH_REFUSAL_FILES);
  assert_int_equal(read.file_bytes, 0); // a truncated list would name wrong files
}

// A newer host may add arguments that this version does not know.
TEST(unknown_refusal_is_read_without_its_arguments) {
  match_refusal_t read;
  assert_true(match_refusal_read((const uint8_t[]){0, 99, 200, 255, 255}, 5, &read));
  assert_int_equal(read.number, 99);
}

TEST(malformed_refusals_and_texts_of_older_hosts_are_rejected) {
  uint8_t bytes[MATCH_REFUSAL_BYTES];
  match_refusal_t refusal, read;
  const char *text = "The match is full.";
  assert_false(match_refusal_read((const uint8_t *)text, strlen(text), &read));
  match_refusal_set(&refusal, MATCH_REFUSAL_FULL, 8);
  size_t size = match_refusal_write(&refusal, bytes);
  for (size_t shorter = 0; shorter < size; ++shorter)
    assert_false(match_refusal_read(bytes, shorter, &read));
  random_t random;
  random_seed(&random, 7);
  for (uint32_t i = 0; i < 100000; ++i) {
    for (size_t k = 0; k < sizeof bytes; ++k)
      bytes[k] = (uint8_t)random_u32(&random);
    bytes[0] = 0;
    bytes[1] = MATCH_REFUSAL_FILES;
    if (match_refusal_read(bytes, 1 + i % sizeof bytes, &read))
      assert_true(read.file_bytes < sizeof bytes && strlen(read.texts[1]) < MATCH_REFUSAL_TEXT_BYTES);
  }
}

// --- files

#define FILES 300u

// Adds files with the names that a game could have; file `changed` has a different hash.
static file_hashes_o *create_files(uint32_t changed, const char *added) {
  file_hashes_o *h = file_hashes_create();
  char name[64];
  for (uint32_t i = 0; i < FILES; ++i) {
    (void)snprintf(name, sizeof name, "%s%u.%s", i % 3 ? "assets/pictures/enemy_" : "systems/rule_", i,
                   i % 3 ? "png" : "lua");
    file_hashes_add(h, name, (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u + (i == changed));
  }
  if (added)
    file_hashes_add(h, added, 5);
  return h;
}

// Destroys `host` and `joiner`. Returns the names that the joiner shows, separated by spaces.
static const char *compare_files(file_hashes_o *host, file_hashes_o *joiner, char *out) {
  uint8_t list[MATCH_REFUSAL_BYTES - MATCH_REFUSAL_HEAD_BYTES];
  char names[FILE_DIFFERENCES][FILE_NAME_BYTES];
  file_sums_t sums = file_hashes_sum(joiner);
  size_t size = file_hashes_write_list(host, &sums, list, sizeof list);
  uint32_t count = file_hashes_find_differences(joiner, list, size, names);
  out[0] = '\0';
  for (uint32_t i = 0; i < count; ++i)
    strcat(strcat(out, i > 0 ? " " : ""), names[i]);
  file_hashes_destroy(host);
  file_hashes_destroy(joiner);
  return out;
}

TEST(refusal_names_the_files_that_differ) {
  char out[512];
  assert_string_equal(compare_files(create_files(FILES, NULL), create_files(FILES, NULL), out), "");
  for (uint32_t i = 0; i < FILES; i += 7) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s%u.%s", i % 3 ? "assets/pictures/enemy_" : "systems/rule_", i,
                   i % 3 ? "png" : "lua");
    assert_string_equal(compare_files(create_files(i, NULL), create_files(FILES, NULL), out), name);
  }
  assert_string_equal(compare_files(create_files(6, NULL), create_files(4, NULL), out),
                      "assets/pictures/enemy_4.png systems/rule_6.lua");
}

TEST(refusal_names_files_that_only_one_machine_has) {
  char out[512];
  assert_string_equal(compare_files(create_files(FILES, "lib/new.lua"), create_files(FILES, NULL), out), "lib/new.lua");
  assert_string_equal(compare_files(create_files(FILES, NULL), create_files(FILES, "lib/new.lua"), out), "lib/new.lua");
}

TEST(refusal_names_at_most_three_files) {
  char out[512];
  file_hashes_o *host = file_hashes_create(), *joiner = file_hashes_create();
  static const char *const NAMES[] = {"a.lua", "b.lua", "c.lua", "d.lua", "e.lua"};
  for (uint32_t i = 0; i < 5; ++i) {
    file_hashes_add(host, NAMES[i], i + 1);
    file_hashes_add(joiner, NAMES[i], i + 100);
  }
  assert_string_equal(compare_files(host, joiner, out), "a.lua b.lua c.lua");
}

// If the versions differ in all files, only some names fit into the refusal.
TEST(files_of_a_new_version_are_named_as_far_as_they_fit) {
  char out[512];
  file_hashes_o *host = file_hashes_create();
  for (uint32_t i = 0; i < 2000; ++i) {
    char name[64];
    (void)snprintf(name, sizeof name, "levels/level_%u.json", i);
    file_hashes_add(host, name, i * 7);
  }
  assert_string_equal(compare_files(host, file_hashes_create(), out),
                      "levels/level_0.json levels/level_1.json levels/level_2.json");
}

TEST(hostile_names_are_shortened_and_cleaned) {
  char out[512], name[150], other[] = "sys\033[2J\xff.lua";
  memset(name, 'x', sizeof name);
  memcpy(name + 70, "ööööööööööööööööööööööö", 46);
  name[sizeof name - 1] = '\0';
  file_hashes_o *host = file_hashes_create();
  file_hashes_add(host, name, 1);
  file_hashes_add(host, other, 2);
  compare_files(host, file_hashes_create(), out);
  assert_memory_equal(out, "…", 3);
  assert_non_null(strstr(out, " sys?[2J?.lua"));
  for (size_t at = 0, length; out[at]; at += length)
    assert_true((length = utf8_character_length(out + at)) > 0);
}

TEST(hostile_lists_of_files_are_read_safely) {
  file_hashes_o *joiner = create_files(FILES, NULL);
  char names[FILE_DIFFERENCES][FILE_NAME_BYTES];
  random_t random;
  random_seed(&random, 3);
  for (uint32_t i = 0; i < 20000; ++i) {
    size_t size = random_u32(&random) % MATCH_REFUSAL_BYTES;
    uint8_t *list = malloc(size + 1); // an exact size, so that AddressSanitizer catches reads past the end
    for (size_t k = 0; k < size; ++k)
      list[k] = (uint8_t)random_u32(&random);
    if (size > 26)
      list[25] = (uint8_t)(random_u32(&random) % 32);
    uint8_t *exact = realloc(list, size ? size : 1);
    assert_true(file_hashes_find_differences(joiner, exact, size, names) <= FILE_DIFFERENCES);
    free(exact);
  }
  file_hashes_destroy(joiner);
}
