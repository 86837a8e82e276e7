// Recorded results of random edits: one hash for each block of edits. A change of a result is a change of what players
// see after an edit. To record intended changes, run the test and copy the hashes that it prints.
#ifndef SHOAL_TESTS_MERGE_EDITS_EXPECTED_H
#define SHOAL_TESTS_MERGE_EDITS_EXPECTED_H

#include "test.h"

#include <stdio.h>

#define MERGE_EDIT_BLOCKS 20
#define MERGE_EDIT_NORMAL_BLOCKS 5 // number of blocks in a run without --long
#define MERGE_EDITS_PER_BLOCK 200

__attribute__((unused)) static uint32_t wrong_blocks;

static inline uint32_t count_merge_edit_blocks(void) {
  const char *is_long = getenv("LONG");
  return is_long && is_long[0] ? MERGE_EDIT_BLOCKS : MERGE_EDIT_NORMAL_BLOCKS;
}

// Prints the hash of each block that differs. After the last block, fails if any block has differed.
static inline void check_merge_edits(const char *kind, uint32_t block, uint64_t hash, uint64_t expected) {
  wrong_blocks = block == 0 ? hash != expected : wrong_blocks + (hash != expected);
  if (hash != expected)
    printf("%s: block %u is 0x%016llx, expected 0x%016llx\n", kind, block, (unsigned long long)hash,
           (unsigned long long)expected);
  if (block + 1 == count_merge_edit_blocks() && wrong_blocks > 0)
    fail_msg("%u blocks of edits of %s differ from the recorded results", wrong_blocks, kind);
}

__attribute__((unused)) static const uint64_t EXPECTED_ASSEMBLAGES[MERGE_EDIT_BLOCKS] = {
    0x8b6d0e0f846011db, 0x1f814e365baf888e, 0x05ee6ed4b17351ed, 0xc4e0e3eacdde66e3, 0xb6b29d35f1819b60,
    0xb81bb50040432cd3, 0xd3f7a766609fd1ce, 0xab9e30ac200e6a06, 0x7f5aa56b4953c89b, 0xc7a02cc91e85a6f2,
    0xb0b3358f9f6540c8, 0x2e5288957964eba7, 0x01c070d2e8fdddf3, 0xf718943f11918a7a, 0x9db2692f7447a997,
    0x1e031504ec723bce, 0xf13b4a5cb61132fb, 0x99bdc655af2f2469, 0x229bd6c5e9765b3f, 0x144aa6e35258237b};
__attribute__((unused)) static const uint64_t EXPECTED_SCENES[MERGE_EDIT_BLOCKS] = {
    0xea74f18f6cca907b, 0x8be340bb68030b18, 0xd4c2be10e30f6fe1, 0x0c6c00ee07b4829f, 0x8fa4fa6242f08a4f,
    0xb0132e1f6c56b179, 0x5825315cbc0cfcdb, 0xd382c6eb2fc45435, 0x9ae51634a2f6cb79, 0x59288948699cf40b,
    0xcc74c4c749d6a145, 0xbf2ca1469d307175, 0x3d33775f2d6def26, 0xec2323168883ab2b, 0x9ed27e07a8a96902,
    0xa4c25f954b4e0078, 0x0cfe7f5bee9e4dd5, 0x1a33e106bc3cf167, 0x5b28e4caaaee69a8, 0xd76949034ad1638c};
__attribute__((unused)) static const uint64_t EXPECTED_MAPS[MERGE_EDIT_BLOCKS] = {
    0xca91baf591340bc1, 0x54255b924288238d, 0x35bfaca3838ac355, 0xde1acd6acbd567f4, 0xfc3ed85283a4509d,
    0x8e70e81c209a022d, 0x4c741cee62d73f78, 0x0ac594d9a0e9e6a6, 0x0e0200a0b003497c, 0x4498207e2de5f836,
    0x1ba3e1c60c4ceb1b, 0x6d2a0ff8cf4d494f, 0x12c5acc36d31f036, 0x7ccd77a53758e071, 0xdbbc71c0ea9e94f7,
    0x7364fd2ec7591f0e, 0xa831cc24981d78ff, 0x13b1117699b763af, 0xa105564f37c917d3, 0xab97b7411cf69383};

#endif
