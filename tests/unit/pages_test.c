// Memory mapped from the system (base/pages.h).
#include "base/pages.h"

#include "process/child.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MB = 1 << 20 };

static void assert_zeros(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; i += 509)
    assert_int_equal(bytes[i], 0);
}

TEST(huge_mappings_are_aligned_zeroed_and_released_as_a_whole) {
  unsigned char *blocks[12], *gaps[12];
  size_t bytes[12];
  for (unsigned i = 0; i < 12; ++i) {
    gaps[i] = pages_map((i + 1) * 3 * pages_size()); // moves the next free address by a few pages
    bytes[i] = (1 + i % 3) * HUGE_PAGE_BYTES;
    blocks[i] = pages_map_huge(bytes[i]);
    assert_non_null(blocks[i]);
    assert_int_equal((uintptr_t)blocks[i] % HUGE_PAGE_BYTES, 0);
    assert_zeros(blocks[i], bytes[i]);
    memset(blocks[i], (int)i + 1, bytes[i]);
  }
  for (unsigned i = 0; i < 12; ++i) {
    assert_int_equal(blocks[i][0], i + 1);
    assert_int_equal(blocks[i][bytes[i] - 1], i + 1);
    pages_release(blocks[i], bytes[i]);
    pages_release(gaps[i], (i + 1) * 3 * pages_size());
  }
}

TEST(decommitted_pages_use_no_memory_and_are_zero_when_reused) {
  const size_t bytes = 64 * MB;
  unsigned char *pages = pages_reserve(bytes);
  assert_non_null(pages);
  assert_true(pages_protect(pages, bytes, PAGES_WRITE));
  uint64_t before = pages_resident_bytes();
  memset(pages, 7, bytes);
  assert_true(pages_resident_bytes() >= before + bytes / 2);
  pages_decommit(pages, bytes);
  assert_true(pages_resident_bytes() < before + bytes / 2);
  assert_true(pages_protect(pages, bytes, PAGES_WRITE));
  assert_zeros(pages, bytes);
  pages_release(pages, bytes);
}

TEST(resized_mappings_keep_their_contents) {
  unsigned char *pages = pages_map(MB);
  for (size_t i = 0; i < MB; ++i)
    pages[i] = (unsigned char)(i * 31);
  pages = pages_resize(pages, MB, 5 * MB);
  assert_non_null(pages);
  assert_zeros(pages + MB, 4 * MB);
  pages = pages_resize(pages, 5 * MB, MB / 2);
  for (size_t i = 0; i < MB / 2; ++i)
    assert_int_equal(pages[i], (unsigned char)(i * 31));
  pages_release(pages, MB / 2);
}

static void write_in_child(void *context, int pipe_end) {
  memset(context, 9, 8 * MB);
  child_write(pipe_end, "!", 1);
}

TEST(shared_pages_keep_a_childs_writes_until_they_are_discarded) {
  child_t child;
  char done = 0;
  if (!child_can_fork())
    skip();
  unsigned char *pages = pages_map_shared(8 * MB);
  assert_true(child_begin(&child, 20000, write_in_child, pages));
  assert_true(child_read(&child, &done, 1));
  child_end(&child);
  assert_int_equal(pages[0], 9);
  assert_int_equal(pages[8 * MB - 1], 9);
  pages_discard_shared(pages + MB, 7 * MB);
  assert_int_equal(pages[MB - 1], 9);
  assert_zeros(pages + MB, 7 * MB);
  pages_release(pages, 8 * MB);
}

TEST(mapped_files_outlive_their_descriptor) {
  FILE *file = tmpfile();
  assert_non_null(file);
  assert_true(fputs("content", file) >= 0 && fflush(file) == 0);
  const char *bytes = pages_map_file(fileno(file), 7, true);
  fclose(file);
  assert_non_null(bytes);
  assert_memory_equal(bytes, "content", 7);
  pages_release(bytes, 7);
  assert_null(pages_map_file(-1, 7, false));
}
