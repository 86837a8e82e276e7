// Implements the part of Unicode's line breaking rules (UAX 14) that games need. Thai, Lao and Khmer are written
// without spaces, so breaking their lines would require dictionaries. Text in these languages must contain zero-width
// spaces instead.
#include "text/line_breaks.h"

#include <stddef.h>

typedef struct range_t {
  uint32_t first, last;
} range_t;

static bool is_in_ranges(const range_t *ranges, size_t count, uint32_t code) {
  for (size_t i = 0; i < count; ++i)
    if (code >= ranges[i].first && code <= ranges[i].last)
      return true;
  return false;
}

#define IS_IN(ranges, code) is_in_ranges(ranges, sizeof(ranges) / sizeof *(ranges), code)

bool break_is_blank(uint32_t code) {
  static const range_t BLANKS[] = {{'\t', '\t'},     {' ', ' '},       {0x1680, 0x1680}, {0x2000, 0x2006},
                                   {0x2008, 0x200B}, {0x205F, 0x205F}, {0x3000, 0x3000}};
  return code == ' ' || (code > 0x7F || code == '\t' ? IS_IN(BLANKS, code) : false);
}

static bool is_ideograph(uint32_t code) {
  static const range_t IDEOGRAPHS[] = {{0x2E80, 0x2FFF},   {0x3001, 0x312F},  {0x3130, 0x318F},   {0x31A0, 0x4DBF},
                                       {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE4F},   {0xFF01, 0xFFEF},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
                                       {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};
  return code >= 0x2E80 && IS_IN(IDEOGRAPHS, code);
}

static bool must_not_start_line(uint32_t code) {
  static const range_t CLOSING[] = {
      {'!', '!'},       {'%', '%'},       {')', ')'},       {',', ','},       {'.', '.'},       {':', ';'},
      {'?', '?'},       {']', ']'},       {'}', '}'},       {0xBB, 0xBB},     {0x2019, 0x2019}, {0x201D, 0x201D},
      {0x2025, 0x2026}, {0x203A, 0x203A}, {0x3001, 0x3002}, {0x3005, 0x3005}, {0x3009, 0x3009}, {0x300B, 0x300B},
      {0x300D, 0x300D}, {0x300F, 0x300F}, {0x3011, 0x3011}, {0x3015, 0x3015}, {0x3017, 0x3017}, {0x3019, 0x3019},
      {0x301B, 0x301C}, {0x301E, 0x301F}, {0x303B, 0x303B}, {0x3041, 0x3041}, {0x3043, 0x3043}, {0x3045, 0x3045},
      {0x3047, 0x3047}, {0x3049, 0x3049}, {0x3063, 0x3063}, {0x3083, 0x3083}, {0x3085, 0x3085}, {0x3087, 0x3087},
      {0x308E, 0x308E}, {0x3095, 0x3096}, {0x309B, 0x309E}, {0x30A0, 0x30A1}, {0x30A3, 0x30A3}, {0x30A5, 0x30A5},
      {0x30A7, 0x30A7}, {0x30A9, 0x30A9}, {0x30C3, 0x30C3}, {0x30E3, 0x30E3}, {0x30E5, 0x30E5}, {0x30E7, 0x30E7},
      {0x30EE, 0x30EE}, {0x30F5, 0x30F6}, {0x30FB, 0x30FE}, {0xFF01, 0xFF01}, {0xFF05, 0xFF05}, {0xFF09, 0xFF09},
      {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1B}, {0xFF1F, 0xFF1F}, {0xFF3D, 0xFF3D}, {0xFF5D, 0xFF5D},
      {0xFF60, 0xFF61}, {0xFF63, 0xFF65}};
  return IS_IN(CLOSING, code);
}

static bool must_not_end_line(uint32_t code) {
  static const range_t OPENING[] = {
      {'(', '('},       {'[', '['},       {'{', '{'},       {0xAB, 0xAB},     {0x2018, 0x2018}, {0x201C, 0x201C},
      {0x2039, 0x2039}, {0x3008, 0x3008}, {0x300A, 0x300A}, {0x300C, 0x300C}, {0x300E, 0x300E}, {0x3010, 0x3010},
      {0x3014, 0x3014}, {0x3016, 0x3016}, {0x3018, 0x3018}, {0x301A, 0x301A}, {0x301D, 0x301D}, {0xFF08, 0xFF08},
      {0xFF3B, 0xFF3B}, {0xFF5B, 0xFF5B}, {0xFF5F, 0xFF5F}, {0xFF62, 0xFF62}};
  return IS_IN(OPENING, code);
}

static bool is_letter(uint32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= 0xC0 && code < 0x2000);
}

// Returns true for marks, joiners and variation selectors, before which lines must not break.
static bool is_combining(uint32_t code) {
  static const range_t COMBINING[] = {{0x300, 0x36F},   {0x200C, 0x200D}, {0x20D0, 0x20FF},   {0x302A, 0x302F},
                                      {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
  return code >= 0x300 && IS_IN(COMBINING, code);
}

// Returns true for no-break spaces, no-break hyphens and joiners, before and after which lines must not break.
static bool forbids_breaks(uint32_t code) {
  return code == 0xA0 || code == 0x202F || code == 0x2007 || code == 0x2011 || code == 0x2060 || code == 0xFEFF ||
         code == 0x200D;
}

bool break_is_allowed(uint32_t previous, uint32_t a, uint32_t b) {
  if (break_is_blank(b))
    return false;
  if (break_is_blank(a))
    return true;
  if (b < 0x80 && a < 0x80)
    return a == '-' && is_letter(previous) && is_letter(b);
  if (is_combining(b) || forbids_breaks(a) || forbids_breaks(b))
    return false;
  if (a == 0x2010 || a == 0x2014 || (a == '-' && is_letter(previous) && is_letter(b)))
    return !must_not_start_line(b);
  return (is_ideograph(a) || is_ideograph(b)) && !must_not_start_line(b) && !must_not_end_line(a);
}
