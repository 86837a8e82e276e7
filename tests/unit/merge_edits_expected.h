// Recorded results of random edits: one hash for each block of edits. A change of a result is a change of what players
// see after an edit. To record intended changes, run the test and copy the hashes that it prints.
#ifndef SHOAL_TESTS_MERGE_EDITS_EXPECTED_H
#define SHOAL_TESTS_MERGE_EDITS_EXPECTED_H

#include "test.h"

#include <stdio.h>

#define MERGE_EDIT_BLOCKS 20
#define MERGE_EDITS_PER_BLOCK 200

__attribute__((unused)) static uint32_t wrong_blocks;

// Prints each block's hash if it differs, and fails after the last block.
static inline void check_merge_edits(const char *kind, uint32_t block, uint64_t hash, uint64_t expected) {
  wrong_blocks = block == 0 ? hash != expected : wrong_blocks + (hash != expected);
  if (hash != expected)
    printf("%s: block %u is 0x%016llx, expected 0x%016llx\n", kind, block, (unsigned long long)hash,
           (unsigned long long)expected);
  if (block + 1 == MERGE_EDIT_BLOCKS && wrong_blocks > 0)
    fail_msg("%u blocks of edits of %s differ from the recorded results", wrong_blocks, kind);
}

__attribute__((unused)) static const uint64_t EXPECTED_ASSEMBLAGES[MERGE_EDIT_BLOCKS] = {
    0x8b6d0e0f846011db, 0x1f814e365baf888e, 0x05ee6ed4b17351ed, 0xc4e0e3eacdde66e3, 0xb6b29d35f1819b60,
    0xb81bb50040432cd3, 0xd3f7a766609fd1ce, 0xab9e30ac200e6a06, 0x7f5aa56b4953c89b, 0xc7a02cc91e85a6f2,
    0xb0b3358f9f6540c8, 0x2e5288957964eba7, 0x01c070d2e8fdddf3, 0xf718943f11918a7a, 0x9db2692f7447a997,
    0x1e031504ec723bce, 0xf13b4a5cb61132fb, 0x99bdc655af2f2469, 0x229bd6c5e9765b3f, 0x144aa6e35258237b};
__attribute__((unused)) static const uint64_t EXPECTED_SCENES[MERGE_EDIT_BLOCKS] = {
    0x56fa299a50a41f39, 0x0374d1e5309d8c6b, 0x5e48ced3df0a099e, 0x57bf2667e9cbd532, 0xf412259531ca3bb2,
    0x767452ea2c2ebc43, 0xea70bbee02f45b15, 0x0456e7e41152df44, 0x216d52d74f864d16, 0x6a2103098e03d3b0,
    0x3f92b39496af3f39, 0x35da54ba3c8e8fbb, 0x4412bf53c1fdedc2, 0x0b8f5645981a341e, 0xd2acf8afda29f2fa,
    0xb86f1822de2c7cdc, 0xea19b578ef2243a4, 0x166db94cc4bd539f, 0x13f0e10d3efd37ba, 0xd9cb85360a57f96e};
__attribute__((unused)) static const uint64_t EXPECTED_MAPS[MERGE_EDIT_BLOCKS] = {
    0x78391304bd8bfb63, 0x7ec839323a5e7a90, 0x6252033301be33f7, 0xdd073bfff1d91b68, 0x19f92462912cf8fa,
    0xab8cebf723fd128f, 0xd1610bb156aa4f2a, 0xca4c82584e13a1e8, 0x163da52c8bc313db, 0xbc9a66684e823e27,
    0xf44e106d7926a30f, 0x4618eaa3f4958143, 0xabb196ce0653d8d6, 0xa7fa6a2116b1034f, 0x7ab95cff98cda399,
    0x3c5048d2dd970c2b, 0xbfcdba96cae71dcf, 0xeeca9b1924b48618, 0x11c04c97f6fdabda, 0xfeb6ed0b0820de34};

#endif
