// Cards as numbers: a deck is shuffled, and eight hands are sorted and described in words.
#include "plain.h"

#include <string.h>

enum { DECK = 52, HANDS = 8, HAND = 5, RANKS = 13, TEXT_BYTES = 256 };

static const char *const RANK_NAMES[RANKS] = {"ace",   "two",  "three", "four", "five",  "six", "seven",
                                              "eight", "nine", "ten",   "jack", "queen", "king"};
static const char *const SUIT_NAMES[] = {"clubs", "diamonds", "hearts", "spades"}; // ascending
static const uint8_t SUITS_OF_DECK[] = {2, 3, 0, 1};

typedef struct cards_t {
  uint8_t key[DECK];    // rank * 4 + suit
  uint8_t holder[DECK]; // number of the player, 0: none
  char said[HANDS][TEXT_BYTES];
  uint32_t seed, wins;
} cards_t;

static char *append(char *at, const char *text) {
  size_t length = strlen(text);
  memcpy(at, text, length + 1);
  return at + length;
}

static void sort_hand(uint8_t *keys) {
  for (int i = 1; i < HAND; ++i) {
    uint8_t key = keys[i];
    int k = i;
    for (; k > 0 && keys[k - 1] > key; --k)
      keys[k] = keys[k - 1];
    keys[k] = key;
  }
}

static uint32_t count_pairs(const uint8_t *keys) {
  uint32_t count = 0;
  for (int k = 1; k < HAND; ++k)
    count += keys[k] / 4 == keys[k - 1] / 4;
  return count;
}

static void describe_hand(char *text, int player, const uint8_t *keys) {
  text = append(text, "player ");
  *text++ = (char)('1' + player);
  text = append(text, ": ");
  for (int k = 0; k < HAND; ++k) {
    text = append(k > 0 ? append(text, ", ") : text, RANK_NAMES[keys[k] / 4]);
    text = append(append(text, " of "), SUIT_NAMES[keys[k] % 4]);
  }
}

SCALAR_LOOP void deal(cards_t *cards) {
  uint8_t deck[DECK];
  for (int i = 0; i < DECK; ++i)
    deck[i] = (uint8_t)i;
  for (uint32_t i = DECK; i > 1; --i) {
    cards->seed = cards->seed * 75 % 65537;
    uint32_t k = cards->seed % i;
    uint8_t swapped = deck[i - 1];
    deck[i - 1] = deck[k], deck[k] = swapped;
  }
  for (int player = 0; player < HANDS; ++player) {
    uint8_t keys[HAND];
    for (int k = 0; k < HAND; ++k) {
      uint8_t card = deck[player * HAND + k];
      cards->holder[card] = (uint8_t)(player + 1), keys[k] = cards->key[card];
    }
    sort_hand(keys);
    cards->wins += count_pairs(keys) > 1;
    describe_hand(cards->said[player], player, keys);
  }
}

static void print_checks(const cards_t *cards, uint32_t last_tick) {
  double holders = 0, hash = 0;
  for (uint32_t i = 0; i < DECK; ++i)
    holders += (double)cards->holder[i] * ((i + 1) % 11);
  for (const char *c = cards->said[last_tick % HANDS]; *c; ++c)
    hash = (double)(((uint64_t)hash * 31 + (uint64_t)*c) % 2147483647);
  print_check("wins", cards->wins);
  print_check("holders", holders);
  print_check("said", hash);
}

void run_cards(uint32_t count, uint32_t ticks) {
  cards_t cards = {.seed = 1};
  for (uint32_t i = 0; i < DECK; ++i)
    cards.key[i] = (uint8_t)(i % RANKS * 4 + SUITS_OF_DECK[i / RANKS]);
  for (uint32_t tick = 0; tick < ticks; ++tick) {
    double began_s = now_s();
    deal(&cards);
    add_time("c", now_s() - began_s, count);
  }
  print_checks(&cards, ticks - 1);
}
