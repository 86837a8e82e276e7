// What a number becomes when it is stored in a field: one rule for scripts, SQL, the engine and plugins.
// Whole numbers truncate toward zero and stay in their range, NaN gives 0; C leaves the plain cast of a number out of
// range undefined, and processors differ. The NaN of shoal_f32 and shoal_f64 is always the same one; the sign and
// payload of others differ between processors, too.
//
// Any thread. Part of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_NUMBER_H
#define SHOAL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SHOAL_NAN_F32 0x7fc00000u
#define SHOAL_NAN_F64 0x7ff8000000000000ull

// The nearest number from `least` to `most`; 0 for NaN. With whole limits of up to 53 bits a cast of it is defined.
static inline double shoal_clamp(double v, double least, double most) {
  if (v != v)
    return 0;
  return v < least ? least : v > most ? most : v;
}

static inline int8_t shoal_i8(double v) {
  return (int8_t)shoal_clamp(v, INT8_MIN, INT8_MAX);
}
static inline int16_t shoal_i16(double v) {
  return (int16_t)shoal_clamp(v, INT16_MIN, INT16_MAX);
}
static inline int32_t shoal_i32(double v) {
  return (int32_t)shoal_clamp(v, INT32_MIN, INT32_MAX);
}
static inline uint8_t shoal_u8(double v) {
  return (uint8_t)shoal_clamp(v, 0, UINT8_MAX);
}
static inline uint16_t shoal_u16(double v) {
  return (uint16_t)shoal_clamp(v, 0, UINT16_MAX);
}
static inline uint32_t shoal_u32(double v) {
  return (uint32_t)shoal_clamp(v, 0, UINT32_MAX);
}
// The limits are the last doubles below 2^63 and 2^64.
static inline int64_t shoal_i64(double v) {
  return (int64_t)shoal_clamp(v, -9223372036854775808.0, 9223372036854774784.0);
}
static inline uint64_t shoal_u64(double v) {
  return (uint64_t)shoal_clamp(v, 0, 18446744073709549568.0);
}

static inline bool shoal_is_nan_f32(uint32_t bits) {
  return (bits & 0x7fffffffu) > 0x7f800000u;
}
static inline bool shoal_is_nan_f64(uint64_t bits) {
  return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

// The same number, with the one NaN in place of any other.
static inline double shoal_f64(double v) {
  uint64_t bits = SHOAL_NAN_F64;
  if (v != v)
    memcpy(&v, &bits, sizeof v);
  return v;
}
static inline float shoal_f32(double v) {
  uint32_t bits = SHOAL_NAN_F32;
  float out = (float)v;
  if (v != v)
    memcpy(&out, &bits, sizeof out);
  return out;
}

#endif
