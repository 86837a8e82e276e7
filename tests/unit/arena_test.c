// The memory arena of a Lua VM: watchdog/arena.h.
#include "watchdog/arena.h"

#include "base/random.h"
#include "test.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <lauxlib.h>
#include <lualib.h>

#define BLOCKS 600

typedef struct spawn_batch_t {
  unsigned char *bytes;
  size_t size;
  unsigned char mark;
} spawn_batch_t;

static void assert_holds(const spawn_batch_t *b, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 1 + i / 64)
    assert_int_equal(b->bytes[i], b->mark);
}

// Returns a random size: usually small, occasionally up to 300 KB, so that every size class occurs.
static size_t random_size(random_t *r) {
  double unit = random_unit(r);
  size_t max = unit < 0.6 ? 200 : unit < 0.9 ? 5000 : 300000;
  return (size_t)(random_unit(r) * (double)max);
}

TEST(arena_blocks_keep_their_contents_and_do_not_overlap) {
  static spawn_batch_t blocks[BLOCKS];
  arena_o *a = arena_create(&(arena_desc_t){0});
  random_t r;
  size_t bytes = 0;
  random_seed(&r, 7);
  memset(blocks, 0, sizeof blocks);
  for (int step = 0; step < 60000; ++step) {
    spawn_batch_t *b = &blocks[(size_t)(random_unit(&r) * BLOCKS)];
    size_t size = random_size(&r), kept = size < b->size ? size : b->size;
    bytes += size - b->size;
    b->bytes = arena_resize(a, b->bytes, b->size, size);
    assert_int_equal(b->bytes == NULL, size == 0);
    assert_int_equal((uintptr_t)b->bytes % 16, 0);
    assert_holds(b, kept);
    b->size = size;
    b->mark = (unsigned char)step;
    if (size > 0)
      memset(b->bytes, b->mark, size);
    assert_int_equal(arena_bytes(a), bytes);
  }
  for (size_t i = 0; i < BLOCKS; ++i)
    assert_holds(&blocks[i], blocks[i].size);
  arena_destroy(a);
}

static int compare_addresses(const void *a, const void *b) {
  return *(void *const *)a != *(void *const *)b;
}

TEST(freed_arena_blocks_are_reused) {
  void *first[200];
  arena_o *a = arena_create(&(arena_desc_t){0});
  for (int round = 0; round < 50; ++round) {
    void *blocks[200];
    for (size_t i = 0; i < 200; ++i) {
      blocks[i] = arena_resize(a, NULL, 0, 16 * i + 1);
      assert_true(round == 0 || lfind(&blocks[i], first, &(size_t){200}, sizeof *first, compare_addresses));
    }
    void *large = arena_resize(a, NULL, 0, 1 << 20);
    large = arena_resize(a, large, 1 << 20, 5 << 20);
    arena_resize(a, large, 5 << 20, 0);
    for (size_t i = 0; i < 200; ++i)
      arena_resize(a, blocks[i], 16 * i + 1, 0);
    if (round == 0)
      memcpy(first, blocks, sizeof first);
  }
  assert_int_equal(arena_bytes(a), 0);
  arena_destroy(a);
}

TEST(freed_large_blocks_are_reused_for_similar_sizes) {
  enum { COUNT = 100, SMALL = 40000, LARGE = 70000 };
  void *first[COUNT], *blocks[COUNT];
  arena_o *a = arena_create(&(arena_desc_t){0});
  for (size_t i = 0; i < COUNT; ++i)
    first[i] = arena_resize(a, NULL, 0, LARGE);
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < COUNT; ++i)
      arena_resize(a, round == 0 ? first[i] : blocks[i], LARGE, 0);
    for (size_t i = 0; i < COUNT; ++i) {
      blocks[i] = arena_resize(a, NULL, 0, SMALL);
      memset(blocks[i], 1, SMALL);
      blocks[i] = arena_resize(a, blocks[i], SMALL, LARGE);
      memset(blocks[i], 2, LARGE);
      assert_true(lfind(&blocks[i], first, &(size_t){COUNT}, sizeof *first, compare_addresses));
    }
  }
  assert_int_equal(arena_bytes(a), (size_t)COUNT * LARGE);
  arena_destroy(a);
}

// Returns the number of bytes that the system has provided for the 2 MB around `block`.
static size_t count_resident_bytes(const void *block) {
  enum { BYTES = 2 << 20, PAGES = BYTES / 4096 };
  unsigned char pages[PAGES];
  void *start = (void *)((uintptr_t)block / BYTES * BYTES);
  size_t count = 0;
  assert_int_equal(mincore(start, BYTES, pages), 0);
  for (size_t i = 0; i < PAGES; ++i)
    count += pages[i] & 1;
  return count * 4096;
}

TEST(arena_of_a_running_game_gets_memory_in_small_slices) {
  arena_o *a = arena_create(&(arena_desc_t){0});
  arena_grow_in_slices(a);
  char *block = NULL;
  for (int i = 0; i < 64; ++i) // the first chunk has 256 KB, a part of which is its header
    block = arena_resize(a, NULL, 0, 4096);
  for (size_t bytes = 4096; bytes < 1 << 20; bytes += 4096) {
    assert_in_range(count_resident_bytes(block), bytes, bytes + (128 << 10));
    memset(block, 7, 4096);
    block = arena_resize(a, NULL, 0, 4096);
  }
  arena_destroy(a);
}

TEST(freed_large_blocks_are_unmapped_when_a_game_starts) {
  enum { BYTES = 100000, PAGE = 4096 };
  unsigned char resident;
  arena_o *a = arena_create(&(arena_desc_t){0});
  void *block = arena_resize(a, NULL, 0, BYTES), *page = (void *)((uintptr_t)block / PAGE * PAGE);
  arena_resize(a, block, BYTES, 0);
  assert_int_equal(mincore(page, PAGE, &resident), 0);
  arena_grow_in_slices(a);
  assert_int_equal(mincore(page, PAGE, &resident), -1);
  block = arena_resize(a, NULL, 0, BYTES);
  memset(block, 1, BYTES);
  arena_destroy(a);
}

static void count_cap_report(void *context) {
  ++*(int *)context;
}

TEST(arena_reports_allocations_over_its_cap_and_fails_huge_ones) {
  int over = 0;
  arena_o *a = arena_create(&(arena_desc_t){.cap_bytes = 1 << 20, .on_over_cap = count_cap_report, .context = &over});
  void *block = arena_resize(a, NULL, 0, 1 << 20);
  assert_non_null(block);
  assert_int_equal(over, 0);
  assert_non_null(arena_resize(a, NULL, 0, 100));
  assert_int_equal(over, 1);
  assert_null(arena_resize(a, NULL, 0, ARENA_REFUSED_BYTES)); // larger than the maximum block, by default the cap
  assert_int_equal(over, 1);
  assert_null(arena_resize(a, block, 1 << 20, ARENA_REFUSED_BYTES)); // on failure, the old block remains valid
  block = arena_resize(a, block, 1 << 20, 1 << 10);
  assert_non_null(block);
  assert_int_equal(over, 1); // shrinking is not reported as over the cap
  arena_destroy(a);
}

// Whether a script can catch an error must not depend on memory use, which depends on when the garbage collector ran.
// So only a block's size decides whether the allocation fails.
TEST(arena_block_over_the_size_limit_fails_without_a_report) {
  int over = 0;
  arena_o *a = arena_create(&(arena_desc_t){
      .cap_bytes = 100 << 20, .max_block_bytes = 40 << 20, .on_over_cap = count_cap_report, .context = &over});
  assert_null(arena_resize(a, NULL, 0, 41 << 20));
  assert_int_equal(over, 0);
  void *first = arena_resize(a, NULL, 0, 40 << 20);
  assert_non_null(first);
  assert_non_null(arena_resize(a, NULL, 0, 40 << 20));
  assert_int_equal(over, 0);
  assert_non_null(arena_resize(a, NULL, 0, 40 << 20)); // over the cap: the script is stopped if all of it lives
  assert_int_equal(over, 1);
  assert_null(arena_resize(a, first, 40 << 20, 41 << 20));
  assert_int_equal(over, 1);
  arena_destroy(a);
}

TEST(lua_state_is_freed_with_its_arena) {
  arena_o *a = arena_create(&(arena_desc_t){0});
  lua_State *L = lua_newstate(arena_resize, a);
  luaL_openlibs(L);
  const char code[] = "local t = {} for i = 1, 2e5 do t[i % 5000] = { i, tostring(i), ('x'):rep(i % 100) } end "
                      "collectgarbage() return #t";
  assert_int_equal(luaL_loadbuffer(L, code, sizeof code - 1, "=test"), 0);
  assert_int_equal(lua_pcall(L, 0, 1, 0), 0);
  assert_int_equal(lua_tointeger(L, -1), 4999);
  size_t lua_bytes = (size_t)lua_gc(L, LUA_GCCOUNT, 0) * 1024;
  assert_true(arena_bytes(a) >= lua_bytes && arena_bytes(a) < lua_bytes + 8192);
  arena_destroy(a); // frees all memory without lua_close
}
